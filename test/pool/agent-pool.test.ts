import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { type AgentPool, createAgentPool } from '../../src/pool/agent-pool.ts'
import { agentTask, eventSeen, quietHost } from './agent-tasks.ts'

const unruly = fileURLToPath(new URL('../fixtures/workers/unruly-agent.mjs', import.meta.url))
const broken = fileURLToPath(new URL('../fixtures/workers/broken-agent.mjs', import.meta.url))
const never = new AbortController().signal

let opened: AgentPool | undefined

function openPool({ threads = 1, spareThreads = 1, entry = unruly } = {}): AgentPool {
  opened = createAgentPool({ threads, spareThreads, heapMb: 32, entry })
  return opened
}

afterEach(() => opened?.close())

const endings: readonly [prompt: string, code: ErrorCode, text: string][] = [
  ['throw', 'WORKER_FAILED', 'thrown in the thread'],
  ['throw-later', 'WORKER_FAILED', 'thrown outside'],
  ['reject-later', 'WORKER_FAILED', 'rejected outside'],
  ['recurse', 'WORKER_FAILED', 'call stack'],
  ['exit', 'WORKER_FAILED', 'ended with code 0'],
  ['exit-seven', 'WORKER_FAILED', 'ended with code 7'],
  ['exit-later', 'WORKER_FAILED', 'ended with code 0'],
  ['eat', 'WORKER_OUT_OF_MEMORY', '32 MiB'],
  ['close-port', 'WORKER_FAILED', 'without a result'],
  ['return', 'WORKER_FAILED', 'without a result'],
  ['fail', 'MODEL_FAILED', 'refused'],
  ['nonsense', 'INTERNAL', 'Cannot read'],
  ['old-version', 'INTERNAL', 'version'],
  ['call-out-of-order', 'INTERNAL', 'call 5'],
]

test.each(endings)('run() of a thread that does "%s" fails with %s, and the next run is not touched', async (prompt, code, text) => {
  const pool = openPool()
  const error = await pool.run(agentTask({ prompt }), quietHost(), never).catch(error => error)
  expect(error).toMatchObject({ name: 'SkillcellError', code, message: expect.stringContaining(text) })
  await expect(pool.run(agentTask(), quietHost(), never)).resolves.toMatchObject({ text: 'done' })
})

test('run() gives the first of two last words', async () => {
  await expect(openPool().run(agentTask({ prompt: 'two-words' }), quietHost(), never)).resolves.toMatchObject({ text: 'first' })
})

test('run() keeps code, message and details of a fault', async () => {
  await expect(openPool().run(agentTask({ prompt: 'fail' }), quietHost(), never)).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: 'refused',
    details: { status: 500 },
  })
})

test.each(['loop', 'wait', 'block', 'eat-soon'])(
  'run() rejects with the reason of the signal while its thread does "%s", and the next is served',
  async prompt => {
    const pool = openPool()
    const controller = new AbortController()
    const { seen, onEvent } = eventSeen('agent.started')
    const ran = pool.run(agentTask({ prompt }), quietHost({ onEvent }), controller.signal)
    const behind = pool.run(agentTask(), quietHost(), never)
    await seen
    const reason = new Error('the caller left')
    controller.abort(reason)
    await expect(ran).rejects.toBe(reason)
    await expect(behind).resolves.toMatchObject({ text: 'done' })
  },
)

