// What doctor says of this machine does not contradict itself: which limits the kernel holds, and which are looked at.

import { expect, test } from 'vitest'
import { hostFact, limitsFact, sandboxFacts } from '../../src/shell/sandbox-facts.ts'

test.each([
  // sandbox, controllers, user, all hold, by the kernel, by looking
  ['bubblewrap', ['memory', 'pids', 'cpu'], 0, true, ['memory of a command', 'processes of a command'], []],
  ['bubblewrap', ['pids', 'cpu'], 0, true, ['processes of a command'], ['memory of a command']],
  ['bubblewrap', ['memory'], 0, false, ['memory of a command'], ['processes of a command']],
  ['bubblewrap', [], 1_000, true, ['processes of a command'], ['memory of a command']],
  ['bubblewrap', [], 0, false, [], ['memory of a command', 'processes of a command']],
  ['none', ['memory', 'pids'], 1_000, false, [], ['memory of a command', 'processes of a command']],
] as const)('limitsFact() of %s with %j as user %i', (sandbox, groups, userId, holds, byKernel, byLooking) => {
  const fact = limitsFact(sandbox, new Set(groups), userId)
  expect(fact.holds).toBe(holds)
  const [kernel = '', looked = ''] = fact.detail.split('; ')
  expect(kernel).toMatch(/^held by the kernel: /)
  expect(looked).toMatch(/^looked at every 250 ms: CPU time of a command/)
  for (const what of ['memory of a command', 'processes of a command'] as const) {
    expect(kernel.includes(what), what).toBe((byKernel as readonly string[]).includes(what))
    expect(looked.includes(what), what).toBe((byLooking as readonly string[]).includes(what))
  }
})

test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'sandboxFacts() notes that we are root, and does not call it missing',
  () => {
    expect(sandboxFacts().find(fact => fact.name === 'user')).toMatchObject({ holds: true, isNote: true })
  },
)

test('hostFact() says what a cell without dash costs', () => {
  expect(hostFact('/bin/dash')).toMatchObject({ holds: true, detail: '/bin/dash' })
  expect(hostFact('/bin/bash')).toMatchObject({ holds: true, detail: expect.stringContaining('install dash') })
})
