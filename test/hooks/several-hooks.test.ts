// Several hooks of one event: how what they say is joined, and what a rewritten input means for the others.

import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { HookEvent } from '../../src/hooks/event.ts'
import type { HookCommandRequest } from '../../src/hooks/run-hooks.ts'
import { exited, fakeSession, handlersOf, never, skill } from './support.ts'

const call = (command: string, toolName = 'Bash'): HookEvent => ({ name: 'PreToolUse', toolName, toolInput: { command }, toolUseId: 'c' })
const answer = (fields: object): string => JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })
const inputOf = (request: HookCommandRequest): unknown => JSON.parse(request.stdin).tool_input.command

const disagreeing: readonly [answers: readonly string[], decision: string, decidedBy: readonly string[]][] = [
  [['allow', 'allow'], 'pass', []],
  [['allow', 'ask'], 'ask', ['s1']],
  [['deny', 'allow'], 'block', ['s0']],
  [['ask', 'deny', 'allow'], 'block', ['s1']],
  [['deny', 'ask', 'deny'], 'block', ['s0', 's2']],
]
test.each(disagreeing)('fire() joins %j', async (answers, decision, decidedBy) => {
  const { hooks } = fakeSession({
    command: ({ script }) =>
      exited(0, answer({ permissionDecision: answers[Number(script)], permissionDecisionReason: `r${script}`, additionalContext: script })),
  })
  answers.forEach((_, at) => {
    hooks.register({ ...skill, id: `s${at}` }, handlersOf('PreToolUse', [{ command: String(at) }]))
  })
  const outcome = await hooks.fire(call('a'), never())
  expect(outcome).toMatchObject({ decision, decidedBy, additionalContext: answers.map((_, at) => at).join('\n\n') })
  expect(outcome.reason).toBe(decidedBy.length === 0 ? undefined : decidedBy.map(id => id.replace('s', 'r')).join('\n'))
})

test('fire() says how many had more to say than a model should read', async () => {
  const { hooks } = fakeSession({ command: ({ script }) => exited(0, answer({ additionalContext: script })) })
  hooks.register(
    skill,
    handlersOf(
      'PreToolUse',
      Array.from({ length: 6 }, (_, at) => ({ command: String(at) })),
    ),
  )
  const { additionalContext } = await hooks.fire(call('a'), never())
  expect(additionalContext).toBe('0\n\n1\n\n2\n\n3\n\n[2 more hooks had something to say]')
})

test('fire() runs at most eight side by side, and answers in their order', async () => {
  let running = 0
  let most = 0
  const { hooks } = fakeSession({
    command: async ({ script }) => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running -= 1
      return exited(0, answer({ permissionDecision: 'deny', permissionDecisionReason: script }))
    },
  })
  hooks.register(
    skill,
    handlersOf(
      'PreToolUse',
      Array.from({ length: 20 }, (_, at) => ({ command: String(at) })),
    ),
  )
  const warnings: unknown[] = []
  const warn = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const signal = never()
  const { reason } = await hooks.fire(call('a'), signal)
  await new Promise(setImmediate)
  expect([warnings, getEventListeners(signal, 'abort')]).toEqual([[], []])
  expect(most).toBe(8)
  expect(reason?.split('\n')).toEqual(Array.from({ length: 20 }, (_, at) => String(at)))
})

const rewrite = (command: string): string => answer({ permissionDecision: 'allow', updatedInput: { command } })

test('fire() hands on a rewritten input, and asks those who did not write it', async () => {
  const seen: unknown[] = []
  const { hooks } = fakeSession({
    command: request => {
      seen.push([request.script, inputOf(request)])
      if (request.script === 'writer') return exited(0, rewrite('ls'))
      return exited(inputOf(request) === 'danger' ? 2 : 0, '')
    },
  })
  hooks.register(skill, handlersOf('PreToolUse', [{ command: 'writer' }, { command: 'guard' }]))
  const outcome = await hooks.fire(call('rm'), never())
  expect(outcome).toMatchObject({ decision: 'pass', updatedInput: { command: 'ls' } })
  expect(seen).toEqual([
    ['writer', 'rm'],
    ['guard', 'rm'],
    ['guard', 'ls'],
  ])
})

test('fire() blocks a rewritten input that another hook forbids, also one that is for it only now, and one with once', async () => {
  for (const guard of [{}, { if: 'Bash(danger)' }, { once: true }]) {
    const { hooks } = fakeSession({
      matchesRule: (_, { input }) => JSON.stringify(input).includes('danger'),
      command: request =>
        request.script === 'writer' ? exited(0, rewrite('danger')) : exited(inputOf(request) === 'danger' ? 2 : 0, 'no danger'),
    })
    hooks.register(skill, handlersOf('PreToolUse', [{ command: 'writer' }, { command: 'guard', ...guard }]))
    const outcome = await hooks.fire(call('ls'), never())
    expect(outcome).toMatchObject({ decision: 'block', reason: 'no danger' })
    expect(outcome.updatedInput).toBeUndefined()
  }
})

test('fire() refuses two that rewrite an input differently, and takes two that agree', async () => {
  for (const [second, decision] of [
    ['b', 'block'],
    ['a', 'pass'],
  ] as const) {
    const { hooks } = fakeSession({ command: ({ script }) => exited(0, rewrite(script.slice(-1))) })
    hooks.register(skill, handlersOf('PreToolUse', [{ command: 'one a' }, { command: `two ${second}` }]))
    const outcome = await hooks.fire(call('ls'), never())
    expect(outcome.decision).toBe(decision)
    expect(outcome.updatedInput).toEqual(decision === 'pass' ? { command: 'a' } : undefined)
    if (decision === 'block') expect(outcome).toMatchObject({ decidedBy: ['guard'], reason: expect.stringContaining('different ways') })
  }
})

test('fire() keeps a deny beside a rewritten input', async () => {
  const { hooks } = fakeSession({ command: ({ script }) => (script === 'w' ? exited(0, rewrite('x')) : exited(2, 'no')) })
  hooks.register(skill, handlersOf('PreToolUse', [{ command: 'w' }, { command: 'd' }]))
  expect(await hooks.fire(call('ls'), never())).toMatchObject({ decision: 'block', reason: 'no' })
})