test('run() rejects at once for a signal that was aborted before, and starts nothing', async () => {
  const pool = openPool()
  await expect(pool.run(agentTask({ prompt: 'exit' }), quietHost(), AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  await expect(pool.run(agentTask(), quietHost(), never)).resolves.toMatchObject({ text: 'done' })
})

test('run() leaves the queue at its abort, and those behind keep their order', async () => {
  const pool = openPool()
  const first = new AbortController()
  const second = new AbortController()
  const { seen, onEvent } = eventSeen('agent.started')
  const order: string[] = []
  const running = pool.run(agentTask({ prompt: 'wait' }), quietHost({ onEvent }), first.signal)
  const leaving = pool.run(agentTask(), quietHost(), second.signal)
  const third = pool.run(agentTask(), quietHost(), never).then(() => order.push('third'))
  const fourth = pool.run(agentTask(), quietHost(), never).then(() => order.push('fourth'))
  await seen
  second.abort(new Error('left the queue'))
  await expect(leaving).rejects.toThrow('left the queue')
  first.abort(new Error('made room'))
  await expect(running).rejects.toThrow('made room')
  await Promise.all([third, fourth])
  expect(order).toEqual(['third', 'fourth'])
})

test('run() lets no more agents work at once than there are threads', async () => {
  const pool = openPool({ threads: 2, spareThreads: 3 })
  let atWork = 0
  let most = 0
  const callTool = async () => {
    atWork += 1
    most = Math.max(most, atWork)
    await new Promise(resolve => setImmediate(resolve))
    atWork -= 1
    return Promise.reject(new Error('enough'))
  }
  const controllers = Array.from({ length: 5 }, () => new AbortController())
  const runs = controllers.map(controller =>
    pool.run(
      agentTask({ prompt: 'call' }),
      quietHost({
        callTool: async (): Promise<never> => {
          try {
            return await callTool()
          } finally {
            controller.abort(new Error('seen'))
          }
        },
      }),
      controller.signal,
    ),
  )
  const settled = await Promise.allSettled(runs)
  expect(settled.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(2)
})

test.each(['abort', 'exit'])('a tool call under way gets an aborted signal at the %s of its run', async how => {
  const pool = openPool()
  const controller = new AbortController()
  let called: () => void = () => {}
  const underWay = new Promise<void>(resolve => {
    called = resolve
  })
  let told: AbortSignal | undefined
  const ran = pool.run(
    agentTask({ prompt: how === 'exit' ? 'call-and-exit' : 'call' }),
    quietHost({
      callTool: (_, signal) => {
        told = signal
        called()
        return new Promise(() => {})
      },
    }),
    controller.signal,
  )
  await underWay
  const reason = new Error('the caller left')
  if (how === 'abort') controller.abort(reason)
  const error = await ran.catch(error => error)
  expect(told?.aborted).toBe(true)
  if (how === 'abort') expect([error, told?.reason]).toEqual([reason, reason])
  else expect([error, told?.reason]).toMatchObject([{ code: 'WORKER_FAILED' }, { code: 'WORKER_FAILED' }])
})

test('run() of a thread that cannot be loaded fails with WORKER_FAILED, each time', async () => {
  const pool = openPool({ entry: broken, spareThreads: 2 })
  for (let time = 0; time < 3; time += 1)
    await expect(pool.run(agentTask(), quietHost(), never)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
})

test.each([0, 1, 3])('run() of many runs with %s spare threads answers each', async spareThreads => {
  const pool = openPool({ threads: 2, spareThreads })
  const answers = await Promise.all(Array.from({ length: 5 }, () => pool.run(agentTask(), quietHost(), never)))
  expect(answers.map(({ text }) => text)).toEqual(Array(5).fill('done'))
})

test('a fault of the listener ends the run', async () => {
  const onEvent = () => {
    throw new Error('cannot listen')
  }
  await expect(openPool().run(agentTask({ prompt: 'wait' }), quietHost({ onEvent }), never)).rejects.toMatchObject({
    code: 'INTERNAL',
  })
})

test('close() ends runs under way and in the queue with CLOSED, refuses new ones, and may be called again', async () => {
  const pool = openPool()
  const { seen, onEvent } = eventSeen('agent.started')
  const runs = [pool.run(agentTask({ prompt: 'loop' }), quietHost({ onEvent }), never), pool.run(agentTask(), quietHost(), never)]
  const refused = Promise.all(runs.map(run => expect(run).rejects.toMatchObject({ code: 'CLOSED' })))
  await seen
  await pool.close()
  await refused
  await expect(pool.run(agentTask(), quietHost(), never)).rejects.toMatchObject({ code: 'CLOSED' })
  await pool.close()
})

test('ready() resolves when the spare threads are loaded, and also when they cannot be', async () => {
  await openPool({ spareThreads: 2 }).ready()
  await opened?.close()
  await openPool({ entry: broken }).ready()
})
