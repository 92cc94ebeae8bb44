// The log file of one tenant: opened, followed while other processes write to it, appended to. Everything here is synchronous and
// done under the lock. It never goes on behind lines that are not what was written; a line that a crash cut short is recorded as such.

import { chmodSync, closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, SkillcellError } from '../errors.ts'
import { preparePrivateFolder } from '../private-folder.ts'
import { type ChainPosition, type ChainProblem, chainStart, createChainReader, nextLine, tornEntry } from './audit-chain.ts'
import { checkpointName, readCheckpoint, removeAbandonedCheckpoints, writeFirstCheckpoint } from './audit-checkpoint.ts'
import type { AuditDisk } from './audit-disk.ts'
import { auditDamaged, auditFailure } from './audit-failure.ts'
import { makeAuditKey, readAuditKey } from './audit-key.ts'
import { createAuditLock } from './audit-lock.ts'

export const logName = 'audit.jsonl'

interface AuditLogOptions {
  readonly directory: string
  readonly tenant: string
  readonly key?: Uint8Array
  readonly lockWaitMs: number
  readonly disk: AuditDisk
}

export interface AuditLog {
  readonly descriptor: number
  readonly key: Uint8Array
  /** Behind the last line that this process wrote. */
  position(): ChainPosition
  /** All in one piece under one lock: when it throws, none of them stands in the log. */
  append(values: readonly object[]): void
  /** Runs `act` with the checkpoint in force, under the lock. */
  underLock<T>(act: (covered: ChainPosition) => T): T
  close(): void
}

/** @throws {SkillcellError} when the folder cannot be used or the log in it is damaged. */
export function openAuditLog({ directory, tenant, key: given, lockWaitMs, disk }: AuditLogOptions): AuditLog {
  const path = join(directory, logName)
  const lock = asFailure(directory, () => {
    preparePrivateFolder(directory)
    return createAuditLock(join(directory, 'lock'))
  })
  const locked = <T>(act: () => T): T => asFailure(directory, () => lock.hold(lockWaitMs, act))
  const { key, descriptor, inode } = orElse(lock.close, () => locked(() => begin(directory, path, tenant, given)))
  const close = (): void => {
    closeSync(descriptor)
    lock.close()
  }
  let known: ChainPosition = chainStart
  let glue: '' | '\n' = ''

  /** Reads what others have written since, and what a crash has left. */
  const catchUp = (size: number): void => {
    const start = startOf(size)
    const problems: ChainProblem[] = []
    const reader = createChainReader(start, {
      // A crash that an earlier writer has recorded is no damage; one problem is enough to stop.
      onProblem: problem => {
        if (problem.kind !== 'torn' && problems.length === 0) problems.push(problem)
      },
    })
    readRange(descriptor, start.bytes, size, reader.push)
    const { position, unterminated, tail } = reader.end()
    if (problems[0]) throw auditDamaged(directory, `behind number ${start.sequence} it is damaged: ${problems[0].message}`)
    known = { ...position, bytes: size }
    glue = unterminated ? '\n' : ''
    if (tail === undefined) return
    if (!tail.unfinished) throw auditDamaged(directory, `what stands behind number ${position.sequence} is not what was written`)
    glue = '\n'
    put([tornEntry(tail)])
  }

  /** Far behind, or at the start, the checkpoint saves reading what it covers. */
  const startOf = (size: number): ChainPosition => {
    if (known !== chainStart && size - known.bytes < nearBytes) return known
    const covered = readCovered()
    if (covered.bytes > size) throw auditDamaged(directory, `${logName} has ${size} bytes, and the checkpoint covers ${covered.bytes}`)
    if (covered.bytes <= known.bytes) return known
    if (!endsIn(descriptor, covered)) throw auditDamaged(directory, `line ${covered.sequence} is not the one that the checkpoint covers`)
    return covered
  }

  const readCovered = (): ChainPosition => {
    const found = readCheckpoint(directory, key)
    if (found === 'none') throw auditDamaged(directory, `${checkpointName} is gone`)
    if (found === 'forged') throw auditDamaged(directory, `${checkpointName} was not made with this key`)
    if (found.tenant !== tenant) throw auditDamaged(directory, `it is of tenant "${found.tenant}", and "${tenant}" is wanted`)
    return found
  }

  const put = (values: readonly object[]): void => {
    let position = known
    const lines = values.map((value, index) => {
      const line = nextLine(position, value, index === 0 ? glue : '')
      position = line.position
      return line.bytes
    })
    try {
      writeAll(disk, descriptor, lines.length === 1 && lines[0] ? lines[0] : Buffer.concat(lines))
    } catch (error) {
      // What was written of it is taken back. If that fails too, the next append finds it: whole lines go on, half of one is recorded.
      undo(descriptor, known.bytes)
      throw error
    }
    known = position
    glue = ''
  }

  const follow = (): void => {
    // By path: a log that was moved away or removed would still take what we write, and nobody would ever read it.
    const status = statSync(path, { throwIfNoEntry: false })
    if (status === undefined || status.ino !== inode) throw auditDamaged(directory, `${logName} is gone or another`)
    if (status.size < known.bytes) throw auditDamaged(directory, `${logName} has ${status.size} bytes, and ${known.bytes} were written`)
    if (status.size > known.bytes || known === chainStart) catchUp(status.size)
  }

  orElse(close, () => locked(follow))
  return {
    descriptor,
    key,
    position: () => known,
    append: values =>
      locked(() => {
        follow()
        put(values)
      }),
    underLock: act => locked(() => act(readCovered())),
    close,
  }
}

