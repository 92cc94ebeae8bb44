// Turns across tenants: who is alone is never held, who is not has its share, and nobody waits for what lasts. Time is not the machine's.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFirstMoments, type FirstMoments } from '../../src/shell/first-moments.ts'
import { testBroker } from './support.ts'

const noisy = { name: 'noisy' }
const other = { name: 'other' }
const third = { name: 'third' }

/** Enters and fails if it has to wait. */
function enterNow(moments: FirstMoments, tenant: object): () => void {
  const leave = moments.enter(tenant)
  if (leave instanceof Promise) throw new Error('It has to wait')
  return leave
}

/** Whether it is in yet. */
function enterLater(moments: FirstMoments, tenant: object, signal?: AbortSignal): { leave: (() => void) | undefined; failed: unknown } {
  const state: { leave: (() => void) | undefined; failed: unknown } = { leave: undefined, failed: undefined }
  const entered = moments.enter(tenant, signal)
  if (!(entered instanceof Promise)) throw new Error('It has not to wait')
  entered.then(
    leave => {
      state.leave = leave
    },
    error => {
      state.failed = error
    },
  )
  return state
}

const tick = () => vi.advanceTimersByTimeAsync(0)

describe('firstMoments.enter()', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('holds no tenant that is alone, however many it runs, and starts no timer', () => {
    const moments = createFirstMoments(2)
    const leaves = Array.from({ length: 50 }, () => enterNow(moments, noisy))
    expect(vi.getTimerCount()).toBe(0)
    for (const leave of leaves) leave()
    enterNow(moments, noisy)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    // processors, tenants beside it, share
    [2, 1, 1],
    [4, 1, 2],
    [4, 2, 1],
    [8, 1, 4],
    [1, 2, 1],
  ])('with %i processors and %i tenants beside it lets a tenant have %i', (processors, beside, share) => {
    const moments = createFirstMoments(processors)
    for (let index = 0; index < beside; index += 1) enterNow(moments, { index })
    for (let index = 0; index < share; index += 1) enterNow(moments, noisy)
    expect(enterLater(moments, noisy).leave).toBeUndefined()
  })

  test('lets a tenant in at once that has nothing there, whatever the others have', () => {
    const moments = createFirstMoments(2)
    for (let count = 0; count < 20; count += 1) enterNow(moments, noisy)
    enterNow(moments, other)
    enterNow(moments, third)
  })

  test('lets in those that wait in their order, one for each that leaves, and one for one that leaves twice', async () => {
    const moments = createFirstMoments(2)
    enterNow(moments, other)
    const leave = enterNow(moments, noisy)
    const [first, second] = [enterLater(moments, noisy), enterLater(moments, noisy)]
    leave()
    leave()
    await tick()
    expect([first.leave, second.leave]).toEqual([expect.any(Function), undefined])
    first.leave?.()
    await tick()
    expect(second.leave).toBeDefined()
  })

  test('lets all in when the others are gone', async () => {
    const moments = createFirstMoments(2)
    const end = enterNow(moments, other)
    enterNow(moments, noisy)
    const waiting = [enterLater(moments, noisy), enterLater(moments, noisy)]
    end()
    await vi.advanceTimersByTimeAsync(30)
    expect(waiting.map(({ leave }) => leave)).toEqual([expect.any(Function), expect.any(Function)])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not wait for what lasts: neither its own nor another’s', async () => {
    const moments = createFirstMoments(2)
    enterNow(moments, other)
    enterNow(moments, noisy)
    const waiting = enterLater(moments, noisy)
    await vi.advanceTimersByTimeAsync(40)
    expect(waiting.leave).toBeUndefined()
    await vi.advanceTimersByTimeAsync(20)
    expect(waiting.leave).toBeDefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a command that asks for others of its tenant before it ends is not waited for without end', async () => {
    const moments = createFirstMoments(1)
    enterNow(moments, other)
    const outer = enterNow(moments, noisy)
    const inner = enterLater(moments, noisy)
    await vi.advanceTimersByTimeAsync(100)
    expect(inner.leave).toBeDefined()
    inner.leave?.()
    outer()
    enterNow(moments, noisy)
  })

  test('keeps the share of one that asks for a command after the other, for a moment', async () => {
    const moments = createFirstMoments(2)
    const leave = enterNow(moments, noisy)
    const end = enterNow(moments, other)
    end()
    const waiting = enterLater(moments, noisy)
    await vi.advanceTimersByTimeAsync(10)
    expect(waiting.leave).toBeUndefined()
    enterNow(moments, other)()
    await vi.advanceTimersByTimeAsync(10)
    expect(waiting.leave).toBeUndefined()
    await vi.advanceTimersByTimeAsync(20)
    expect(waiting.leave).toBeDefined()
    leave()
  })

  test('takes one that is aborted out of the line, and no place for it', async () => {
    const moments = createFirstMoments(2)
    enterNow(moments, other)
    const leave = enterNow(moments, noisy)
    const stop = new AbortController()
    const [aborted, next] = [enterLater(moments, noisy, stop.signal), enterLater(moments, noisy)]
    stop.abort(new Error('over'))
    leave()
    await tick()
    expect(aborted).toEqual({ leave: undefined, failed: new Error('over') })
    expect(next.leave).toBeDefined()
    await expect(moments.enter(noisy, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })

  test('forgets tenants that are gone', async () => {
    const moments = createFirstMoments(4)
    for (let index = 0; index < 10; index += 1) enterNow(moments, { index })()
    await vi.advanceTimersByTimeAsync(20)
    enterNow(moments, noisy)
    enterNow(moments, noisy)
    enterNow(moments, noisy)
  })
})

describe('broker.run() beside another tenant', () => {
  // The clock stands still, so that however long a start takes, the first moments are not over.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A tenant whose next command has to wait; both tenants run some that last. */
  function crowded() {
    const [busy, beside] = [testBroker(), testBroker()]
    const stop = new AbortController()
    const lasting = Array.from({ length: availableParallelism() }, () => busy.run('sleep 60', { signal: stop.signal }))
    lasting.push(beside.run('sleep 60', { signal: stop.signal }))
    return { busy, end: () => Promise.all([stop.abort(), ...lasting]) }
  }

  test('waits for what lasts only a moment', async () => {
    const { busy, end } = crowded()
    const waiting = busy.run('echo in')
    vi.advanceTimersByTime(50)
    expect(await waiting).toMatchObject({ reason: 'exited', output: 'in' })
    await end()
  })

  test('does not start what was aborted while it waited', async () => {
    const { busy, end } = crowded()
    const stop = new AbortController()
    const waiting = busy.run('touch started', { signal: stop.signal })
    stop.abort()
    expect(await waiting).toMatchObject({ reason: 'aborted', exitCode: 130, note: 'Ended by the caller before it started' })
    expect(readdirSync(busy.cwd)).toEqual([])
    await end()
  })

  test('close() ends what waits', async () => {
    const { busy, end } = crowded()
    const waiting = busy.run('touch started')
    await busy.broker.close()
    expect(await waiting).toMatchObject({ reason: 'aborted', note: 'Ended by the caller before it started' })
    expect(readdirSync(busy.cwd)).toEqual([])
    await end()
  })
})
