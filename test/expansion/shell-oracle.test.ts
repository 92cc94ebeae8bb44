// SPEC R4.6 as a property, with real bash as the oracle: whatever the arguments are, the command that runs has the simple commands of
// its template, the values arrive byte for byte, and nothing else runs or appears.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitArguments } from '../../src/expansion/arguments.ts'
import { planExpansion } from '../../src/expansion/expand.ts'
import { request } from './request.ts'

let root = ''
let folder = ''
let log = ''

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-oracle-')))
  folder = join(root, 'work')
  log = join(root, 'log')
  mkdirSync(join(root, 'bin'))
  mkdirSync(folder)
  writeFileSync(join(folder, 'visible'), '')
  // The stand-in for a program tells its name and its words; `pwned` is what an injected command would call.
  for (const name of ['cmd', 'pwned', 'touch', 'other']) {
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$#" "$@" >> "$LOG"\n`)
    chmodSync(join(root, 'bin', name), 0o755)
  }
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

function run(
  template: string,
  argumentsText: string,
  skillDir = '/skills/s',
): { readonly calls: string[][]; readonly files: string[]; readonly stdout: string } {
  const plan = planExpansion(
    request(`\`\`\`\`\`!\n${template}\n\`\`\`\`\``, argumentsText, { hasArgumentHint: true, argumentNames: ['issue'], skillDir }),
  )
  const command = plan.commands[0]
  if (!command || command.refusal) throw new Error(`Refused: ${command?.refusal}`)
  writeFileSync(log, '')
  const prelude = Object.entries(command.variables).map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`)
  const { stdout } = spawnSync(
    '/bin/bash',
    ['--norc', '--noprofile', '-c', prelude.join('') + command.script, 'bash', ...command.parameters],
    {
      cwd: folder,
      env: { ...command.environment, PATH: `${join(root, 'bin')}:/usr/bin:/bin`, LOG: log, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    },
  )
  const words = readFileSync(log, 'utf8').split('\0').slice(0, -1)
  const calls: string[][] = []
  while (words.length > 0) {
    const [name = '', count = '0'] = words.splice(0, 2)
    calls.push([name, ...words.splice(0, Number(count))])
  }
  return { calls, files: readdirSync(folder), stdout }
}

type Wanted = (words: readonly string[], text: string) => string[][]
const first: Wanted = ([one = '']) => [['cmd', one]]

const templates: readonly (readonly [string, Wanted])[] = [
  ['cmd $1', first],
  ['cmd "$1" x', ([one = '']) => [['cmd', one, 'x']]],
  ['cmd -- --a=$2 pre"$1"post', ([one = '', two = '']) => [['cmd', '--', `--a=${two}`, `pre${one}post`]]],
  ['cmd "a$1_b"', ([one = '']) => [['cmd', `a${one}_b`]]],
  ['cmd $ARGUMENTS', words => [['cmd', ...words]]],
  ['cmd a $ARGUMENTS b', words => [['cmd', 'a', ...words, 'b']]],
  ['cmd "<$ARGUMENTS>"', (_, text) => [['cmd', `<${text}>`]]],
  ["cmd 'a ${ARGUMENTS} b'", (_, text) => [['cmd', `a ${text} b`]]],
  ["cmd 'it'\\''s $ARGUMENTS'", (_, text) => [['cmd', `it's ${text}`]]],
  ["cmd '$1' $1", ([one = '']) => [['cmd', '$1', one]]],
  ['cmd $ARGUMENTS[0] "$ARGUMENTS[1]" ${ARG1}', ([one = '', two = '']) => [['cmd', one, two, one]]],
  ['cmd $issue "${issue}" \'$issue\'', ([one = '']) => [['cmd', one, one, one]]],
  ['cmd ${ARGUMENTS:-status}', words => [['cmd', ...(words.join(' ') === '' ? ['status'] : words)]]],
  ['cmd "${ARGUMENTS:-status}"', (_, text) => [['cmd', text === '' ? 'status' : text]]],
  ['cmd ${1:-none} "${2:-$1}"', ([one = '', two = '']) => [['cmd', one || 'none', two || one]]],
  ['x=$1; y=$ARGUMENTS; cmd "$x" "$y"', ([one = ''], text) => [['cmd', one, text]]],
  ['x=$1; cmd $x', ([one = '']) => [['cmd', ...one.split(/[ \t\n]+/).filter(Boolean)]]],
  ['cmd "$(printf "%s." "$1")"', ([one = '']) => [['cmd', `${one}.`]]],
  ['cmd $(printf "%s" "$1")', ([one = '']) => [['cmd', ...one.split(/[ \t\n]+/).filter(Boolean)]]],
  ['cmd "$(cat <<EOF\n<$ARGUMENTS> $1.\nEOF\n)"', ([one = ''], text) => [['cmd', `<${text}> ${one}.`]]],
  ['for each in $ARGUMENTS; do cmd "$each"; done', words => words.map(word => ['cmd', word])],
  ['list=($ARGUMENTS); cmd "${list[@]}"', words => [['cmd', ...words]]],
  ['case $1 in x) cmd x;; *) cmd "$1";; esac', first],
  ['if [ "$1" = x ]; then cmd yes; else cmd no; fi', ([one]) => [['cmd', one === 'x' ? 'yes' : 'no']]],
  ['[[ -n $1 && $1 != x ]] && cmd "$1"', ([one = '']) => (one === '' || one === 'x' ? [] : [['cmd', one]])],
  ['f() { cmd "$1" "$#"; }; f $ARGUMENTS', words => [['cmd', words[0] ?? '', String(words.length)]]],
  ['cmd {a,b} * $1', ([one = '']) => [['cmd', 'a', 'b', 'visible', one]]],
  ['printf "%s\\n" "$1" | cat >/dev/null && cmd $2 > /dev/null', ([, two = '']) => [['cmd', two]]],
  [
    '( cmd $1 ) & wait; { cmd "$1"; }',
    ([one = '']) => [
      ['cmd', one],
      ['cmd', one],
    ],
  ],
  ['set -euo pipefail; cmd "$1" "$3" $ARGUMENTS', words => [['cmd', words[0] ?? '', words[2] ?? '', ...words]]],
  ['cmd "$@" "$#"', words => [['cmd', ...words, String(words.length)]]],
  ['env A="$1" timeout 5 cmd "$1"', first],
  ['cmd "$(cat "${ARGUMENTS_FILE:-/dev/null}" 2>/dev/null)" ${#ARGUMENTS}', (_, text) => [['cmd', '', String([...text].length)]]],
]

