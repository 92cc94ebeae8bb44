// One writer at a time, across processes: a lock that is held for the length of one synchronous act.
// Each process has a file with its name; the lock is a second link to it, made in one step, so there is no lock without an owner.
// The lock of a process that died is broken; a live one is waited for, up to a bound. A link and no new file or symbolic link
// each time: those were measured, and cost milliseconds on a busy ext4, which does not use the number of a removed file again soon.

import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isSystemError } from '../errors.ts'
import { placeOfIds, processStart } from '../process-identity.ts'

export interface AuditLock {
  /**
   * Runs `act` while holding the lock. Blocks the thread while another process holds it.
   * @throws {Error} when it is not had within `waitMs`; system errors of the folder as they come.
   */
  hold<T>(waitMs: number, act: () => T): T
  /** Removes the file of this process. */
  close(): void
}

interface Attempt {
  /** The file that names this process. */
  readonly own: string
  /** Its number: the lock is a second link to it. */
  readonly inode: number
  readonly until: number
  readonly waitMs: number
  readonly foreignLockMs: number
}

/**
 * @param foreignLockMs how long a lock is believed whose owner cannot be looked up (another container, another boot):
 *   it is held for far less than the default of a minute.
 */
export function createAuditLock(path: string, foreignLockMs = 60_000): AuditLock {
  removeFilesOfTheDead(path)
  const own = `${path}${ownerMark}${randomBytes(8).toString('hex')}`
  writeFileSync(own, self(), { flag: 'wx', mode: 0o600 })
  const inode = lstatSync(own).ino
  return {
    hold: (waitMs, act) => {
      acquire(path, { own, inode, until: performance.now() + waitMs, waitMs, foreignLockMs }, 0)
      try {
        return act()
      } finally {
        release(path, inode)
      }
    },
    close: () => removeIfThere(own),
  }
}

function acquire(path: string, attempt: Attempt, depth: number): void {
  const { own, until, waitMs, foreignLockMs } = attempt
  for (let pauseMs = 0.1; !tryLock(own, path); pauseMs = Math.min(pauseMs * 2, 2)) {
    const owner = readOwner(path)
    if (owner === undefined) continue
    if (isDead(owner, path, foreignLockMs)) breakLock(path, owner, attempt, depth)
    else if (performance.now() >= until)
      throw new Error(`the lock "${path}" was not free within ${waitMs} ms; process ${owner.split(':')[0]} holds it`)
    // Uneven pauses, so that two waiters do not meet again and again.
    else sleep(pauseMs * (0.5 + Math.random()))
  }
}

function tryLock(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

/** Looks first: a lock that was broken meanwhile, or removed by hand, is no longer ours to remove. */
function release(path: string, inode: number): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) removeIfThere(path)
}

/**
 * Two processes may find the same dead owner. Only who holds the lock on that owner's name may remove its lock, and only
 * after looking again: else the second would remove the lock that the first has just made.
 */
function breakLock(path: string, owner: string, attempt: Attempt, depth: number): void {
  // Each level is a process that died in the middle of this function.
  if (depth === 3) throw new Error(`the lock "${path}" of the ended process ${owner.split(':')[0]} cannot be broken; remove it by hand`)
  const breaker = `${path}.${owner.replaceAll(':', '-')}`
  acquire(breaker, attempt, depth + 1)
  try {
    if (readOwner(path) === owner) unlinkSync(path)
  } finally {
    release(breaker, attempt.inode)
  }
}

function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

const ownerMark = '.owner-'

/** What killed processes left. One that is just being written names no place yet, so its age counts. */
function removeFilesOfTheDead(path: string): void {
  const folder = dirname(path)
  const before = `${basename(path)}${ownerMark}`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(before)) continue
    const file = join(folder, name)
    const owner = readOwner(file)
    if (owner !== undefined && isDead(owner, file, abandonedMs)) removeIfThere(file)
  }
}

const abandonedMs = 60_000

function isDead(owner: string, path: string, foreignLockMs: number): boolean {
  const [id = '', start, space] = owner.split(':')
  if (space !== placeOfIds()) return ageOf(path) > foreignLockMs
  return processStart(Number(id)) !== start
}

/** Since the lock was taken: making a link changes the state of the file, not its content. */
function ageOf(path: string): number {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return status === undefined ? 0 : Date.now() - status.ctimeMs
}

let ownName: string | undefined

/** `process id:start:boot and PID space`. */
function self(): string {
  ownName ??= `${process.pid}:${processStart(process.pid) ?? ''}:${placeOfIds()}`
  return ownName
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

function sleep(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms)
}
