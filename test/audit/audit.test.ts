// The writer: what is in the log when, and that nothing goes on unaudited.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import { type AuditDisk, auditDisk } from '../../src/audit/audit-disk.ts'
import { bounded, hashed, keptTextChars, maxTextChars } from '../../src/audit/audit-entry.ts'
import { verifyAudit } from '../../src/audit/audit-verify.ts'
import { auditFolder, entry, logLines, readLog, writtenLog } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

const start = { tenant: 'local' } as const

test('append() has the entry in the file when it returns, chained to the one before', async () => {
  const directory = auditFolder()
  const audit = createAudit({ directory, ...start })
  audit.append(entry('pwd', { skill: 'review', rule: 'Bash(pwd)', source: 'flag', reason: 'allowed' }))
  audit.append(entry('ls'))
  const [first, second] = logLines(directory).map(line => JSON.parse(line))
  expect(first).toMatchObject({
    sequence: 1,
    type: 'decision',
    skill: 'review',
    asked: { tool: 'Bash', command: 'pwd' },
    decision: 'allow',
    rule: 'Bash(pwd)',
  })
  expect(new Date(first.at).toISOString()).toBe(first.at)
  expect(first.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(second).toMatchObject({ sequence: 2, previous: first.hash })
  await audit.close()
})

test('createAudit() makes a folder 0700 and files 0600, and leaves no other files', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['pwd'])
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(readdirSync(directory).toSorted()).toEqual(['audit.jsonl', 'checkpoint.json', 'key'])
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(join(directory, 'key')).size).toBe(32)
})

test('createAudit() goes on with the chain of an earlier process', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['one', 'two'])
  const key = readFileSync(join(directory, 'key'))
  await writtenLog(directory, ['three'])
  expect(readFileSync(join(directory, 'key'))).toEqual(key)
  expect(logLines(directory).map(line => JSON.parse(line).sequence)).toEqual([1, 2, 3])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 3, problems: [] })
})

test('two audits in one process take turns in one chain', async () => {
  const directory = auditFolder()
  const audits = [createAudit({ directory, ...start }), createAudit({ directory, ...start })]
  for (let index = 0; index < 20; index += 1) audits[index % 2]?.append(entry(`echo ${index}`))
  await Promise.all(audits.map(audit => audit.close()))
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 20, problems: [] })
})

test('a given key is used and no key file is made', async () => {
  const directory = auditFolder()
  const key = Buffer.alloc(32, 7)
  const audit = createAudit({ directory, ...start, key })
  audit.append(entry('pwd'))
  await audit.close()
  expect(existsSync(join(directory, 'key'))).toBe(false)
  expect(await verifyAudit(directory, key)).toMatchObject({ ok: true, lines: 1 })
  expect(await verifyAudit(directory, Buffer.alloc(32, 8))).toMatchObject({ ok: false, problems: [{ kind: 'checkpoint' }] })
})

test('flush() resolves after the fsync of all that was appended, and not before', async () => {
  const directory = auditFolder()
  const syncs: (() => void)[] = []
  const disk: AuditDisk = { write: auditDisk.write, sync: () => new Promise(resolve => syncs.push(resolve)) }
  const audit = createAudit({ directory, ...start }, disk)
  const order: string[] = []
  audit.append(entry('one'))
  const first = audit.flush().then(() => order.push('first flushed'))
  expect(syncs).toHaveLength(1)
  // Came after that fsync began, so it needs one of its own.
  audit.append(entry('two'))
  const second = audit.flush().then(() => order.push('second flushed'))
  await new Promise(setImmediate)
  expect(order).toEqual([])
  syncs[0]?.()
  await first
  expect(order).toEqual(['first flushed'])
  // The checkpoint of the first group, then the second group.
  await vi.waitFor(() => expect(syncs).toHaveLength(2))
  syncs[1]?.()
  await vi.waitFor(() => expect(syncs).toHaveLength(3))
  expect(order).toEqual(['first flushed'])
  syncs[2]?.()
  await second
  expect(order).toEqual(['first flushed', 'second flushed'])
  const closed = audit.close()
  await vi.waitFor(() => expect(syncs).toHaveLength(4))
  syncs[3]?.()
  await closed
})

test('flush() with nothing appended resolves without an fsync', async () => {
  const sync = vi.fn(auditDisk.sync)
  const audit = createAudit({ directory: auditFolder(), ...start }, { write: auditDisk.write, sync })
  await audit.flush()
  await audit.close()
  expect(sync).not.toHaveBeenCalled()
})

test('appends are fsynced in one group within 10 ms, without being asked', async () => {
  const directory = auditFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const descriptors: number[] = []
  const audit = createAudit(
    { directory, ...start },
    {
      write: auditDisk.write,
      sync: async descriptor => {
        descriptors.push(descriptor)
      },
    },
  )
  for (let index = 0; index < 50; index += 1) audit.append(entry(`echo ${index}`))
  expect(descriptors).toEqual([])
  await vi.advanceTimersByTimeAsync(10)
  expect(descriptors).toHaveLength(1)
  await audit.close()
  // The log once, then its checkpoint.
  expect(descriptors).toHaveLength(2)
  expect(JSON.parse(readFileSync(join(directory, 'checkpoint.json'), 'utf8'))).toMatchObject({ tenant: 'local', sequence: 50 })
})

