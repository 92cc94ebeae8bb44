// What a server is sent, in both wire formats.

import { describe, expect, test } from 'vitest'
import type { ModelMessage, ModelPart, ModelRequest, ModelTool } from '../../src/models/model.ts'
import { anthropicWire, messageEnd, messageStart, textBlock, thinkingBlock, toolBlock } from './anthropic-server.ts'
import { at, type Fields } from './fields.ts'
import { type Answer, events, status } from './model-server.ts'
import { chunk, data, openaiWire } from './openai-server.ts'
import { ask, hear, open, testKey, turnOf, type Wire } from './wire-format.ts'

const readTool: ModelTool = {
  name: 'Read',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'], additionalProperties: false },
}

const conversation: readonly ModelMessage[] = [
  { role: 'user', text: 'Read both' },
  {
    role: 'assistant',
    text: 'I will',
    toolCalls: [
      { id: 'toolu_a', name: 'Read', input: { file_path: '/a' } },
      { id: 'toolu_b', name: 'Read', input: 'no {json' },
    ],
  },
  {
    role: 'tool',
    results: [
      { id: 'toolu_a', name: 'Read', output: 'text of a', isError: false },
      { id: 'toolu_b', name: 'Read', output: 'Cannot read', isError: true },
    ],
  },
]

async function sent(wire: Wire, fields: Partial<ModelRequest>, ...answers: readonly Answer[]): Promise<Fields> {
  const { model, server } = await open(wire, [...answers, events(turnOf(wire, 'ok'))])
  expect((await hear(model, ask(fields))).error).toBeUndefined()
  return server.requests.at(-1)?.body ?? {}
}

