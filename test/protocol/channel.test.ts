import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import type { AgentCall } from '../../src/protocol/agent-messages.ts'
import type { AgentEvent, AgentOutcome } from '../../src/protocol/agent-task.ts'
import { openThreadEnd, type ThreadEnd } from '../../src/protocol/channel.ts'
import { type AgentHost, type HostEnd, openHostEnd, PortClosed } from '../../src/protocol/channel-host.ts'
import { agentTask, quietHost } from '../pool/agent-tasks.ts'

const outcome: AgentOutcome = { text: 'done', ended: 'completed', turns: 1, toolCalls: 0, inputTokens: 1, outputTokens: 1 }
const read: AgentCall = { method: 'tool', request: { callId: 'c', tool: 'Read', input: {} } }
const never = new AbortController().signal
const version = 1

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

interface Pair {
  readonly host: HostEnd
  readonly thread: ThreadEnd
  readonly hostPort: MessagePort
  readonly threadPort: MessagePort
}

function openPair(more: Partial<AgentHost> = {}): Pair {
  const { port1: hostPort, port2: threadPort } = new MessageChannel()
  ports.push(hostPort, threadPort)
  return { thread: openThreadEnd(threadPort), host: openHostEnd(hostPort, agentTask(), quietHost(more)), hostPort, threadPort }
}

