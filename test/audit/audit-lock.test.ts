// The lock: held by one, waited for, broken when its owner is dead, never taken from a live one.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type AuditLock, createAuditLock } from '../../src/audit/audit-lock.ts'
import { auditFolder } from './support.ts'

function newLock(foreignLockMs?: number): { readonly lock: AuditLock; readonly path: string } {
  const folder = auditFolder()
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'lock')
  const lock = createAuditLock(path, foreignLockMs)
  onTestFinished(() => lock.close())
  return { lock, path }
}

/** Id, start and place of this process, as the lock names them. */
function ownName(lock: AuditLock, path: string): readonly string[] {
  return lock.hold(0, () => readFileSync(path, 'latin1')).split(':')
}

/** Whatever lies there but the file of this process. */
function left(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter(name => !name.startsWith('lock.owner-'))
}

test('hold() gives what the act gives and is free afterwards, also when the act throws', () => {
  const { lock, path } = newLock()
  expect(lock.hold(0, () => readFileSync(path, 'latin1').split(':')[0])).toBe(String(process.pid))
  const fault = (): never => {
    throw new Error('no')
  }
  expect(() => lock.hold(0, fault)).toThrow('no')
  expect(left(path)).toEqual([])
  lock.close()
  expect(readdirSync(dirname(path))).toEqual([])
})

test('hold() waits for a live owner up to its bound, then names the process', () => {
  const { lock, path } = newLock()
  const other = createAuditLock(path)
  lock.hold(0, () => {
    const began = performance.now()
    expect(() => other.hold(50, () => {})).toThrow(`process ${process.pid}`)
    expect(performance.now() - began).toBeGreaterThanOrEqual(50)
    expect(left(path)).toEqual(['lock'])
  })
  expect(other.hold(0, () => 'had')).toBe('had')
  other.close()
})

test.each<[string, (id: string, start: string, place: string) => string]>([
  ['an ended process', (_, start, place) => `4194304:${start}:${place}`],
  ['an earlier process of the same id', (id, start, place) => `${id}:${Number(start) - 1}:${place}`],
  ['nobody', (_, __, place) => `::${place}`],
])('hold() breaks the lock of %s', (_, owner) => {
  const { lock, path } = newLock()
  const [id = '', start = '', place = ''] = ownName(lock, path)
  writeFileSync(path, owner(id, start, place))
  expect(lock.hold(0, () => readFileSync(path, 'latin1'))).toBe([id, start, place].join(':'))
  expect(left(path)).toEqual([])
})

test('hold() breaks the lock of a process that died while it broke another', () => {
  const { lock, path } = newLock()
  const [, start = '', place = ''] = ownName(lock, path)
  const dead = `4194304:${start}:${place}`
  writeFileSync(path, dead)
  writeFileSync(`${path}.${dead.replaceAll(':', '-')}`, `4194303:${start}:${place}`)
  expect(lock.hold(0, () => 'had')).toBe('had')
  expect(left(path)).toEqual([])
})

test.each([
  [60_000, false],
  [-1, true],
])('hold() believes a lock of another container for %s ms: broken at once: %s', (foreignLockMs, broken) => {
  const { lock, path } = newLock(foreignLockMs)
  writeFileSync(path, '1:1:elsewhere')
  if (broken) expect(lock.hold(0, () => 'had')).toBe('had')
  else expect(() => lock.hold(0, () => 'had')).toThrow('was not free')
})

test('hold() leaves alone a lock that is no longer its own', () => {
  const { lock, path } = newLock()
  lock.hold(0, () => {
    rmSync(path)
    writeFileSync(path, 'another')
  })
  expect(readFileSync(path, 'latin1')).toBe('another')
})

test('createAuditLock() removes the files of processes that ended, and no other', () => {
  const { lock, path } = newLock()
  const [id = '', start = '', place = ''] = ownName(lock, path)
  const owners = {
    killed: `4194304:${start}:${place}`,
    'used-again': `${id}:${Number(start) - 1}:${place}`,
    live: [id, start, place].join(':'),
    elsewhere: '1:1:elsewhere',
    // One that is just being written.
    begun: '',
    half: `4194304:${start}`,
  }
  for (const [name, owner] of Object.entries(owners)) writeFileSync(`${path}.owner-${name}`, owner)
  const other = createAuditLock(path)
  const names = readdirSync(dirname(path))
  for (const name of Object.keys(owners))
    expect([name, names.includes(`lock.owner-${name}`)]).toEqual([name, !/^(killed|used-again)$/.test(name)])
  other.close()
})