const hostile = [
  '$(pwned)',
  '`pwned`',
  ';',
  '&&',
  '|',
  '\n',
  '> out',
  '*',
  '?',
  '~',
  '{a,b}',
  '$HOME',
  '${IFS}',
  "'",
  '"',
  '\\',
  '#',
  '!',
  '&',
  ' ',
  '\t',
  '(',
  ')',
  '<(pwned)',
  'a[$(pwned)]',
  '-v',
  'EOF',
  '$1',
  '$@',
  '%s',
  '=',
  'x',
  '🏷',
  'é',
  '\u0001',
  '$ARGUMENTS',
  "'; pwned; '",
  '"; pwned; "',
]
const argumentsText = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...hostile), { maxLength: 8 }).map(parts => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replaceAll('\0', '')) },
)

describe('a command runs with the simple commands of its template, for any arguments', () => {
  test.each(templates)('%s', (template, wanted) => {
    fc.assert(
      fc.property(argumentsText, text => {
        const { calls, files } = run(template, text)
        expect(calls).toEqual(wanted(splitArguments(text), text))
        expect(files).toEqual(['visible'])
      }),
      { numRuns: 8, examples: [[''], ['"a b" c'], ["'; pwned; #"]] },
    )
  })
})

describe('a directory is one literal word, for any path', () => {
  test.each<[string, (path: string) => string[][]]>([
    ['cmd ${CLAUDE_SKILL_DIR}/x', path => [['cmd', `${path}/x`]]],
    ['cmd "${CLAUDE_SKILL_DIR}/x"', path => [['cmd', `${path}/x`]]],
    ["cmd '${CLAUDE_SKILL_DIR}/x'", path => [['cmd', `${path}/x`]]],
    ['cmd ${CLAUDE_SKILL_DIR:-.} "$CLAUDE_SKILL_DIR"', path => [['cmd', path, path]]],
    ['cmd "$(cat <<EOF\n${CLAUDE_SKILL_DIR}.\nEOF\n)"', path => [['cmd', `${path}.`]]],
    ['cmd "$(cat <<\'EOF\'\n${CLAUDE_SKILL_DIR}.\nEOF\n)"', path => [['cmd', `${path}.`]]],
  ])('%s', (template, wanted) => {
    const path = fc
      .array(fc.constantFrom(...hostile.filter(each => each !== '\n')), { minLength: 1, maxLength: 6 })
      .map(parts => `/${parts.join('')}`)
    fc.assert(
      fc.property(path, skillDir => {
        const { calls, files } = run(template, '', skillDir)
        expect(calls).toEqual(wanted(skillDir))
        expect(files).toEqual(['visible'])
      }),
      { numRuns: 6 },
    )
  })
})

test('the text that policy decides stands for the same words as the command that runs', () => {
  fc.assert(
    fc.property(fc.constantFrom('cmd $1 "$2" x', 'cmd $ARGUMENTS', 'cmd \'a $ARGUMENTS\' "$1"'), argumentsText, (template, text) => {
      const [command] = planExpansion(request(`\`\`\`!\n${template}\n\`\`\``, text, { hasArgumentHint: true })).commands
      const literal = command?.decisionTexts.at(-1) ?? ''
      const { calls } = run(template, text)
      if (text.trim() === '') return
      // The literal text needs no parameters: it is the same command with its values written out.
      writeFileSync(log, '')
      spawnSync('/bin/bash', ['-c', literal], { cwd: folder, env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, LOG: log } })
      const words = readFileSync(log, 'utf8').split('\0').slice(0, -1)
      expect([words[0], ...words.slice(2)]).toEqual(calls[0])
    }),
    { numRuns: 12 },
  )
})
