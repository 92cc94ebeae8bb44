import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planExpansion } from '../../src/expansion/expand.ts'
import { expandText, request } from './request.ts'

const hint = { hasArgumentHint: true }
const fence = '```'

describe('planExpansion() fills', () => {
  test.each<[string, string, string, string]>([
    ['the text as typed', '<$ARGUMENTS>', 'a "b"  c', '<a "b"  c>'],
    ['the brace form', 'v=${ARGUMENTS};', 'q r', 'v=q r;'],
    ['an index from zero', '[$ARGUMENTS[0]][$ARGUMENTS[1]][$ARGUMENTS[2]]', 'a "b c"', '[a][b c][]'],
    ['a number from one', '[${ARG1}][${ARG2}][${ARG3}]', 'a "b c"', '[a][b c][]'],
    ['digits', 'PR $1, $2.', '4 high', 'PR 4, high.'],
    ['a missing one with nothing', '[$1][$2]', 'a', '[a][]'],
    ['beside punctuation', '"$1" ($1) $1: $1; $1-$2! $1/x', 'a b', '"a" (a) a: a; a-b! a/x'],
    ['digits before a letter of another script', '$1を', 'x', 'xを'],
    ['from zero when the body does', '$0 $1', 'a b', 'a b'],
    ['the first after a doubled dollar', '$$1', 'x', '$x'],
    ['after two backslashes', '\\\\$1', 'x', '\\\\x'],
    ['in a span', 'Use `$ARGUMENTS` and $1', 'x', 'Use `x` and x'],
    ['in a fence beside text', `Go $1\n\n${fence}\n$1\n${fence}\n`, 'x', `Go x\n\n${fence}\nx\n${fence}\n`],
    ['in code when $ARGUMENTS declares', '$ARGUMENTS `$1`', 'x', 'x `x`'],
    ['the file', 'see ${ARGUMENTS_FILE}', 'x', 'see /state/args'],
    ['directories', '${SKILLCELL_SKILL_DIR} ${WAVE_SKILL_DIR} `${CLAUDE_PROJECT_DIR}`', '', '/skills/s /skills/s `/work space`'],
    ['the session', '${CLAUDE_SESSION_ID}', '', 'session-1'],
  ])('%s', (_, body, text, wanted) => {
    expect(expandText(body, text)).toBe(wanted)
  })
})

describe('planExpansion() keeps as written', () => {
  test.each<[string, string, string]>([
    ['an amount', 'It costs $5 today', ''],
    ['an amount without a first', 'It costs $100 today', ''],
    ['awk in a span', "Run `awk '{print $1}' f`", ''],
    ['an undeclared digit in code', `${fence}sh\necho $1\n${fence}`, ''],
    ['operators', '${ARGUMENTS:-x} ${ARGUMENTS#v} ${x:-$HOME}', ''],
    ['unknown names', '${FOO} $FOO ${{ x }} $(y) $ARGUMENTS_X $ARGUMENTSX ${ARG0} ${ARG}', ''],
    ['a backslash in code', '`awk "{print \\$1}"`', ''],
    ['a name that nobody declared', '$issue', ''],
  ])('%s', (_, body, text) => {
    expect(expandText(body, text)).toBe(body)
  })
})

describe('planExpansion() tells prices and programs from arguments', () => {
  test.each<[string, string, string]>([
    ['decimal', '$1.50 $1', '$1.50 x'],
    ['thousands', '$1,000 $1', '$1,000 x'],
    ['letters', '$100K $5M $1k $1', '$100K $5M $1k x'],
    ['two digits without such an argument', '$20 for $1', '$20 for x'],
    ['leading zero', '$007 $1', '$007 x'],
    ['end of a sentence', '$1. $1, then', 'x. x, then'],
    ['single quotes in a span', "`awk '{print $1}'` $1", "`awk '{print $1}'` x"],
    ['double quotes in a span', '`echo "$1"`', '`echo "x"`'],
    ['an apostrophe in a fence', `${fence}text\ndon't $1 can't\n${fence}`, `${fence}text\ndon't x can't\n${fence}`],
    ['an apostrophe in a shell comment', `${fence}bash\n# don't\necho $1\n${fence}`, `${fence}bash\n# don't\necho x\n${fence}`],
    ['quotes over lines', `${fence}bash\nawk '\n{ print $1 }\n' f $1\n${fence}`, `${fence}bash\nawk '\n{ print $1 }\n' f x\n${fence}`],
    ['a quoted option', "`awk -F':' '{print $1}'`", "`awk -F':' '{print $1}'`"],
    ['a script', `${fence}\n#!/bin/sh\necho $1\n${fence}`, `${fence}\n#!/bin/sh\necho $1\n${fence}`],
    ['a function', `${fence}sh\nf() {\n echo "$1"\n}\n${fence}`, `${fence}sh\nf() {\n echo "$1"\n}\n${fence}`],
    ['quotes outside code', "Say '$1'", "Say 'x'"],
  ])('%s', (_, body, wanted) => {
    expect(expandText(`$1\n${body}`, 'x', hint).slice(2)).toBe(wanted)
  })

  test.each<[string, string, string, object, string]>([
    ['a hint and no such argument', 'It costs $5', 'a', hint, 'It costs $5\n\nARGUMENTS: a'],
    ['a hint and such an argument', 'Fifth $5', 'a b c d e', hint, 'Fifth e'],
    ['a hint without arguments', '[$1]', '', hint, '[]'],
    ['only $ARGUMENTS: above the first stays', '$ARGUMENTS $5', 'a b c d e', {}, 'a b c d e $5'],
    ['no declaration and no arguments', '[$1]', '', {}, '[$1]'],
    ['a use of zero in code only', '`$0` $1', 'a', hint, '`$0` a'],
    ['base zero', '$1', 'a b', { ...hint, argumentsBase: 0 as const }, 'b'],
    ['$0 in a command', '!`echo $0` $1', 'a b', hint, '<echo $0> b'],
    ['$0 in single quotes of a command', "!`awk '{print $0}'` $1", 'a b', hint, "<awk '{print $0}'> a"],
    ['$1 in a command counts as outside code', '!`echo $1` $2', 'a b', {}, '<echo $1> b'],
  ])('%s', (_, body, text, rest, wanted) => {
    expect(expandText(body, text, rest)).toBe(wanted)
  })
})

