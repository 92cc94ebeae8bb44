import { expect, test } from 'vitest'
import { dialects } from '../../src/dialect.ts'
import { endsTheInvocation } from '../../src/failing-command.ts'

const failures: readonly [script: string, exitCode: number, ends: boolean][] = [
  ['grep x y', 1, false],
  ['grep x y', 2, true],
  ['/usr/bin/grep x y', 1, true],
  ['cat f | grep x', 1, false],
  ['grep x f | cat', 1, true],
  ['git diff --exit-code', 1, false],
  ['git grep x', 1, false],
  ['git push', 1, true],
  ['git', 1, true],
  ['[ -e x ]', 1, false],
  ['[[ -e x ]]', 1, false],
  ['test -e x && grep x y', 1, false],
  ['make && grep x y', 1, true],
  ['make; grep x y', 1, false],
  ['grep x y; make', 1, true],
  ['$x y', 1, true],
  ['(grep x y)', 1, true],
  ['grep "', 1, true],
  ['', 1, true],
  ['make', 124, true],
]

test.each(failures)('endsTheInvocation() under "claude" of %j with exit code %i: %s', (script, exitCode, ends) => {
  expect(endsTheInvocation(dialects.claude, script, exitCode)).toBe(ends)
})

test('endsTheInvocation() never under the other dialects', () => {
  for (const dialect of [dialects.skillcell, dialects.wave]) expect(endsTheInvocation(dialect, 'make', 2)).toBe(false)
})
