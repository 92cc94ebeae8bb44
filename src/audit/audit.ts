// The writer of a tenant's audit: each entry stands in the log before the act it tells of, and is on the disk within milliseconds.
// Several processes may write for one tenant; they make one chain. It leaves what an entry says to its callers.

import { SkillcellError } from '../errors.ts'
import { type Checkpoint, dropCheckpoint, enforceCheckpoint, stageCheckpoint } from './audit-checkpoint.ts'
import { type AuditDisk, auditDisk } from './audit-disk.ts'
import { type AuditEntry, bounded, isBounded } from './audit-entry.ts'
import { auditFailure } from './audit-failure.ts'
import { createAuditGroups } from './audit-groups.ts'
import { type AuditLog, openAuditLog } from './audit-log.ts'

interface AuditOptions {
  /** The audit folder of one tenant (SPEC R16.1). Made if it is not there, mode 0700. */
  readonly directory: string
  readonly tenant: string
  /** 32 bytes that seal the checkpoints. Default: the file `key` in the folder, made at first use. */
  readonly key?: Uint8Array
  /** How long an append blocks while another process writes. Default 5,000 ms. */
  readonly lockWaitMs?: number
}

export interface Audit {
  /**
   * Writes the entries, synchronously: call it before the act. A process that dies right after has lost nothing.
   * @throws {SkillcellError} AUDIT_FAILED when they cannot be written, CLOSED after close(). The act must not happen then; no entry stands.
   */
  append(...entries: readonly AuditEntry[]): void
  /** Resolves when all entries so far are on the disk. @throws {SkillcellError} AUDIT_FAILED when that failed. */
  flush(): Promise<void>
  /** Flushes, writes the last checkpoint and closes the file. A second call gives the same promise. */
  close(): Promise<void>
}

/** From an append to the start of its fsync; SPEC R11.5 allows 10 ms in all. Each wakes another thread and makes who changes a folder wait. */
const groupDelayMs = 8

/** @throws {SkillcellError} AUDIT_FAILED when the folder cannot be used, or the log in it is not what was written. */
export function createAudit({ directory, tenant, key, lockWaitMs = 5_000 }: AuditOptions, disk: AuditDisk = auditDisk): Audit {
  const log = openAuditLog({ directory, tenant, key, lockWaitMs, disk })
  const groups = createAuditGroups({
    delayMs: groupDelayMs,
    position: log.position,
    sync: () =>
      disk.sync(log.descriptor).catch(error => Promise.reject(auditFailure(directory, 'it is not sure what is on the disk', error))),
    checkpoint: position => writeCheckpoint(directory, log, { tenant, ...position }, disk),
  })
  let closing: Promise<void> | undefined

  return {
    append: (...entries) => {
      if (closing) throw new SkillcellError('CLOSED', `Cannot write the audit in "${directory}": it is closed`)
      for (const { who } of entries)
        if (who.tenant !== tenant) throw auditFailure(directory, `the entry is of tenant "${who.tenant}", and "${tenant}" is wanted`)
      groups.check()
      if (entries.length === 0) return
      log.append(entries.map(boundedEntry))
      groups.mark()
    },
    flush: groups.flush,
    close: () => {
      closing ??= groups.close().finally(log.close)
      return closing
    },
  }
}

function boundedEntry(entry: AuditEntry): object {
  const { type, ...rest } = entry
  // The kind first: a person reads the log too.
  if (isBounded(rest)) return { type, ...rest }
  return { type, ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, bounded(value)])) }
}

/** Never goes back: another process may have covered more meanwhile. */
async function writeCheckpoint(directory: string, log: AuditLog, checkpoint: Checkpoint, disk: AuditDisk): Promise<void> {
  try {
    const staged = await stageCheckpoint(directory, checkpoint, log.key)
    try {
      await disk.sync(staged.file.fd)
      log.underLock(covered => {
        if (covered.sequence < checkpoint.sequence) enforceCheckpoint(directory, staged)
      })
    } finally {
      await dropCheckpoint(staged)
    }
  } catch (error) {
    throw error instanceof SkillcellError ? error : auditFailure(directory, 'its checkpoint cannot be written', error)
  }
}