test('anthropic: system, messages, tools and results', async () => {
  const { model, server } = await open(anthropicWire, [events(turnOf(anthropicWire, 'ok'))])
  await hear(model, ask({ messages: conversation, tools: [readTool] }))
  const [request] = server.requests
  expect(request?.path).toBe('/v1/messages')
  expect(request?.headers).toMatchObject({ 'x-api-key': testKey, 'anthropic-version': '2023-06-01' })
  expect(request?.headers).not.toHaveProperty('authorization')
  expect(request?.body).toEqual({
    model: 'claude-test',
    max_tokens: 1_000,
    stream: true,
    system: [{ type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'Read', description: 'Reads a file', input_schema: readTool.inputSchema }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Read both' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will' },
          { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a' } },
          { type: 'tool_use', id: 'toolu_b', name: 'Read', input: { input: 'no {json' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_a', content: 'text of a' },
          { type: 'tool_result', tool_use_id: 'toolu_b', content: 'Cannot read', is_error: true, cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  })
})

test('openai: system, messages, tools and results', async () => {
  const { model, server } = await open(openaiWire, [events(turnOf(openaiWire, 'ok'))])
  await hear(model, ask({ messages: conversation, tools: [readTool] }))
  const [request] = server.requests
  expect(request?.path).toBe('/v1/chat/completions')
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${testKey}` })
  const call = (id: string, input: string): object => ({ id, type: 'function', function: { name: 'Read', arguments: input } })
  expect(request?.body).toEqual({
    model: 'gpt-test',
    max_tokens: 1_000,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'Read', description: 'Reads a file', parameters: readTool.inputSchema } }],
    messages: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Read both' },
      {
        role: 'assistant',
        content: 'I will',
        tool_calls: [call('toolu_a', '{"file_path":"/a"}'), call('toolu_b', '{"input":"no {json"}')],
      },
      { role: 'tool', tool_call_id: 'toolu_a', content: 'text of a' },
      // The format has no flag: the text says it.
      { role: 'tool', tool_call_id: 'toolu_b', content: 'Error: Cannot read' },
    ],
  })
})

describe.each([anthropicWire, openaiWire])('$name', wire => {
  test('a request without tools, system or effort says nothing of them', async () => {
    const body = await sent(wire, { system: '' })
    for (const name of ['tools', 'tool_choice', 'system', 'thinking', 'output_config', 'reasoning_effort'])
      expect(body).not.toHaveProperty(name)
    expect(JSON.stringify(body)).not.toContain('"system"')
  })

  test('what providers refuse is not sent: half characters, empty texts, answers without content', async () => {
    const messages: readonly ModelMessage[] = [
      { role: 'user', text: 'half \ud83d of one' },
      { role: 'assistant', text: '', toolCalls: [] },
      { role: 'user', text: ' \n' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'toolu_a', name: 'Read', input: {} }] },
      { role: 'tool', results: [{ id: 'toolu_a', name: 'Read', output: '', isError: true }] },
      { role: 'assistant', text: 'half \udc00', toolCalls: [{ id: 'toolu_b', name: 'Read', input: {} }] },
      { role: 'tool', results: [{ id: 'toolu_b', name: 'Read', output: 'half \ud83d', isError: false }] },
    ]
    const text = JSON.stringify(await sent(wire, { messages, system: '\udc00 x' }))
    expect(text).not.toMatch(/\\ud[89a-f]/i)
    expect(text).toContain('half \ufffd of one')
    expect(text).toContain('(no text)')
    expect(text).not.toMatch(/"(text|content)":""/)
    expect(text).not.toContain('"content":[]')
  })

  test('the text of a prompt is sent as it is', async () => {
    const text = '  indented\n\ttab $& $1 \\ "quoted" 世界 👩‍👩‍👧\r\n'
    expect(JSON.stringify(await sent(wire, { messages: [{ role: 'user', text }] }))).toContain(JSON.stringify(text))
  })

  test('a model that takes no effort is asked again without it', async () => {
    const message = 'reasoning_effort: this model does not support effort or thinking'
    const { model, server } = await open(wire, [status(400, wire.errorBody(message)), events(turnOf(wire, 'ok'))])
    const { parts, text } = await hear(model, ask({ effort: 'high' }))
    expect(text).toBe('ok')
    expect(parts[0]).toMatchObject({ type: 'retry', delayMs: 0, reason: expect.stringContaining('without the effort') })
    expect(server.requests[0]?.body).toHaveProperty(wire.name === 'anthropic' ? 'thinking' : 'reasoning_effort')
    for (const name of ['thinking', 'output_config', 'reasoning_effort']) expect(server.requests[1]?.body).not.toHaveProperty(name)
    expect(server.requests[1]?.body).toMatchObject({ max_tokens: 1_000 })
  })

  test('it is asked without effort only once', async () => {
    const { model, server } = await open(wire, [status(400, wire.errorBody('no effort'))])
    expect((await hear(model, ask({ effort: 'low' }))).error).toMatchObject({ code: 'MODEL_FAILED', details: { status: 400 } })
    expect(server.requests.length).toBe(2)
  })

  test('usage that the server does not tell is estimated, so that a budget ends', async () => {
    const frames = turnOf(wire, 'word '.repeat(400)).filter(frame => !frame.includes('prompt_tokens'))
    const { model } = await open(wire, [events(frames)])
    const { parts } = await hear(model, ask({ messages: [{ role: 'user', text: 'x'.repeat(4_000) }] }))
    const finish = parts.at(-1)
    const usage = finish?.type === 'finish' ? finish.usage : undefined
    if (wire.name === 'anthropic') expect(usage).toEqual(wire.usage)
    else {
      expect(usage?.inputTokens).toBeGreaterThan(900)
      expect(usage?.inputTokens).toBeLessThan(1_200)
      expect(usage?.outputTokens).toBeGreaterThan(450)
      expect(usage?.outputTokens).toBeLessThan(600)
    }
  })
})

test.each<readonly [string, string, ModelRequest['effort'], object]>([
  ['claude-haiku-4-5', 'a budget', 'low', { thinking: { type: 'enabled', budget_tokens: 2_048 }, max_tokens: 3_048 }],
  ['claude-sonnet-4-5-20250929', 'a budget', 'max', { thinking: { type: 'enabled', budget_tokens: 63_000 }, max_tokens: 64_000 }],
  ['claude-opus-4-20250514', 'a budget', 'medium', { thinking: { type: 'enabled', budget_tokens: 8_192 }, max_tokens: 9_192 }],
  ['claude-opus-4-6', 'a level', 'xhigh', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' }, max_tokens: 1_000 }],
  ['claude-opus-4-7', 'a level', 'xhigh', { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }],
  ['claude-sonnet-5', 'a level', 'max', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
  ['claude-haiku-4-5', 'its tokens', 5_000, { thinking: { type: 'enabled', budget_tokens: 5_000 } }],
  ['claude-haiku-4-5', 'the least budget', 1, { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
  ['claude-haiku-4-5', 'the most budget', 9_999_999, { thinking: { type: 'enabled', budget_tokens: 63_000 } }],
  ['glm-4.6', 'a budget', 'high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
])('anthropic: %s gets %s for %s', async (modelId, _, effort, expected) => {
  const wire: Wire = { ...anthropicWire, connection: (url, apiKey = '') => ({ provider: 'anthropic', modelId, baseUrl: url, apiKey }) }
  expect(await sent(wire, { effort })).toMatchObject(expected)
})

test.each<readonly [ModelRequest['effort'], string | undefined]>([
  [undefined, undefined],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
  [0, undefined],
  [1, 'low'],
  [4_096, 'low'],
  [4_097, 'medium'],
  [12_288, 'medium'],
  [12_289, 'high'],
])('openai: effort %s is sent as %s', async (effort, expected) => {
  expect(at(await sent(openaiWire, { effort }), 'reasoning_effort')).toBe(expected)
})

/** The turn as the agent keeps it for the next request. */
function asMessage(parts: readonly ModelPart[], text: string): ModelMessage {
  const finish = parts.find(part => part.type === 'finish')
  const toolCalls = parts.flatMap(part => (part.type === 'tool-call' ? [part.call] : []))
  return { role: 'assistant', text, toolCalls, providerData: finish?.providerData }
}

test('anthropic: thinking goes back with its signature and in its place', async () => {
  const frames = [
    messageStart,
    ...thinkingBlock(0, 'first thought', 'sig-1'),
    ...textBlock(1, ['Look: ']),
    ...thinkingBlock(2, 'second thought', 'sig-2'),
    ...toolBlock(3, 'toolu_a', 'Read', ['{"file_path":"/a"}']),
    ...messageEnd('tool_use'),
  ]
  const { model, server } = await open(anthropicWire, [events(frames), events(turnOf(anthropicWire, 'done'))])
  const first = await hear(model, ask({ effort: 'high' }))
  expect(first.text).toBe('Look: ')
  // It crosses to the host and back.
  const said = structuredClone(asMessage(first.parts, first.text))
  const result: ModelMessage = { role: 'tool', results: [{ id: 'toolu_a', name: 'Read', output: 'x', isError: false }] }
  await hear(model, ask({ messages: [{ role: 'user', text: 'go' }, said, result] }))
  expect(at(server.requests[1]?.body, 'messages.1')).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'first thought', signature: 'sig-1' },
      { type: 'text', text: 'Look: ' },
      { type: 'thinking', thinking: 'second thought', signature: 'sig-2' },
      { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a' } },
    ],
  })
})

test('openai: thinking and the signature of a call go back as they came', async () => {
  const call = {
    index: 0,
    id: 'toolu_a',
    type: 'function',
    function: { name: 'Read', arguments: '{}' },
    extra_content: { google: { thought_signature: 'sig-1' } },
  }
  const frames = [
    chunk({ reasoning_content: 'thought' }),
    chunk({ content: 'Look' }),
    chunk({ tool_calls: [call] }),
    chunk({}, { finish_reason: 'tool_calls' }),
    data('[DONE]'),
  ]
  const { model, server } = await open(openaiWire, [events(frames), events(turnOf(openaiWire, 'done'))])
  const first = await hear(model)
  await hear(model, ask({ messages: [{ role: 'user', text: 'go' }, asMessage(first.parts, first.text)] }))
  expect(at(server.requests[1]?.body, 'messages.2')).toMatchObject({
    reasoning_content: 'thought',
    content: 'Look',
    tool_calls: [{ id: 'toolu_a', extra_content: { google: { thought_signature: 'sig-1' } } }],
  })
})

test('openai: thinking of a turn without calls is not sent back', async () => {
  const frames = [chunk({ reasoning_content: 'thought' }), chunk({ content: 'Look' }), chunk({}, { finish_reason: 'stop' }), data('[DONE]')]
  const { model, server } = await open(openaiWire, [events(frames), events(turnOf(openaiWire, 'done'))])
  const first = await hear(model)
  await hear(model, ask({ messages: [{ role: 'user', text: 'go' }, asMessage(first.parts, first.text), { role: 'user', text: 'on' }] }))
  expect(at(server.requests[1]?.body, 'messages.2')).toEqual({ role: 'assistant', content: 'Look' })
})

const ownCall = { type: 'tool-call', toolCallId: 'toolu_a', toolName: 'Read', input: {} }

test.each<readonly [string, unknown]>([
  ['another provider', { provider: 'openai', content: [{ type: 'text', text: 'of another' }, ownCall] }],
  ['another shape', { provider: 'anthropic', content: 'of another' }],
  ['other calls', { provider: 'anthropic', content: [{ ...ownCall, toolCallId: 'of-another' }] }],
  ['a further call', { provider: 'anthropic', content: [ownCall, { ...ownCall, toolCallId: 'of-another' }] }],
  ['no calls', { provider: 'anthropic', content: [{ type: 'text', text: 'of another' }] }],
])('data of %s is left aside', async (_, providerData) => {
  const toolCalls = [{ id: 'toolu_a', name: 'Read', input: {} }]
  const body = await sent(anthropicWire, {
    messages: [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'plain', toolCalls, providerData },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('of-another')
  expect(JSON.stringify(body)).not.toContain('of another')
  expect(at(body, 'messages.1.content.0.text')).toBe('plain')
})
