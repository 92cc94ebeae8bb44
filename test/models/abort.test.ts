// An abort ends a call at once, wherever it is, with the reason of the signal; and the server is told.

import { describe, expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import type { Model, ModelPart } from '../../src/models/model.ts'
import { anthropicWire } from './anthropic-server.ts'
import { type Answer, events, silent, silentAfter, status } from './model-server.ts'
import { openaiWire } from './openai-server.ts'
import { ask, hear, open, turnOf } from './wire-format.ts'

const reason = new Error('the caller has had enough')

/** Reads a turn and aborts at the first part of this kind. */
async function abortAt(model: Model, type: ModelPart['type']): Promise<{ parts: readonly ModelPart[]; error: unknown }> {
  const controller = new AbortController()
  const parts: ModelPart[] = []
  try {
    for await (const part of model.stream(ask({ signal: controller.signal }))) {
      parts.push(part)
      if (part.type === type) controller.abort(reason)
    }
  } catch (error) {
    return { parts, error }
  }
  return { parts, error: undefined }
}

describe.each([anthropicWire, openaiWire])('$name', wire => {
  test('stream() asks nobody when the signal has ended before', async () => {
    const { model, server } = await open(wire, [events(turnOf(wire, 'x'))])
    expect(await hear(model, ask({ signal: AbortSignal.abort(reason) }))).toMatchObject({ parts: [], error: reason })
    expect(server.requests.length).toBe(0)
  })

  test('stream() ends while it waits for the first byte', async () => {
    const { model, server } = await open(wire, [silent])
    const controller = new AbortController()
    const heard = hear(model, ask({ signal: controller.signal }))
    await server.asked(1)
    controller.abort(reason)
    expect(await heard).toEqual({ parts: [], text: '', error: reason })
    await server.hungUp
    expect(server.requests.length).toBe(1)
  })

  test('stream() ends while it waits for the first event', async () => {
    const { model, server } = await open(wire, [silentAfter([])])
    const controller = new AbortController()
    const heard = hear(model, ask({ signal: controller.signal }))
    await server.asked(1)
    controller.abort(reason)
    expect((await heard).error).toBe(reason)
    await server.hungUp
  })

  test('stream() ends in the middle of an answer', async () => {
    const { model, server } = await open(wire, [silentAfter([...wire.start(), ...wire.text(['so far'])])])
    const { parts, error } = await abortAt(model, 'text')
    expect(parts).toEqual([{ type: 'text', text: 'so far' }])
    expect(error).toBe(reason)
    await server.hungUp
  })

  test('stream() ends while the input of a call comes in', async () => {
    const whole = wire.calls([{ id: 'a', name: 'Read', pieces: ['{"a":', '1}'] }])
    const { model, server } = await open(wire, [silentAfter([...wire.start(), ...wire.text(['x']), ...whole.slice(0, 2)])])
    expect((await abortAt(model, 'text')).error).toBe(reason)
    await server.hungUp
  })

  test('stream() ends while it waits to try again', async () => {
    const { model, server } = await open(wire, [status(429, wire.errorBody('x'), { 'retry-after': '50' })])
    const { parts, error } = await abortAt(model, 'retry')
    expect(parts).toMatchObject([{ type: 'retry', delayMs: 50_000 }])
    expect(error).toBe(reason)
    expect(server.requests.length).toBe(1)
  })

  test('stream() prefers the abort to an error that comes with it', async () => {
    const controller = new AbortController()
    const answer: Answer = response => {
      controller.abort(reason)
      response.writeHead(401)
      response.end('{}')
    }
    const { model } = await open(wire, [answer])
    expect((await hear(model, ask({ signal: controller.signal }))).error).toBe(reason)
  })

  test('a reader who leaves ends the call', async () => {
    const { model, server } = await open(wire, [silentAfter([...wire.start(), ...wire.text(['so far'])])])
    for await (const part of model.stream(ask())) {
      expect(part).toEqual({ type: 'text', text: 'so far' })
      break
    }
    await server.hungUp
  })

  test('stream() gives text while the server still speaks', async () => {
    let release = (): void => {}
    const heardFirst = new Promise<void>(resolve => {
      release = resolve
    })
    const answer: Answer = async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const frames = [...wire.start(), ...wire.text(['one', 'two']), ...wire.end('end')]
      const cut = frames.findIndex(frame => frame.includes('"one"')) + 1
      response.write(frames.slice(0, cut).join(''))
      await heardFirst
      response.end(frames.slice(cut).join(''))
    }
    const { model } = await open(wire, [answer])
    const texts: string[] = []
    for await (const part of model.stream(ask())) {
      if (part.type === 'text') texts.push(part.text)
      release()
    }
    expect(texts).toEqual(['one', 'two'])
  })

  test('stream() leaves no listener on the signal', async () => {
    const { model } = await open(wire, [status(503, ''), events(turnOf(wire, ...Array.from({ length: 50 }, (_, at) => `${at} `)))])
    const { signal } = new AbortController()
    let listeners = 0
    let most = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      most = Math.max(most, ++listeners)
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--
      remove(...given)
    }
    expect((await hear(model, ask({ signal }))).error).toBeUndefined()
    expect(listeners).toBe(0)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(4)
  })
})

test.each([0, 1, 2])('a script ends between its pieces (after %d of them)', async after => {
  const content = JSON.stringify({ reply: [{ text: 'a text that is longer than two of the pieces it comes in' }] })
  const model = await createModel({ provider: 'script', file: 's.jsonl', content })
  const controller = new AbortController()
  let pieces = 0
  if (after === 0) controller.abort(reason)
  const read = async (): Promise<void> => {
    for await (const _ of model.stream(ask({ signal: controller.signal }))) if (++pieces === after) controller.abort(reason)
  }
  await expect(read()).rejects.toBe(reason)
  expect(pieces).toBe(after)
})

test('a script ends while it waits', async () => {
  const model = await createModel({ provider: 'script', file: 's.jsonl', content: '{"delayMs":60000,"reply":[]}' })
  const controller = new AbortController()
  const heard = hear(model, ask({ signal: controller.signal }))
  setImmediate(() => controller.abort(reason))
  expect((await heard).error).toBe(reason)
})
