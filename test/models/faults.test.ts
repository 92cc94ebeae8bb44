// Calls that fail: what is tried again, what is not, and what a person reads.

import { describe, expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import { anthropicWire, frame } from './anthropic-server.ts'
import { type Answer, cut, cutAfter, events, silent, silentAfter, startServerThatIsGone, status } from './model-server.ts'
import { openaiWire } from './openai-server.ts'
import { ask, hear, open, turnOf, type Wire } from './wire-format.ts'

const failed = (message: string | RegExp): object => ({
  code: 'MODEL_FAILED',
  message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
})

describe.each([anthropicWire, openaiWire])('$name', wire => {
  const good = (): Answer => events(turnOf(wire, 'good'))
  const started = [...wire.start(), ...wire.text(['so far'])]

  test.each<readonly [string, (wire: Wire) => Answer, RegExp]>([
    ['status 408', () => status(408, wire.errorBody('slow')), /status 408: slow/],
    ['status 429', () => status(429, wire.errorBody('too many')), /status 429: too many/],
    ['status 500', () => status(500, ''), /status 500/],
    ['status 503 with a page', () => status(503, '<html>busy</html>', { 'content-type': 'text/html' }), /status 503: Service Unavailable/],
    ['status 529', () => status(529, wire.errorBody('Overloaded')), /status 529: Overloaded/],
    ['a broken connection', () => cut, /socket|closed|reset/i],
    ['a stream without a word', () => cutAfter([]), /cut|closed|terminated/],
    ['a stream that breaks before its first text', each => cutAfter(each.start()), /cut/],
    ['a stream that ends before its first text', each => events(each.start()), /cut/],
    ['an error in the stream before its first text', each => events([...each.start(), ...each.errorEvent('passing', 'busy')]), /busy/],
    ['an error as the first event', each => events(each.errorEvent('passing', 'busy')), /busy/],
    ['a call that breaks off', each => events([...each.start(), ...each.calls([{ id: 'a', name: 'Read', pieces: ['{"a":1}'] }])]), /cut/],
  ])('stream() tries again after %s', async (_, answer, reason) => {
    const { model, server } = await open(wire, [answer(wire), answer(wire), good()])
    const { parts, text, error } = await hear(model)
    expect(error).toBeUndefined()
    expect(text).toBe('good')
    expect(server.requests.length).toBe(3)
    const retries = parts.filter(part => part.type === 'retry')
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2])
    for (const retry of retries) expect(retry.reason).toMatch(reason)
    expect(server.requests[2]?.body).toEqual(server.requests[0]?.body)
  })

  test.each<readonly [string, (wire: Wire) => Answer, RegExp]>([
    ['status 400', () => status(400, wire.errorBody('bad field')), /status 400: bad field/],
    ['status 401', () => status(401, wire.errorBody('bad key')), /status 401: bad key/],
    ['status 404 in other words', () => status(404, { detail: 'no such model' }), /status 404: no such model/],
    ['status 413 as text', () => status(413, 'too large', { 'content-type': 'text/plain' }), /status 413: too large/],
    ['a used up account', () => status(429, { error: { message: 'pay first', code: 'insufficient_quota' } }), /pay first/],
    ['a server that says not to', () => status(503, wire.errorBody('never'), { 'x-should-retry': 'false' }), /never/],
    ['a redirect', () => status(307, '', { location: 'http://127.0.0.1:9/' }), /another address/],
    ['a page', () => status(200, '<html></html>', { 'content-type': 'text/html; charset=utf-8' }), /text\/html/],
    ['a document', () => status(200, { error: 'no' }), /application\/json/],
    ['a lasting error in the stream', each => events([...each.start(), ...each.errorEvent('lasting', 'wrong model')]), /wrong model/],
    ['a malformed event', each => events([...each.start(), ...each.malformed()]), /not of its format/],
  ])('stream() does not try again after %s', async (_, answer, reason) => {
    const { model, server } = await open(wire, [answer(wire), good()])
    const { parts, error } = await hear(model)
    expect(error).toMatchObject(failed(reason))
    expect(parts).toEqual([])
    expect(server.requests.length).toBe(1)
  })

  test.each<readonly [string, Answer]>([
    ['breaks', cutAfter(started)],
    ['ends', events(started)],
    ['holds a passing error', events([...started, ...wire.errorEvent('passing', 'busy')])],
    ['holds what cannot be read', events([...started, ...wire.malformed()])],
  ])('stream() keeps the text so far and does not try again when the answer %s in the middle', async (_, answer) => {
    const { model, server } = await open(wire, [answer, good()])
    const { parts, error } = await hear(model)
    expect(parts).toEqual([{ type: 'text', text: 'so far' }])
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { attempts: 1 } })
    expect(server.requests.length).toBe(1)
  })

  test('stream() never gives a call of an answer that breaks off', async () => {
    const calls = wire.calls([{ id: 'a', name: 'Bash', pieces: ['{"command":"rm -r x"}'] }])
    const { model } = await open(wire, [cutAfter([...started, ...calls])])
    const { parts, error } = await hear(model)
    expect(parts).toEqual([{ type: 'text', text: 'so far' }])
    expect(error).toMatchObject(failed('cut'))
  })

  test.each([1, 2, 4])('stream() gives up after %d tries when that is the limit', async maxAttempts => {
    const { model, server } = await open(wire, [status(503, wire.errorBody('busy'))], { maxAttempts })
    const { error } = await hear(model)
    expect(error).toMatchObject({
      ...failed('busy'),
      details: { provider: wire.name, model: model.name, status: 503, attempts: maxAttempts },
    })
    expect(server.requests.length).toBe(maxAttempts)
  })

  test('stream() makes four tries unless told otherwise', async () => {
    const { model, server } = await open(wire, [status(529, wire.errorBody('busy'))])
    expect((await hear(model)).error).toMatchObject(failed('after 4 tries'))
    expect(server.requests.length).toBe(4)
  })

  test('stream() waits as long as the server asks, up to the limit', async () => {
    const answers = [
      status(429, wire.errorBody('x'), { 'retry-after': '0' }),
      status(429, wire.errorBody('x'), { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
      status(429, wire.errorBody('x'), { 'retry-after-ms': '3' }),
      good(),
    ]
    const { model } = await open(wire, answers, { maxRetryAfterMs: 5 })
    const { parts } = await hear(model)
    expect(parts.flatMap(part => (part.type === 'retry' ? [part.delayMs] : []))).toEqual([0, 5, 3])
  })

  test('stream() tries again when nobody answers at the address', async () => {
    const url = await startServerThatIsGone()
    const model = await createModel(wire.connection(url), { backoffMs: 1 })
    const { parts, error } = await hear(model)
    expect(parts.map(({ type }) => type)).toEqual(['retry', 'retry', 'retry'])
    expect(error).toMatchObject(failed(/after 4 tries: .*ECONNREFUSED/))
  })

  test('stream() tries again when the first byte is late, and gives up at last', async () => {
    const late = await open(wire, [silent, good()], { firstByteMs: 400 })
    expect((await hear(late.model)).text).toBe('good')
    const never = await open(wire, [silent], { firstByteMs: 20 })
    expect((await hear(never.model)).error).toMatchObject(failed(/after 4 tries: no answer within 20 ms/))
    await never.server.hungUp
  })

  test('stream() ends an answer that stops in the middle', async () => {
    const { model, server } = await open(wire, [silentAfter(started)], { silenceMs: 500 })
    const { text, error } = await hear(model)
    expect(text).toBe('so far')
    expect(error).toMatchObject(failed('nothing for 500 ms'))
    await server.hungUp
  })

  test('stream() takes a sign of life for life', async () => {
    const answer: Answer = async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(wire.start().join(''))
      // Together longer than the limit, each far shorter: a slow machine changes neither.
      for (let sign = 0; sign < 10; sign++) {
        await new Promise(resolve => setTimeout(resolve, 150))
        response.write(wire.alive().join(''))
      }
      response.end([...wire.text(['at last']), ...wire.end('end')].join(''))
    }
    const { model, server } = await open(wire, [answer], { silenceMs: 1_200 })
    expect((await hear(model)).text).toBe('at last')
    expect(server.requests.length).toBe(1)
  })

  test('stream() does not take a slow reader for a silent server', async () => {
    const { model } = await open(wire, [events(turnOf(wire, 'a', 'b', 'c'))], { silenceMs: 300 })
    let text = ''
    for await (const part of model.stream(ask())) {
      await new Promise(resolve => setTimeout(resolve, 350))
      if (part.type === 'text') text += part.text
    }
    expect(text).toBe('abc')
  })
})

test('stream() passes over events that the format may gain one day', async () => {
  const [start = '', ...rest] = turnOf(anthropicWire, 'fine')
  const { model } = await open(anthropicWire, [events([start, frame('weather_report', { sun: true }), ...rest])])
  expect((await hear(model)).text).toBe('fine')
})

test('stream() refuses a known event of a wrong shape', async () => {
  const [start = ''] = turnOf(anthropicWire, 'fine')
  const { model } = await open(anthropicWire, [events([start, frame('content_block_delta', { index: 'one' })])])
  expect((await hear(model)).error).toMatchObject(failed('not of its format'))
})
