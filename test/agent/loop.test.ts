import { expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import { play, resultsIn, scriptedModel } from './scripted.ts'

const readCall = { tool: 'Read', input: { file_path: 'a.md' } }
test('runAgent() gives the model its task, then all that was said, unchanged by what came later', async () => {
  const played = play({
    turns: [{ say: ['looking', readCall], providerData: { signature: 's' } }, { say: ['done'] }],
    task: { system: 'You help.', prompt: 'the task', tools: ['Read'], effort: 'high' },
  })
  await played.outcome
  const [first, second] = played.requests
  expect(first).toMatchObject({
    system: 'You help.',
    messages: [{ role: 'user', text: 'the task' }],
    effort: 'high',
    maxOutputTokens: 1_000,
  })
  expect(first?.messages).toHaveLength(1)
  expect(first?.tools.map(({ name }) => name)).toEqual(['Read'])
  expect(first?.tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['file_path'] })
  expect(second?.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      text: 'looking',
      toolCalls: [{ id: 'call-1-1', name: 'Read', input: { file_path: 'a.md' } }],
      providerData: { signature: 's' },
    },
    { role: 'tool', results: [{ id: 'call-1-1', name: 'Read', output: 'did Read', isError: false }] },
  ])
})

test.each([
  ['high', 'high'],
  ['4096', 4096],
  ['sometimes', undefined],
  [undefined, undefined],
])('runAgent() reads the effort %j as %j', async (effort, wanted) => {
  const played = play({ turns: [{ say: [] }], task: effort === undefined ? {} : { effort } })
  await played.outcome
  expect(played.requests[0]?.effort).toBe(wanted)
})

test('runAgent() tells the model in the Skill tool which skills there are', async () => {
  const played = play({ turns: [{ say: [] }], task: { tools: ['Skill'], skillListing: '# Available Skills' } })
  await played.outcome
  expect(played.requests[0]?.tools[0]?.description).toBe('Invokes a skill.\n\n# Available Skills')
})

test('runAgent() tells what it does in order, with the main parameter of a call', async () => {
  const played = play({ turns: [{ say: ['hm', readCall] }, { say: ['done'] }] })
  await played.outcome
  expect(played.events.map(event => (event.type === 'tool.finished' ? { ...event, durationMs: 0 } : event))).toEqual([
    { type: 'agent.started', agentType: 'general-purpose', skill: 'review', model: 'script:test' },
    { type: 'text.delta', text: 'hm' },
    { type: 'usage', inputTokens: 10, outputTokens: 1, totalTokens: 11, totalToolCalls: 0 },
    { type: 'tool.started', callId: 'call-1-1', tool: 'Read', parameter: 'a.md' },
    { type: 'tool.finished', callId: 'call-1-1', tool: 'Read', isError: false, outputChars: 8, durationMs: 0 },
    { type: 'text.delta', text: 'done' },
    { type: 'usage', inputTokens: 10, outputTokens: 1, totalTokens: 22, totalToolCalls: 1 },
    { type: 'agent.finished', ended: 'completed', turns: 2 },
  ])
})

test('runAgent() goes on with the reason of a hook, at most 8 times', async () => {
  const turns = Array.from({ length: 9 }, (_, turn) => ({ say: [`turn ${turn}`] }))
  const played = play({ turns, stop: () => ({ continueWith: 'not yet' }) })
  await expect(played.outcome).resolves.toMatchObject({ text: 'turn 8', turns: 9, ended: 'completed' })
  expect(played.stops).toHaveLength(8)
  expect(played.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'not yet' })
})

test('runAgent() asks the hook with the outcome so far', async () => {
  const played = play({ turns: [{ say: ['done'] }] })
  await played.outcome
  expect(played.stops).toEqual([{ agentId: undefined, outcome: await played.outcome }])
})

test('runAgent() records each turn, when it is asked to', async () => {
  const turns = [{ say: [readCall] }, { say: ['done'] }]
  const lines = async (isRecording: boolean) => {
    const played = play({ turns, task: { isRecording } })
    await played.outcome
    return played.events.flatMap(event => (event.type === 'turn.recorded' ? [event.line] : []))
  }
  expect(await lines(true)).toEqual(['["tool-call","finish"]', '["text","finish"]'])
  expect(await lines(false)).toEqual([])
})

