// Speaks the stream format of the Anthropic Messages API.

import type { Wire } from './wire-format.ts'

const usage = { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 20, output_tokens: 1 }

export function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

export const messageStart: string = frame('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
})

export function textBlock(index: number, pieces: readonly string[]): string[] {
  return [
    frame('content_block_start', { index, content_block: { type: 'text', text: '' } }),
    ...pieces.map(text => frame('content_block_delta', { index, delta: { type: 'text_delta', text } })),
    frame('content_block_stop', { index }),
  ]
}

export function thinkingBlock(index: number, thinking: string, signature: string): string[] {
  return [
    frame('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    frame('content_block_delta', { index, delta: { type: 'thinking_delta', thinking } }),
    frame('content_block_delta', { index, delta: { type: 'signature_delta', signature } }),
    frame('content_block_stop', { index }),
  ]
}

export function toolBlock(index: number, id: string, name: string, pieces: readonly string[]): string[] {
  return [
    frame('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } }),
    ...pieces.map(partial_json => frame('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })),
    frame('content_block_stop', { index }),
  ]
}

export function messageEnd(stop_reason: string): string[] {
  return [frame('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }), frame('message_stop')]
}

const reasons = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const

export const anthropicWire: Wire = {
  name: 'anthropic',
  path: '/v1/messages',
  connection: (url, apiKey) => ({ provider: 'anthropic', modelId: 'claude-test', baseUrl: url, ...(apiKey !== undefined && { apiKey }) }),
  // 10 new, 3 written to the cache, 20 read from it.
  usage: { inputTokens: 33, outputTokens: 7 },
  start: () => [messageStart, frame('ping')],
  text: pieces => textBlock(0, pieces),
  calls: calls => calls.flatMap(({ id, name, pieces }, at) => toolBlock(at + 1, id, name, pieces)),
  end: reason => messageEnd(reasons[reason]),
  alive: () => [frame('ping')],
  malformed: () => ['event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n'],
  errorEvent: (type, message) => [
    frame('error', { error: { type: type === 'passing' ? 'overloaded_error' : 'invalid_request_error', message } }),
  ],
  errorBody: message => ({ type: 'error', error: { type: 'some_error', message } }),
}