test('append() on a full disk throws, takes half a line back and works again when there is room', async () => {
  const directory = auditFolder()
  let room = Number.POSITIVE_INFINITY
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const audit = createAudit(
    { directory, ...start },
    {
      sync: auditDisk.sync,
      write: (descriptor, bytes) => {
        if (room === 0) throw full
        const count = auditDisk.write(descriptor, bytes.subarray(0, room))
        room -= count
        return count
      },
    },
  )
  audit.append(entry('one'))
  const before = readLog(directory)
  room = 40
  expect(() => audit.append(entry('two'))).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED', cause: full }))
  expect(readLog(directory)).toEqual(before)
  room = Number.POSITIVE_INFINITY
  audit.append(entry('three'))
  await audit.close()
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 2, problems: [] })
})

test('append() goes on where the disk takes a line in pieces, and throws where it takes nothing', async () => {
  const directory = auditFolder()
  let most = 7
  const audit = createAudit(
    { directory, ...start },
    { sync: auditDisk.sync, write: (descriptor, bytes) => (most === 0 ? 0 : auditDisk.write(descriptor, bytes.subarray(0, most))) },
  )
  audit.append(entry('one'))
  most = 0
  expect(() => audit.append(entry('two'))).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  await audit.close()
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 1, problems: [] })
})

test('after a failed fsync flush() rejects and nothing more is appended', async () => {
  const directory = auditFolder()
  const audit = createAudit({ directory, ...start }, { write: auditDisk.write, sync: () => Promise.reject(new Error('i/o error')) })
  audit.append(entry('one'))
  await expect(audit.flush()).rejects.toMatchObject({ code: 'AUDIT_FAILED' })
  expect(() => audit.append(entry('two'))).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  await expect(audit.close()).rejects.toMatchObject({ code: 'AUDIT_FAILED' })
  expect(logLines(directory)).toHaveLength(1)
})

test('after a failed checkpoint nothing is appended until one is written', async () => {
  const directory = auditFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let calls = 0
  const failing = new Set([2, 3])
  const disk: AuditDisk = {
    write: auditDisk.write,
    sync: async () => {
      calls += 1
      if (failing.has(calls)) throw new Error('no space left on device')
    },
  }
  const audit = createAudit({ directory, ...start }, disk)
  audit.append(entry('one'))
  const appends = (): boolean => {
    try {
      audit.append(entry('two'))
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'AUDIT_FAILED' })
      return false
    }
  }
  await vi.advanceTimersByTimeAsync(10)
  await until(() => vi.getTimerCount() === 1)
  expect(appends()).toBe(false)
  await vi.advanceTimersByTimeAsync(250)
  await until(() => vi.getTimerCount() === 1)
  expect([calls, appends()]).toEqual([3, false])
  await vi.advanceTimersByTimeAsync(250)
  await until(appends)
  vi.useRealTimers()
  await audit.close()
  expect(readdirSync(directory).toSorted()).toEqual(['audit.jsonl', 'checkpoint.json', 'key'])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 2, problems: [] })
})

test('append() after close() throws CLOSED; close() twice is the same', async () => {
  const audit = createAudit({ directory: auditFolder(), ...start })
  const closing = audit.close()
  expect(audit.close()).toBe(closing)
  expect(() => audit.append(entry('one'))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  await closing
})

test('hashed() gives the hash of the UTF-8 bytes and the length in UTF-16 units', () => {
  expect(hashed('abc')).toEqual({ sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', chars: 3 })
  expect(hashed('😀').chars).toBe(2)
})

test.each([
  ['one under', 'x'.repeat(maxTextChars - 1), undefined],
  ['at', 'x'.repeat(maxTextChars), undefined],
  ['one over', 'x'.repeat(maxTextChars + 1), keptTextChars],
  ['a mebibyte', 'y'.repeat(1024 * 1024), keptTextChars],
  ['a character on the border', `${'x'.repeat(keptTextChars - 1)}${'😀'.repeat(maxTextChars)}`, keptTextChars - 1],
])('append() keeps or cuts a text of a length: %s', async (_, text, kept) => {
  const directory = auditFolder()
  await writtenLog(directory, [text])
  const { command } = JSON.parse(logLines(directory)[0] ?? '').asked
  expect(command).toEqual(kept === undefined ? text : { cut: text.slice(0, kept), ...hashed(text) })
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 1 })
})

test.each([99, 100, 101])('bounded() tells at most 100 items of a list: %s', count => {
  const list = Array.from({ length: count }, (_, index) => index)
  expect(bounded({ list })).toEqual({ list: count <= 100 ? list : [...list.slice(0, 100), { more: 1 }] })
})

/** Lets the disk work while the timers stand still. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}