test('runAgent() throws what the model throws; the text so far was told', async () => {
  const fault = new SkillcellError('MODEL_FAILED', 'gone')
  const played = play({ turns: [{ say: ['half'], fault }] })
  await expect(played.outcome).rejects.toBe(fault)
  expect(played.events.at(-1)).toEqual({ type: 'text.delta', text: 'half' })
})

test('runAgent() refuses a turn without an end', async () => {
  const endless = { ...scriptedModel([]), async *stream() {} }
  const played = play({ turns: [], parts: { createModel: () => endless } })
  await expect(played.outcome).rejects.toMatchObject({ code: 'MODEL_FAILED' })
})

test('runAgent() refuses an end before that of the script', async () => {
  const left = { ...scriptedModel([{ say: ['done'] }]), unusedTurns: () => 2 }
  await expect(play({ turns: [], parts: { createModel: () => left } }).outcome).rejects.toMatchObject({ code: 'MODEL_MISMATCH' })
})

test('runAgent() tells of retries, without the key', async () => {
  const model = { provider: 'anthropic', modelId: 'm', apiKey: 'sk-secret-key' }
  const retry = { attempt: 1, delayMs: 5, reason: 'status 401 for sk-secret-key' }
  const played = play({ turns: [{ say: [], retry }], task: { model } })
  await played.outcome
  expect(played.events[1]).toEqual({ type: 'model.retried', attempt: 1, delayMs: 5, reason: 'status 401 for [key]' })
})

test.each([{}, { provider: 'script' }, { provider: 'script', file: 'f', content: '', apiKey: 'sk-secret-key' }])(
  'runAgent() refuses the connection %j and shows nothing of it',
  async model => {
    const error = await play({ turns: [], task: { model } }).outcome.catch(error => error)
    expect(error).toMatchObject({ code: 'INTERNAL' })
    expect(String(error.message)).not.toContain('sk-secret-key')
  },
)

test('runAgent() waits for the host before it reads more of the model', async () => {
  let release: () => void = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  let pulled = 0
  const model = {
    ...scriptedModel([]),
    async *stream() {
      for (const text of ['a', 'b', 'c']) {
        pulled += 1
        yield { type: 'text' as const, text }
      }
      yield { type: 'finish' as const, reason: 'end' as const, usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  let waits: () => void = () => {}
  const waiting = new Promise<void>(resolve => {
    waits = resolve
  })
  const { outcome } = play({
    turns: [],
    parts: {
      createModel: () => model,
      host: {
        emit: event => {
          if (event.type !== 'text.delta' || event.text !== 'b') return undefined
          waits()
          return gate
        },
        callTool: async () => ({ type: 'text', output: '', isError: false }),
        stop: async () => ({}),
        nestedResult: async (_, { text }) => ({ type: 'text', output: text, isError: false }),
      },
    },
  })
  await waiting
  await new Promise(resolve => setImmediate(resolve))
  expect(pulled).toBe(2)
  release()
  await expect(outcome).resolves.toMatchObject({ text: 'abc' })
})

test('runAgent() rejects with the reason of the signal, before it begins and in a turn', async () => {
  const reason = new Error('left')
  await expect(play({ turns: [{ say: [] }], signal: AbortSignal.abort(reason) }).outcome).rejects.toBe(reason)
  const controller = new AbortController()
  const aborting = {
    ...scriptedModel([]),
    async *stream() {
      controller.abort(reason)
      yield { type: 'text' as const, text: 'too late' }
    },
  }
  const played = play({ turns: [], signal: controller.signal, parts: { createModel: () => aborting } })
  await expect(played.outcome).rejects.toBe(reason)
  expect(played.events.map(({ type }) => type)).toEqual(['agent.started'])
})

test('what the model is told of a call is what the host answered', async () => {
  const played = play({
    turns: [{ say: [readCall] }, { say: [] }],
    callTool: () => ({ type: 'text', output: 'Permission denied', isError: true }),
  })
  await played.outcome
  expect(played.requests.map(resultsIn)).toEqual([[], ['Permission denied']])
})
