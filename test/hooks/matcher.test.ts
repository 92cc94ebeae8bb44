// Matchers: exact names, lists, patterns; a hostile pattern costs nothing; the linear engine agrees with JavaScript's own.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileLinear, maxMatchedChars, maxPatternChars } from '../../src/hooks/linear-pattern.ts'
import { compileMatcher, toolHint } from '../../src/hooks/matcher.ts'

test.each<[matcher: string, matching: readonly string[], other: readonly string[]]>([
  ['', ['Bash', 'mcp__a__b', ''], []],
  ['  ', ['Bash'], []],
  ['*', ['Bash'], []],
  ['Bash', ['Bash'], ['bash', 'BashOutput', 'MyBash', '']],
  ['Edit|Write', ['Edit', 'Write'], ['MultiEdit', 'Edit|Write']],
  ['Edit , Write', ['Edit', 'Write'], [' Edit']],
  ['Edit||', ['Edit'], ['']],
  ['run_shell|write_file', ['Bash', 'Write'], ['Read']],
  ['constructor', ['constructor'], ['Bash']],
  ['mcp__memory', ['mcp__memory'], ['mcp__memory__read']],
  ['mcp__memory__.*', ['mcp__memory__read'], ['mcp__other__read']],
  ['mcp__.*__write.*', ['mcp__a__write', 'mcp__b__write_all'], ['mcp__a__read']],
  ['Note.*', ['NotebookEdit', 'xNote'], ['Bash']],
  ['^Bash$', ['Bash'], ['BashOutput']],
  ['^(?!Read$).*', ['Bash', 'Reader'], ['Read']],
  ['plugin:.+', ['plugin:skill'], ['plugin:', 'other:skill']],
])('compileMatcher(%j)', (matcher, matching, other) => {
  const { matches, problem } = compileMatcher(matcher)
  expect(problem).toBeUndefined()
  expect(matching.filter(value => !matches(value))).toEqual([])
  expect(other.filter(value => matches(value))).toEqual([])
})

test.each([
  'Bash(',
  '[a',
  '(a)\\1',
  '(?<=a)b',
  '(?<n>a)\\k<n>',
  'a{2000}.',
  '((a{50}){50}){50}',
  '(((((((x?){9}){9}){9}){9}){9}){9}){9}',
  `.${'a'.repeat(maxPatternChars)}`,
  `${'(a'.repeat(120)}${')*'.repeat(120)}`,
])('compileMatcher(%j) says that it cannot be used and matches everything', matcher => {
  const { matches, problem } = compileMatcher(matcher)
  expect(problem).toEqual(expect.any(String))
  expect(matches('anything')).toBe(true)
})

test.each([
  // matcher, what it hints at
  ['write', 'Write'],
  ['Bahs', 'Bash'],
  ['Bash|edit', 'Edit'],
  ['Globb , Read', 'Glob'],
  ['Lsp', 'LSP'],
  ['Bash', undefined],
  ['run_shell|Edit', undefined],
  ['MyOwnTool', undefined],
  ['mcp__a__read', undefined],
  ['.*rite', undefined],
  ['*', undefined],
])('toolHint(%j): %j', (matcher, near) => {
  const hint = toolHint(matcher)
  if (near === undefined) expect(hint).toBeUndefined()
  else expect(hint).toContain(`"${near}" is one`)
})

test('compileMatcher() hints at the name of a server that is the name of no tool', () => {
  expect(compileMatcher('Bash|mcp__memory').hint).toContain('mcp__memory__.*')
  for (const fine of ['mcp__memory__read', 'mcp__memory__.*', 'Bash']) expect(compileMatcher(fine).hint).toBeUndefined()
})

test.each(['(a+)+$', '(a|a)*b', '(a*)*c', '(.*)(.*)(.*)(.*)(.*)(.*)x', '(?=(a+)+$)b', '((a?){20}){20}c'])(
  'compileLinear(%j) is done with a hostile text before long',
  pattern => {
    const compiled = compileLinear(pattern)
    if ('problem' in compiled) throw new Error(compiled.problem)
    const startedAt = performance.now()
    compiled.test(`${'a'.repeat(maxMatchedChars - 1)}!`)
    // Backtracking would take longer than the universe is old; the limit is only there to end a hang.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  },
)

test('compileMatcher() matches a name that is too long to be compared: a guard must not be passed by length', () => {
  const { matches } = compileMatcher('^a+$')
  expect([maxMatchedChars, maxMatchedChars + 1].map(length => matches('b'.repeat(length)))).toEqual([false, true])
})

test('compileMatcher() says the same of a value the second time, and of any number of them', () => {
  const { matches } = compileMatcher('^.*[02468]$')
  for (let round = 0; round < 2; round++) for (let at = 0; at < 200; at++) expect([at, matches(String(at))]).toEqual([at, at % 2 === 0])
})

test('compileLinear() keeps its limits: one under, at, one over', () => {
  const dots = (length: number): boolean => 'test' in compileLinear(`.${'a'.repeat(length - 1)}`)
  expect([maxPatternChars - 1, maxPatternChars, maxPatternChars + 1].map(dots)).toEqual([true, true, false])
  const compiled = compileLinear('.')
  if ('problem' in compiled) throw new Error(compiled.problem)
  expect([maxMatchedChars - 1, maxMatchedChars, maxMatchedChars + 1].map(length => compiled.test('a'.repeat(length)))).toEqual([
    true,
    true,
    false,
  ])
})

const atom = fc.constantFrom(
  'a',
  'b',
  '_',
  '.',
  '\\w',
  '\\W',
  '\\d',
  '[ab]',
  '[^a]',
  '[\\]_]',
  '[]',
  '[^]',
  '\\.',
  '\\x61',
  '\\u0062',
  '\\0',
  '{',
  ']',
  '^',
  '$',
  '\\b',
  '\\B',
)
const { pattern } = fc.letrec<{ pattern: string; part: string }>(tie => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(fc.constantFrom('(', '(?:', '(?=', '(?!'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  ),
  pattern: fc
    .array(
      fc.array(fc.tuple(tie('part'), fc.constantFrom('', '', '*', '+', '?', '*?', '{2}', '{1,2}', '{0,1}?', '{2,}')), { maxLength: 4 }),
      { minLength: 1, maxLength: 3 },
    )
    .map(ways => ways.map(parts => parts.map(([part, count]) => part + count).join('')).join('|')),
}))

test('compileLinear() matches what JavaScript matches, for any pattern that it takes', () => {
  let compared = 0
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '_', ' ', '1', '\n', ']', '{', '.'), maxLength: 7 }), {
        minLength: 1,
        maxLength: 8,
      }),
      (source, texts) => {
        let oracle: RegExp
        try {
          oracle = new RegExp(source)
        } catch {
          expect(compileLinear(source)).toHaveProperty('problem')
          return
        }
        const compiled = compileLinear(source)
        if ('problem' in compiled) return
        compared += 1
        for (const text of texts) expect([source, text, compiled.test(text)]).toEqual([source, text, oracle.test(text)])
      },
    ),
    { numRuns: 4_000 },
  )
  expect(compared).toBeGreaterThan(500)
})
