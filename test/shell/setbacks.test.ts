// What a tenant waits for whose commands are ended at limits. Time is not the machine's.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSetbacks } from '../../src/shell/setbacks.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('setbacks.wait()', () => {
  test.each([
    // ends, ms
    [0, 0],
    [1, 0],
    [2, 50],
    [3, 100],
    [5, 400],
    [6, 400],
    [2_000, 400],
  ])('after %i ends at a limit waits %i ms', async (ends, milliseconds) => {
    const setbacks = createSetbacks()
    for (let count = 0; count < ends; count += 1) setbacks.add()
    const waiting = setbacks.wait()
    if (milliseconds === 0) return expect(waiting).toBeUndefined()
    let over = false
    void waiting?.then(() => {
      over = true
    })
    await vi.advanceTimersByTimeAsync(milliseconds - 1)
    expect(over).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(over).toBe(true)
    // The wait counts from the end, not from the next command.
    expect(setbacks.wait()).toBeUndefined()
  })

  test('forgets them after five seconds', async () => {
    const setbacks = createSetbacks()
    for (let count = 0; count < 10; count += 1) setbacks.add()
    await vi.advanceTimersByTimeAsync(5_000)
    setbacks.add()
    expect(setbacks.wait()).toBeUndefined()
    setbacks.add()
    expect(setbacks.wait()).toBeInstanceOf(Promise)
  })

  test('ends on abort and leaves no timer', async () => {
    const setbacks = createSetbacks()
    setbacks.add()
    setbacks.add()
    const stop = new AbortController()
    const waiting = setbacks.wait(stop.signal)
    stop.abort(new Error('over'))
    await expect(waiting).rejects.toThrow('over')
    expect(vi.getTimerCount()).toBe(0)
    await expect(setbacks.wait(stop.signal)).rejects.toThrow('over')
  })
})
