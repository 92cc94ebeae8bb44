// Speaks the stream format of OpenAI's chat completions.

import type { Wire } from './wire-format.ts'

export function chunk(delta: object | undefined, fields: object = {}): string {
  const choices = delta === undefined ? [] : [{ index: 0, delta, finish_reason: null, ...fields }]
  return data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-test',
    choices,
    ...(delta === undefined && fields),
  })
}

export function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

export const usageChunk: string = chunk(undefined, {
  usage: { prompt_tokens: 33, completion_tokens: 7, total_tokens: 40, prompt_tokens_details: { cached_tokens: 20 } },
})

const reasons = { end: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' } as const

export const openaiWire: Wire = {
  name: 'openai',
  path: '/v1/chat/completions',
  connection: (url, apiKey) => ({ provider: 'openai', modelId: 'gpt-test', baseUrl: `${url}/v1`, ...(apiKey !== undefined && { apiKey }) }),
  usage: { inputTokens: 33, outputTokens: 7 },
  start: () => [chunk({ role: 'assistant', content: '' })],
  text: pieces => pieces.map(content => chunk({ content })),
  // The pieces of all calls side by side, as models that call in parallel send them.
  calls: calls => {
    const most = Math.max(0, ...calls.map(({ pieces }) => pieces.length))
    const heads = calls.map(({ id, name }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    )
    const rest = Array.from({ length: most }, (_, at) =>
      calls.flatMap(({ pieces }, index) =>
        pieces[at] === undefined ? [] : [chunk({ tool_calls: [{ index, function: { arguments: pieces[at] } }] })],
      ),
    )
    return [...heads, ...rest.flat()]
  },
  end: reason => [chunk({}, { finish_reason: reasons[reason] }), usageChunk, data('[DONE]')],
  alive: () => [': keep-alive\n\n'],
  malformed: () => ['data: {"id":"chatcmpl-1","choices":[{"delta":{"con\n\n'],
  errorEvent: (type, message) => [data({ error: { message, type: type === 'passing' ? 'server_error' : 'invalid_request_error' } })],
  errorBody: message => ({ error: { message, type: 'some_error', code: null } }),
}