describe('planExpansion() reads a backslash', () => {
  test.each<[string, string]>([
    ['use \\$1, \\$ARGUMENTS and \\${ARGUMENTS}: $1', 'use $1, $ARGUMENTS and ${ARGUMENTS}: x'],
    ['\\$45.2B $1', '\\$45.2B x'],
    ['\\\\\\$1 $1', '\\\\$1 x'],
    ['\\$HOME $1', '\\$HOME x'],
  ])('%s', (body, wanted) => {
    expect(expandText(body, 'x')).toBe(wanted)
  })
})

describe('planExpansion() appends', () => {
  test.each<[string, string, string, string]>([
    ['after a blank line', 'No\n', 'a "b"', 'No\n\nARGUMENTS: a "b"'],
    ['without a line end', 'No', 'x', 'No\n\nARGUMENTS: x'],
    ['to nothing', '', 'x', 'ARGUMENTS: x'],
    ['nothing for blanks', 'No\n', ' \n', 'No\n'],
    ['after an output', '!`a`\n', 'x', '<a>\n\nARGUMENTS: x'],
    ['after an escape', 'Use \\$1', 'x', 'Use $1\n\nARGUMENTS: x'],
    ['nothing after the file', '${ARGUMENTS_FILE}', 'x', '/state/args'],
    ['nothing after a command that takes them', '!`a "$ARGUMENTS"`', 'x', '<a "$ARGUMENTS">'],
    ['after a command with own fields', "!`awk '{print $1}'`", 'x', "<awk '{print $1}'>\n\nARGUMENTS: x"],
  ])('%s', (_, body, text, wanted) => {
    expect(expandText(body, text)).toBe(wanted)
  })
})

describe('planExpansion() follows the dialect', () => {
  test.each<[string, 'wave' | 'claude', string, string, string]>([
    ['claude counts from zero', 'claude', '$0 $1', 'a b', 'a b'],
    ['claude keeps a missing index', 'claude', '$0 $3 $ARGUMENTS[4]', 'a', 'a $3 $ARGUMENTS[4]'],
    ['wave appends the bare text', 'wave', 'No\n', 'x', 'No x'],
  ])('%s', (_, dialect, body, text, wanted) => {
    expect(expandText(body, text, { dialect, ...hint })).toBe(wanted)
  })
})

describe('planExpansion() uses declared names', () => {
  test.each<[string, string[], string, string]>([
    ['in order', ['issue', 'branch'], '$issue on $branch', '42 on main'],
    ['the longest', ['pr', 'pr-number'], '$pr-number $pr', 'main 42'],
    ['whole words only', ['issue'], '$issues $issue_x $issue', '$issues $issue_x 42'],
    ['with signs of a pattern', ['a.b'], '$a.b $axb', '42 $axb'],
    ['but not reserved ones', ['PATH'], '$PATH $1', '$PATH 42'],
  ])('%s', (_, argumentNames, body, wanted) => {
    expect(expandText(body, '42 main', { argumentNames })).toBe(wanted)
  })

  test.each(['PATH', 'LD_PRELOAD', 'BASH_ENV', 'IFS', 'GIT_DIR', 'ARGUMENTS', 'HOME', 'http_proxy'])('and reports %s', name => {
    expect(planExpansion(request('x', '', { argumentNames: [name] })).diagnostics).toMatchObject([{ code: 'ARGUMENT_NAME_RESERVED' }])
  })
})

test('planExpansion() reports a placeholder without a source once, with its place', () => {
  const { diagnostics } = planExpansion(request('a\n\n b ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_ROOT}', '', { bodyLine: 5 }))
  expect(diagnostics).toMatchObject([{ code: 'PLACEHOLDER_WITHOUT_SOURCE', line: 7, column: 4, path: '/skills/s/SKILL.md' }])
})

test('planExpansion() puts in any argument text as it is, and reads nothing twice', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('$1', '$&', '$$', '`', '!`x`', '$ARGUMENTS', '${ARGUMENTS}', '\n', '```!\n', 'é', '🏷', '\\', ' '),
      }),
      text => {
        const plan = planExpansion(request('<$ARGUMENTS> ${CLAUDE_SKILL_DIR}', text, { skillDir: '/a$1/$ARGUMENTS' }))
        expect(plan.commands).toEqual([])
        expect(plan.segments.map(each => (each.type === 'text' ? each.text : '')).join('')).toBe(`<${text}> /a$1/$ARGUMENTS`)
      },
    ),
  )
})