/** Below that, reading what was added costs less than the checkpoint. */
const nearBytes = 256 * 1024

function asFailure<T>(directory: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof SkillcellError ? error : auditFailure(directory, messageOf(error), error)
  }
}

function orElse<T>(release: () => void, act: () => T): T {
  try {
    return act()
  } catch (error) {
    release()
    throw error
  }
}

/** Order matters: key, checkpoint, log. A crash between two leaves what the next one can go on from. */
function begin(
  directory: string,
  path: string,
  tenant: string,
  given: Uint8Array | undefined,
): { key: Uint8Array; descriptor: number; inode: number } {
  const begun = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
  const key = given ?? readAuditKey(directory)
  const covered = key && readCheckpoint(directory, key)
  if (key === undefined && (begun || statSync(join(directory, checkpointName), { throwIfNoEntry: false }) !== undefined))
    throw auditDamaged(directory, 'its key is gone')
  if (covered === 'none' && begun) throw auditDamaged(directory, `${checkpointName} is gone`)
  const used = key ?? makeAuditKey(directory)
  if (covered === 'none' || covered === undefined) writeFirstCheckpoint(directory, { tenant, ...chainStart }, used)
  removeAbandonedCheckpoints(directory)
  const descriptor = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  const status = fstatSync(descriptor)
  if ((status.mode & 0o777) !== 0o600) chmodSync(path, 0o600)
  if (!begun) syncFolder(directory)
  return { key: used, descriptor, inode: status.ino }
}

/** So that a power failure does not take the names of the new files. */
function syncFolder(directory: string): void {
  const descriptor = openSync(directory, constants.O_RDONLY)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function readRange(descriptor: number, from: number, to: number, push: (chunk: Buffer) => void): void {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  for (let at = from; at < to; ) {
    const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, to - at), at)
    if (count === 0) throw new Error(`it ended at ${at} bytes while it was read, and ${to} are wanted`)
    push(buffer.subarray(0, count))
    at += count
  }
}

/** Whether the line that ends at the position is the one of that hash. */
function endsIn(descriptor: number, { bytes, hash }: ChainPosition): boolean {
  if (bytes === 0) return true
  const wanted = Buffer.from(`"hash":"${hash}"}\n`)
  const found = Buffer.alloc(wanted.length)
  return (
    bytes >= wanted.length && readSync(descriptor, found, 0, found.length, bytes - found.length) === found.length && found.equals(wanted)
  )
}

function writeAll(disk: AuditDisk, descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const count = disk.write(descriptor, bytes.subarray(done))
    if (count === 0) throw new Error('the disk takes no more')
    done += count
  }
}

function undo(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size)
  } catch {
    // The first error is the one to tell.
  }
}
