import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { untilAborted } from '../../src/until-aborted.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length
const never = new Promise<never>(() => {})

test('untilAborted() gives what the promise gives and leaves no listener', async () => {
  const { signal } = new AbortController()
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  expect(listeners(signal)).toBe(0)
})

test('untilAborted() rejects with the reason, at once, and leaves no listener', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const waiting = untilAborted(never, stop.signal)
  expect(listeners(stop.signal)).toBe(1)
  stop.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(listeners(stop.signal)).toBe(0)
})

test('untilAborted() takes no answer once the signal has aborted, not even one that is there', async () => {
  const reason = new Error('before')
  await expect(untilAborted(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('untilAborted() lets a failure that comes too late be nobody’s', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    let fail = (_: Error): void => {}
    const late = new Promise<never>((_, reject) => {
      fail = reject
    })
    const stop = new AbortController()
    const waiting = untilAborted(late, stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(untilAborted(Promise.reject(new Error('early')), stop.signal)).rejects.toThrow('enough')
    fail(new Error('late'))
    // Told after the microtasks of this turn.
    await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
