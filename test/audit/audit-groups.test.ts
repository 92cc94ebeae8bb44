// When an fsync and when a checkpoint comes, with nothing behind them.

import { afterEach, expect, test, vi } from 'vitest'
import { createAuditGroups } from '../../src/audit/audit-groups.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('createAuditGroups() fsyncs each group in time, writes a checkpoint every 250 ms at most, and the last at close()', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const done: string[] = []
  let position = 0
  const groups = createAuditGroups({
    delayMs: 5,
    position: () => position,
    sync: async () => void done.push(`sync ${position}`),
    checkpoint: async covered => void done.push(`checkpoint ${covered}`),
  })
  const group = async (ms: number): Promise<void> => {
    position += 1
    groups.mark()
    await vi.advanceTimersByTimeAsync(ms)
  }
  await group(5)
  expect(done.splice(0)).toEqual(['sync 1', 'checkpoint 1'])
  for (let count = 0; count < 3; count += 1) await group(80)
  expect(done.splice(0)).toEqual(['sync 2', 'sync 3', 'sync 4'])
  await vi.advanceTimersByTimeAsync(4)
  expect(done).toEqual([])
  await vi.advanceTimersByTimeAsync(6)
  expect(done.splice(0)).toEqual(['checkpoint 4'])
  expect(vi.getTimerCount()).toBe(0)
  await group(5)
  expect(done.splice(0)).toEqual(['sync 5'])
  await groups.close()
  expect(done).toEqual(['checkpoint 5'])
  expect(vi.getTimerCount()).toBe(0)
})
