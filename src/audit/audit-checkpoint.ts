// The checkpoint: how far the log was on the disk, sealed with a key. It is what makes a cut or a recomputed chain visible.
// It does not protect from one who has the key, nor from one who puts back an older log together with its older checkpoint.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../errors.ts'
import type { ChainPosition } from './audit-chain.ts'
import { seal, unseal } from './audit-seal.ts'

export interface Checkpoint extends ChainPosition {
  readonly tenant: string
}

export const checkpointName = 'checkpoint.json'

/** `forged`: there is one, and this key did not seal it. */
export function readCheckpoint(directory: string, key: Uint8Array): Checkpoint | 'none' | 'forged' {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(directory, checkpointName))
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 'none'
    throw error
  }
  const end = bytes.length - 1
  const found = bytes[end] === 0x0a ? unseal(bytes.subarray(0, end), 'mac', key) : undefined
  if (found === undefined) return 'forged'
  const { format, tenant, sequence, hash, bytes: covered } = found.value
  if (format !== 1 || typeof tenant !== 'string' || typeof sequence !== 'number' || typeof hash !== 'string' || typeof covered !== 'number')
    return 'forged'
  return { tenant, sequence, hash, bytes: covered }
}

/** A checkpoint that is written and not yet in force. */
interface StagedCheckpoint {
  readonly path: string
  readonly file: FileHandle
}

/** Writes it beside the one in force. The caller syncs it, then puts it in force or drops it. */
export async function stageCheckpoint(directory: string, checkpoint: Checkpoint, key: Uint8Array): Promise<StagedCheckpoint> {
  const path = stagedPath(directory)
  // Not on the main thread: making a file is what a busy disk is slow at.
  const file = await open(path, stagedFlags, 0o600)
  try {
    await file.writeFile(sealed(checkpoint, key))
  } catch (error) {
    await dropCheckpoint({ path, file })
    throw error
  }
  return { path, file }
}

/** Synchronous, to be done under the lock. The file stays to be closed. */
export function enforceCheckpoint(directory: string, { path }: StagedCheckpoint): void {
  renameSync(path, join(directory, checkpointName))
}

export async function dropCheckpoint({ path, file }: StagedCheckpoint): Promise<void> {
  await file.close()
  await rm(path, { force: true })
}

/** The first one, before there is a line: a log without a checkpoint is then always a fault. The caller holds the lock. */
export function writeFirstCheckpoint(directory: string, checkpoint: Checkpoint, key: Uint8Array): void {
  const path = stagedPath(directory)
  const descriptor = openSync(path, stagedFlags, 0o600)
  try {
    writeFileSync(descriptor, sealed(checkpoint, key))
    fsyncSync(descriptor)
    renameSync(path, join(directory, checkpointName))
  } finally {
    closeSync(descriptor)
  }
}

const stagedFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

function stagedPath(directory: string): string {
  return join(directory, `${checkpointName}.${randomBytes(8).toString('hex')}`)
}

function sealed({ tenant, sequence, hash, bytes }: Checkpoint, key: Uint8Array): string {
  return `${seal({ format: 1, tenant, at: new Date().toISOString(), sequence, bytes, hash }, 'mac', key).text}\n`
}

/** How old a staged one has to be to be one that a killed process left. */
const abandonedMs = 60_000

export function removeAbandonedCheckpoints(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${checkpointName}.`)) continue
    const path = join(directory, name)
    const status = statSync(path, { throwIfNoEntry: false })
    if (status === undefined || Date.now() - status.mtimeMs < abandonedMs) continue
    try {
      unlinkSync(path)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error
    }
  }
}
