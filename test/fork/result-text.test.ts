import { expect, test } from 'vitest'
import { nestedTextOf } from '../../src/fork/result-text.ts'

test.each([
  ['text', 'completed', 'text'],
  ['', 'completed', '(Skill produced no output)'],
  [' \n', 'completed', '(Skill produced no output)'],
  ['so far', 'max-turns', 'so far\n\n[The agent ended early: max-turns]'],
  ['', 'refusal', '(Skill produced no output)\n\n[The agent ended early: refusal]'],
] as const)('nestedTextOf() of %j that ended by %s', (text, ended, wanted) => {
  expect(nestedTextOf({ text, ended })).toBe(wanted)
})
