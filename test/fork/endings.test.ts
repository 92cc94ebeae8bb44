// However a run with an agent ends, it ends once, with its reason, and the runtime goes on.

import { expect, test } from 'vitest'
import { calls, createForkWorkspace, type ForkWorkspace, says, tell } from './support.ts'

interface Ending {
  readonly what: string
  readonly model: (workspace: ForkWorkspace) => string
  readonly options?: { readonly deadlineMs?: number }
  readonly limits?: Record<string, number>
  /** The event at which the run is aborted or the runtime closed. */
  readonly at?: { readonly event: string; readonly act: 'abort' | 'close' }
  readonly outcome: object
}

const waits = { delayMs: 60_000, reply: [{ text: 'late' }] }
const sleeps = calls(['Bash', { command: 'sleep 60' }])

const endings: readonly Ending[] = [
  { what: 'a value', model: workspace => workspace.script(says('done')), outcome: { reason: 'completed' } },
  {
    what: 'a fault of the model',
    model: workspace => workspace.script({ error: { message: 'overloaded', status: 529 } }),
    outcome: { reason: 'failed', error: { code: 'MODEL_FAILED' } },
  },
  {
    what: 'a script that does not match',
    model: workspace => workspace.script({ expect: { lastUserIncludes: 'something else' }, ...says('x') }),
    outcome: { reason: 'failed', error: { code: 'MODEL_MISMATCH' } },
  },
  {
    what: 'a script with turns left',
    model: workspace => workspace.script(says('one'), says('two')),
    outcome: { reason: 'failed', error: { code: 'MODEL_MISMATCH' } },
  },
  {
    what: 'a script that is none',
    model: workspace => workspace.script({ unknown: true }),
    outcome: { reason: 'failed', error: { code: 'MODEL_UNAVAILABLE' } },
  },
  {
    what: 'an abort in a model call',
    model: workspace => workspace.script(waits),
    at: { event: 'agent.started', act: 'abort' },
    outcome: { reason: 'aborted', error: { code: 'ABORTED' } },
  },
  {
    what: 'an abort in a tool',
    model: workspace => workspace.script(sleeps, says('x')),
    at: { event: 'tool.started', act: 'abort' },
    outcome: { reason: 'aborted', error: { code: 'ABORTED' } },
  },
  {
    what: 'close() in a model call',
    model: workspace => workspace.script(waits),
    at: { event: 'agent.started', act: 'close' },
    outcome: { reason: 'aborted' },
  },
  {
    what: 'close() in a tool',
    model: workspace => workspace.script(sleeps, says('x')),
    at: { event: 'tool.started', act: 'close' },
    outcome: { reason: 'aborted' },
  },
  {
    what: 'the deadline of the run',
    model: workspace => workspace.script(waits),
    options: { deadlineMs: 3_000 },
    outcome: { reason: 'timed-out', error: { code: 'TIMED_OUT' } },
  },
  {
    what: 'the wall time of the agent',
    model: workspace => workspace.script(waits),
    limits: { agentTimeoutMs: 100 },
    outcome: { reason: 'timed-out', error: { code: 'TIMED_OUT' } },
  },
  {
    what: 'its last turn used up',
    model: workspace => workspace.script(calls(['Read', { file_path: 'a.txt' }]), calls(['Read', { file_path: 'a.txt' }])),
    limits: { maxAgentTurns: 2 },
    outcome: { reason: 'completed', result: { agent: { ended: 'max-turns', turns: 2 } } },
  },
  {
    what: 'its tokens used up',
    model: workspace => workspace.script({ ...calls(['Read', { file_path: 'a.txt' }]), usage: { inputTokens: 900, outputTokens: 200 } }),
    limits: { maxAgentTokens: 1_000 },
    outcome: { reason: 'completed', result: { agent: { ended: 'max-tokens' } } },
  },
]

test.each(endings)('a run with an agent ends once after $what', async ({ model, options = {}, limits = {}, at, outcome }) => {
  const workspace = createForkWorkspace()
  workspace.write('a.txt', 'x')
  workspace.skill('work', 'Work.', 'context: fork\n')
  const runtime = await workspace.open({ allow: ['Bash(sleep *)'], limits: { killGraceMs: 100, ...limits } })
  const stop = new AbortController()
  const run = runtime.run('/work', { model: model(workspace), signal: stop.signal, ...options })
  const types: string[] = []
  let closing: Promise<void> | undefined
  for await (const event of run) {
    types.push(event.type)
    if (event.type !== at?.event) continue
    if (at.act === 'abort') stop.abort()
    else closing = runtime.close()
  }
  expect(await run.result).toMatchObject(outcome)
  expect(types.filter(type => type === 'run.finished')).toHaveLength(1)
  expect(types.at(-1)).toBe('run.finished')
  await closing
  // The next run has the same limits, and 100 ms are too few for any.
  if (closing || limits.agentTimeoutMs !== undefined) return
  const next = await tell(runtime, '/work', { model: workspace.script(says('still here')) })
  expect(next.outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'still here' } } })
})

test('a fork waits its turn, and one that is aborted while it waits never starts', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('work', 'Work.', 'context: fork\n')
  const runtime = await workspace.open({ limits: { agentThreads: 1 } })
  const first = new AbortController()
  const second = new AbortController()
  const held = runtime.run('/work', { model: workspace.script(waits), signal: first.signal })
  for await (const event of held) if (event.type === 'agent.started') break
  const queued = runtime.run('/work', { model: workspace.script(says('x')), signal: second.signal })
  for await (const event of queued) if (event.type === 'skill.expanded') break
  second.abort()
  expect(await queued.result).toMatchObject({ reason: 'aborted' })
  const types: string[] = []
  for await (const event of queued) types.push(event.type)
  expect(types).not.toContain('agent.started')
  first.abort()
  expect(await held.result).toMatchObject({ reason: 'aborted' })
})
