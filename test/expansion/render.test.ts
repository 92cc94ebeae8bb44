import { describe, expect, test } from 'vitest'
import type { CommandOutcome, ExpansionPlan } from '../../src/expansion/plan.ts'
import { renderPlan } from '../../src/expansion/render.ts'

const plan: ExpansionPlan = {
  segments: [
    { type: 'text', text: '\n\nA ' },
    { type: 'command', index: 0 },
    { type: 'text', text: ' B\n' },
  ],
  commands: [],
  diagnostics: [],
}
const options = { kind: 'command', baseDir: '/s', dialect: 'skillcell' } as const

describe('renderPlan() puts in', () => {
  test.each<[string, CommandOutcome, string]>([
    ['an output', { status: 'ok', output: 'x' }, 'A x B\n'],
    ['nothing', { status: 'ok', output: '' }, 'A  B\n'],
    ['an output without its last line ends', { status: 'ok', output: ' x\r\n\ny\n\n' }, 'A  x\r\n\ny B\n'],
    ['patterns as they are', { status: 'ok', output: "$& $1 $ARGUMENTS !`x` $'" }, "A $& $1 $ARGUMENTS !`x` $' B\n"],
    ['a failure', { status: 'failed', exitCode: 3, output: 'no' }, 'A <error>Command failed (exit code 3): no</error> B\n'],
    ['a time-out', { status: 'timed-out', exitCode: 124, output: 'p' }, 'A <error>Command failed (exit code 124): p</error> B\n'],
    ['the switch', { status: 'disabled' }, 'A [shell command execution disabled by policy] B\n'],
    ['another reason', { status: 'disabled', why: 'it is closed' }, 'A [shell command not run: it is closed] B\n'],
  ])('%s', (_, outcome, wanted) => {
    expect(renderPlan(plan, [outcome], options)).toBe(wanted)
  })
})

test('renderPlan() names the folder of a skill and of nothing else', () => {
  const outcomes: CommandOutcome[] = [{ status: 'ok', output: 'x' }]
  expect(renderPlan(plan, outcomes, { ...options, kind: 'skill' })).toBe('Base directory for this skill: /s\n\nA x B\n')
  expect(renderPlan(plan, outcomes, { ...options, kind: 'agent' })).toBe('A x B\n')
})

test('renderPlan() trims both ends under wave', () => {
  expect(renderPlan(plan, [{ status: 'ok', output: ' \n x \n' }], { ...options, dialect: 'wave' })).toBe('A x B\n')
})
