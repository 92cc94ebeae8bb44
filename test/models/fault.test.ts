import { expect, test, vi } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import { createModel } from '../../src/models/create-model.ts'
import { type Answer, faultOf } from '../../src/models/fault.ts'
import { hear, testKey } from './wire-format.ts'

function systemError(code: string, message = `it failed with ${code}`): Error {
  return Object.assign(new Error(message), { code })
}

function named(name: string, fields: object = {}, message = 'of the SDK'): Error {
  return Object.assign(new Error(message), { name, ...fields })
}

const answered = (status: number, headers: Record<string, string> = {}): Answer => ({ status, headers: new Headers(headers) })

test.each<readonly [string, Error, boolean]>([
  ['a refused connection', systemError('ECONNREFUSED'), true],
  ['a name that is not found', systemError('ENOTFOUND'), true],
  ['a reset', systemError('ECONNRESET'), true],
  ['a time-out of fetch', systemError('UND_ERR_BODY_TIMEOUT'), true],
  ['an old certificate', systemError('CERT_HAS_EXPIRED'), false],
  ['a certificate of nobody', systemError('DEPTH_ZERO_SELF_SIGNED_CERT'), false],
  ['a wrong protocol', systemError('ERR_SSL_WRONG_VERSION_NUMBER'), false],
  ['a port that fetch does not take', new Error('bad port'), false],
  ['a fault in a program', new TypeError('x is not a function'), false],
])('faultOf() %s', (_, root, isRetryable) => {
  const wrapped = named('AI_APICallError', { cause: new TypeError('fetch failed', { cause: root }) }, 'Cannot connect to API')
  for (const error of [root, new TypeError('fetch failed', { cause: root }), wrapped])
    expect(faultOf(error, {})).toEqual({ text: expect.stringContaining(root.message), isRetryable })
})

test('faultOf() says the code of a system error that its text lacks', () => {
  expect(faultOf(systemError('ECONNRESET', 'gone'), {}).text).toBe('gone (ECONNRESET)')
})

test.each<readonly [string, unknown, number | undefined, boolean]>([
  ['of Anthropic, passing', { type: 'overloaded_error', message: 'm' }, 529, true],
  ['of Anthropic, lasting', { type: 'invalid_request_error', message: 'm' }, 400, false],
  ['of OpenAI, passing', { type: 'server_error', code: null, message: 'm' }, 500, true],
  ['with its word as the code', { code: 'rate_limit_exceeded', message: 'm' }, 429, true],
  ['with a status as the code', { code: 502, message: 'm' }, 502, true],
  ['with a lasting status as the code', { code: 403, message: 'm' }, 403, false],
  ['inside of another', { type: 'error', error: { type: 'api_error', message: 'm' } }, 500, true],
  ['of a kind nobody knows', { type: 'strange', message: 'm' }, undefined, false],
  ['with a word of a prototype', { type: 'constructor', message: 'm' }, undefined, false],
  ['with a number that is no status', { code: 7, message: 'm' }, undefined, false],
  ['that is a text', 'm', undefined, false],
])('faultOf() an error in a stream %s', (_, error, status, isRetryable) => {
  expect(faultOf(error, answered(200))).toEqual({
    text: expect.stringMatching(/m$/),
    ...(status !== undefined && { status }),
    isRetryable,
  })
})

test.each([undefined, null, 7, {}, [], { message: 7 }])('faultOf() %j is an error without a message', error => {
  expect(faultOf(error, answered(200))).toEqual({ text: 'an error without a message', isRetryable: false })
})

test.each<readonly [string, string, string]>([
  ['as Anthropic says it', '{"type":"error","error":{"type":"x","message":"the words"}}', 'the words'],
  ['as a text', '{"error":"the words"}', 'the words'],
  ['without a frame', '{"message":"the words"}', 'the words'],
  ['as a detail', '{"detail":"the words"}', 'the words'],
  ['as plain text', ' the words\n', 'the words'],
  ['as a page', '<!doctype html><p>no', 'of the SDK'],
  ['not at all', '', 'of the SDK'],
  ['as a number', '7', '7'],
])('faultOf() finds the message of a body %s', (_, responseBody, text) => {
  expect(faultOf(named('AI_APICallError', { responseBody }), answered(500))).toEqual({ text, status: 500, isRetryable: true })
})

test.each([
  [400, false],
  [407, false],
  [408, true],
  [409, false],
  [428, false],
  [429, true],
  [430, false],
  [499, false],
  [500, true],
  [529, true],
  [599, true],
])('faultOf() status %d: tried again: %s', (status, isRetryable) => {
  expect(faultOf(named('AI_APICallError', { responseBody: '' }), answered(status)).isRetryable).toBe(isRetryable)
  expect(faultOf(named('AI_APICallError'), answered(status, { 'x-should-retry': 'true' })).isRetryable).toBe(true)
  expect(faultOf(named('AI_APICallError'), answered(status, { 'x-should-retry': 'false' })).isRetryable).toBe(false)
})

test('faultOf() knows a fault of ours below one of the SDK', () => {
  const ours = new SkillcellError('MODEL_FAILED', 'too large', { details: { isRetryable: false } })
  expect(faultOf(named('AI_APICallError', { cause: ours }), answered(200))).toEqual({ text: 'too large', isRetryable: false })
})

test('faultOf() ends on a chain that is a circle', () => {
  const error = new Error('round')
  error.cause = error
  expect(faultOf(error, {}).text).toBe('round')
})

test.each([
  ['https://api.openai.com/v1', 'max_completion_tokens', 'max_tokens'],
  ['https://api.openai.com.test/v1', 'max_tokens', 'max_completion_tokens'],
])('at %s the limit of an answer is %s', async (baseUrl, used, unused) => {
  const asked: { url: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (url: string, init: { body: string }) => {
    asked.push({ url, body: JSON.parse(init.body) })
    return new Response('{}', { status: 400 })
  })
  try {
    await hear(await createModel({ provider: 'openai', modelId: 'm', baseUrl, apiKey: testKey }))
  } finally {
    vi.unstubAllGlobals()
  }
  expect(asked).toMatchObject([{ url: `${baseUrl}/chat/completions`, body: { [used]: 1_000 } }])
  expect(asked[0]?.body).not.toHaveProperty(unused)
})
