// One conversation, held by a host of each kind with a model that is written down: it activates a skill and answers.

import { MockLanguageModelV3 } from 'ai/test'
import { expect, test } from 'vitest'
import { converse as onAiSdk } from '../fixtures/hosts/ai-sdk.ts'
import { converse as onAnthropic } from '../fixtures/hosts/anthropic.ts'
import type { HostRuntime } from '../fixtures/hosts/host-runtime.ts'
import { converse as onOpenAi } from '../fixtures/hosts/openai.ts'
import { fakeRuntime } from './fake-runtime.ts'

const listing = '# Available Skills\n\n- **/greet**: Greets'
const runtime: HostRuntime = { ...fakeRuntime(), list: async () => ({ skills: [], listing, diagnostics: [] }) }
const activated = '[Skill "greet" activated]\n\nGreet Ada'
const call = { skill_name: 'greet', args: 'Ada' }

test('a host of the Messages API', async () => {
  const messages = await onAnthropic(
    runtime,
    async request => {
      expect([request.system, request.tools]).toMatchObject([
        listing,
        [{ name: 'skill', input_schema: { type: 'object', required: ['skill_name'] } }],
      ])
      if (request.messages.length > 1) return { stop_reason: 'end_turn', content: [{ type: 'text', text: 'Hello Ada' }] }
      return { stop_reason: 'tool_use', content: [{ type: 'tool_use', id: 't1', name: 'skill', input: call }] }
    },
    'Greet Ada',
  )
  expect(messages[2]?.content).toEqual([{ type: 'tool_result', tool_use_id: 't1', content: activated, is_error: false }])
  expect(messages).toHaveLength(4)
})

test('a host of chat completions', async () => {
  const messages = await onOpenAi(
    runtime,
    async request => {
      expect(request.tools).toMatchObject([{ type: 'function', function: { name: 'skill', parameters: { required: ['skill_name'] } } }])
      if (request.messages.length > 2) return { role: 'assistant', content: 'Hello Ada' }
      const broken = { id: 'c2', function: { name: 'skill', arguments: '{"skill_name":' } }
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'skill', arguments: JSON.stringify(call) } }, broken],
      }
    },
    'Greet Ada',
  )
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    activated,
    expect.stringContaining('Cannot activate'),
  ])
})

test('a host on the AI SDK', async () => {
  const seen: string[] = []
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt, tools }) => {
      expect(tools).toMatchObject([{ name: 'skill', inputSchema: { required: ['skill_name'] } }])
      const results = prompt.flatMap(message => (message.role === 'tool' ? message.content : []))
      for (const result of results) if (result.type === 'tool-result' && result.output.type === 'text') seen.push(result.output.value)
      if (results.length > 0)
        return { content: [{ type: 'text', text: 'Hello Ada' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
      return {
        content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'skill', input: JSON.stringify(call) }],
        finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
        usage,
        warnings: [],
      }
    },
  })
  expect([await onAiSdk(runtime, model, 'Greet Ada'), seen]).toEqual(['Hello Ada', [activated]])
})
