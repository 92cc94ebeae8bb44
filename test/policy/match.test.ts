import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, couldMatch, matches, type PatternPiece } from '../../src/policy/match.ts'

describe('matches() takes words joined by blanks', () => {
  test.each<[string, string, boolean]>([
    ['npm test', 'npm test', true],
    ['npm test', 'npm test --watch', false],
    ['ls *', 'ls', true],
    ['ls *', 'ls -la', true],
    ['ls *', 'lsof', false],
    ['ls:*', 'ls -la', true],
    ['ls:*', 'lsof', false],
    ['ls*', 'lsof', true],
    ['git * main', 'git checkout main', true],
    ['git * main', 'git main', false],
    ['git:* push', 'git push', false],
    ['git:* push', 'git:x push', true],
    ['a*b*c', 'a--b--c', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['* --version', 'node --version', true],
    ['ab?', 'abx', false],
    ['ab[xyz]', 'abx', false],
    ['*', 'anything', true],
    ['cat **', 'cat (1) x', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j on %j: %s', (pattern, text, expected) => {
    expect(matches(compilePattern([pattern]), text)).toBe(expected)
  })
})

test('matches() takes a literal piece literally', () => {
  const pieces: readonly PatternPiece[] = ['node ', { literal: '/skills/*' }, '/run.mjs *']
  expect(matches(compilePattern(pieces), 'node /skills/*/run.mjs a')).toBe(true)
  expect(matches(compilePattern(pieces), 'node /skills/other/run.mjs a')).toBe(false)
})

test('matches() agrees with a regular expression for any pattern and text', () => {
  const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', ':'), maxLength: 8 })
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', ':'), maxLength: 10 })
  fc.assert(
    fc.property(alphabet, texts, (pattern, text) => {
      const boundary = /[ :]\*$/.test(pattern)
      const body = (boundary ? pattern.slice(0, -2) : pattern).split('*').join('[^]*')
      expect(matches(compilePattern([pattern]), text)).toBe(new RegExp(`^${body}${boundary ? '( [^]*)?' : ''}$`).test(text))
    }),
    { numRuns: 3_000 },
  )
})

test('couldMatch() is true for every text that some filling makes match', () => {
  const literal = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 3 })
  const filling = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 4 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*'), maxLength: 6 })
  fc.assert(
    fc.property(pattern, literal, filling, literal, (source, before, filled, after) => {
      const compiled = compilePattern([source])
      if (matches(compiled, `${before}${filled}${after}`)) expect(couldMatch(compiled, [before, undefined, after])).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('couldMatch() is false where no filling can match', () => {
  expect(couldMatch(compilePattern(['git push *']), ['npm ', undefined])).toBe(false)
  expect(couldMatch(compilePattern(['curl*']), ['echo ', undefined])).toBe(false)
  expect(couldMatch(compilePattern(['git push *']), ['git ', undefined])).toBe(true)
})