/** Resolves when a signal is aborted. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(signal.reason)
    else signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })
}

test('a task goes over, events arrive before the call that follows them, the outcome comes back', async () => {
  const order: string[] = []
  const { host, thread } = openPair({
    onEvent: event => void order.push(event.type),
    callTool: async request => {
      order.push(request.tool)
      return { type: 'text', output: 'content', isError: false }
    },
    onStop: async (agentId, soFar) => {
      order.push(`stop ${agentId} ${soFar.text}`)
      return { continueWith: 'go on' }
    },
  })
  await expect(thread.task).resolves.toEqual(agentTask())
  thread.emit({ type: 'turn.recorded', line: '{}' })
  await expect(thread.call(read, never)).resolves.toEqual({ method: 'tool', value: { type: 'text', output: 'content', isError: false } })
  await expect(thread.call({ method: 'stop', outcome }, never)).resolves.toEqual({ method: 'stop', value: { continueWith: 'go on' } })
  thread.emit({ type: 'agent.finished', ended: 'completed', turns: 1 })
  await thread.finish(outcome)
  await expect(host.outcome).resolves.toEqual(outcome)
  expect(order).toEqual(['turn.recorded', 'Read', 'stop undefined done', 'agent.finished'])
})

test('a fault of an act keeps its code, and the agent its life', async () => {
  let fail = true
  const { thread } = openPair({
    callTool: async () => {
      if (fail) throw new SkillcellError('AUDIT_FAILED', 'disk full', { details: { path: 'x' } })
      return { type: 'text', output: '', isError: false }
    },
  })
  await expect(thread.call(read, never)).rejects.toMatchObject({ code: 'AUDIT_FAILED', message: 'disk full', details: { path: 'x' } })
  fail = false
  await expect(thread.call(read, never)).resolves.toMatchObject({ method: 'tool' })
})

test('answers reach the calls that they belong to, in whatever order they come', async () => {
  const open: (() => void)[] = []
  const { thread } = openPair({
    callTool: ({ callId }) =>
      new Promise(resolve => {
        open.push(() => resolve({ type: 'text', output: callId, isError: false }))
        if (open.length === 3) for (const answer of open.toReversed()) answer()
      }),
  })
  const calls = ['a', 'b', 'c'].map(callId => thread.call({ method: 'tool', request: { callId, tool: 'Read', input: {} } }, never))
  await expect(Promise.all(calls)).resolves.toMatchObject(['a', 'b', 'c'].map(output => ({ value: { output } })))
})

test('a call that is given up rejects with the reason, ends the act, and its late answer is nobody’s', async () => {
  const controller = new AbortController()
  let answer: () => void = () => {}
  let act: (signal: AbortSignal) => void = () => {}
  const acting = new Promise<AbortSignal>(resolve => {
    act = resolve
  })
  const { thread, host } = openPair({
    callTool: (_, signal) => {
      act(signal)
      return new Promise(resolve => {
        answer = () => resolve({ type: 'text', output: 'late', isError: false })
      })
    },
  })
  const call = thread.call(read, controller.signal)
  const signal = await acting
  controller.abort('enough')
  await expect(call).rejects.toBe('enough')
  await expect(aborted(signal)).resolves.toMatchObject({ code: 'ABORTED' })
  answer()
  await thread.finish(outcome)
  await expect(host.outcome).resolves.toEqual(outcome)
  expect(thread.signal.aborted).toBe(false)
})

test('end() settles the outcome at once and tells the thread, whose calls and events end with the cause', async () => {
  const reason = new SkillcellError('TIMED_OUT', 'too late')
  let called: (signal: AbortSignal) => void = () => {}
  const acting = new Promise<AbortSignal>(resolve => {
    called = resolve
  })
  const { thread, host } = openPair({
    callTool: (_, signal) => {
      called(signal)
      return new Promise(() => {})
    },
  })
  const call = thread.call(read, never)
  const signal = await acting
  host.end(reason)
  host.end(new Error('a later cause'))
  await expect(host.outcome).rejects.toBe(reason)
  expect(signal.reason).toBe(reason)
  await expect(call).rejects.toMatchObject({ code: 'TIMED_OUT' })
  expect(thread.signal.reason).toMatchObject({ code: 'TIMED_OUT' })
  await expect(thread.emit({ type: 'text.delta', text: 'x' })).rejects.toMatchObject({ code: 'TIMED_OUT' })
  await expect(thread.call(read, never)).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test.each(['host', 'thread'])('a port that the %s closes ends everything that waits', async side => {
  let called: () => void = () => {}
  const acting = new Promise<void>(resolve => {
    called = resolve
  })
  const { thread, host, hostPort, threadPort } = openPair({
    callTool: () => {
      called()
      return new Promise(() => {})
    },
  })
  const call = thread.call(read, never)
  call.catch(() => {})
  await acting
  if (side === 'host') hostPort.close()
  else threadPort.close()
  await expect(host.outcome).rejects.toBeInstanceOf(PortClosed)
  await expect(call).rejects.toMatchObject({ code: 'WORKER_FAILED' })
  await expect(thread.call(read, never)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
})

test.each([
  ['nonsense', 'nonsense'],
  ['another version', { version: 2, type: 'credit', count: 1 }],
  ['an answer to no call', { version, type: 'call.failed', id: 7, error: { code: 'INTERNAL', message: '', details: {} } }],
  ['a second start', { version, type: 'agent.start', task: agentTask() }],
])('the thread’s end is over with INTERNAL at %s', async (_, message) => {
  const { thread, hostPort } = openPair()
  await thread.task
  hostPort.postMessage(message)
  await expect(aborted(thread.signal)).resolves.toMatchObject({ code: 'INTERNAL' })
})

test.each([
  ['nonsense', 'nonsense'],
  ['another version', { version: 2, type: 'agent.finished', outcome }],
  ['an unknown event', { version, type: 'agent.event', events: [{ type: 'run.finished' }] }],
  ['a call with the wrong number', { version, type: 'call.request', id: 1, call: read }],
])('the host’s end is over with INTERNAL at %s', async (_, message) => {
  const { host, threadPort } = openPair()
  threadPort.postMessage(message)
  await expect(host.outcome).rejects.toMatchObject({ code: 'INTERNAL' })
})

test('the thread’s end before its start rejects the task', async () => {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  const thread = openThreadEnd(port2)
  port1.close()
  await expect(thread.task).rejects.toMatchObject({ code: 'WORKER_FAILED' })
})

test('an answer that cannot cross ends the run', async () => {
  const { host, thread } = openPair({ onStop: async () => ({ continueWith: 'x', more: () => {} }) })
  thread.call({ method: 'stop', outcome }, never).catch(() => {})
  await expect(host.outcome).rejects.toMatchObject({ code: 'INTERNAL' })
})

test.each(['throws', 'rejects'])('a listener that %s ends the run, and no later event is told', async how => {
  let told = 0
  const { host, thread } = openPair({
    onEvent: () => {
      told += 1
      if (how === 'rejects') return Promise.reject(new Error('cannot listen'))
      throw new Error('cannot listen')
    },
  })
  thread.emit({ type: 'turn.recorded', line: '1' })
  thread.emit({ type: 'turn.recorded', line: '2' })
  await expect(host.outcome).rejects.toMatchObject({ code: 'INTERNAL' })
  expect(told).toBe(1)
})

test('100,000 deltas arrive whole with few messages under way, however slowly they are read', async () => {
  const deltas = 100_000
  let heard = 0
  let sent = 0
  let handled = 0
  let most = 0
  const { host, thread, threadPort } = openPair({
    onEvent: async event => {
      if (event.type === 'text.delta') heard += event.text.length
      // Slower than the producer: it makes many in one turn of the loop.
      await new Promise(resolve => setImmediate(resolve))
      handled += 1
    },
  })
  const post = threadPort.postMessage.bind(threadPort)
  threadPort.postMessage = (message: unknown) => {
    sent += 1
    most = Math.max(most, sent - handled)
    post(message)
  }
  await thread.task
  let waits = 0
  for (let index = 0; index < deltas; index += 1) {
    const behind = thread.emit({ type: 'text.delta', text: 'word ' })
    if (!behind) continue
    waits += 1
    await behind
  }
  await thread.finish(outcome)
  await expect(host.outcome).resolves.toEqual(outcome)
  expect(heard).toBe(deltas * 5)
  expect(waits).toBeGreaterThan(0)
  // The credit, and the last word.
  expect(most).toBeLessThanOrEqual(17)
})

test('a listener that takes its time holds back the events after, and the last word', async () => {
  const order: string[] = []
  let open: () => void = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const onEvent = async (event: AgentEvent): Promise<void> => {
    if (event.type !== 'turn.recorded') return
    if (event.line === '1') await gate
    order.push(event.line)
  }
  const { host, thread } = openPair({ onEvent })
  for (const line of ['1', '2', '3']) thread.emit({ type: 'turn.recorded', line })
  await thread.finish(outcome)
  const ended = host.outcome.then(() => order.push('end'))
  await new Promise(resolve => setImmediate(resolve))
  expect(order).toEqual([])
  open()
  await ended
  expect(order).toEqual(['1', '2', '3', 'end'])
})
