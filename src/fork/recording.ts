// Writes the turns of a conversation to a file, one line each, for `script:FILE` to play again (SPEC R8.3). They are written beside the
// file, mode 0600, each when its turn is over; the file is replaced at the end of the run, and only if there was a turn. A run that is
// killed leaves what it had beside the file, as FILE.partial-…, which can be played too.

import { randomBytes } from 'node:crypto'
import { accessSync, closeSync, constants, openSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'

export interface Recording {
  add(line: string): void
  /** Puts the recording in its place. @throws {SkillcellError} USAGE when it cannot be put there */
  close(): void
}

/** @throws {SkillcellError} USAGE when the file cannot be written */
export function openRecording(path: string): Recording {
  checkRecording(path)
  const beside = `${path}.partial-${randomBytes(4).toString('hex')}`
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const descriptor = attempt(path, () => openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600))
  let hasTurns = false
  return {
    add: line => {
      const bytes = Buffer.from(`${line}\n`)
      attempt(path, () => {
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
      })
      hasTurns = true
    },
    close: () => {
      closeSync(descriptor)
      attempt(path, () => {
        if (!hasTurns) return unlinkSync(beside)
        checkRecording(path)
        // A link that stands there is replaced, and what it leads to is left alone.
        renameSync(beside, path)
      })
    },
  }
}

/**
 * Before anything runs: whether a conversation can be kept there.
 * @param script the file that the model of the run reads, if it is a script
 * @throws {SkillcellError} USAGE
 */
export function checkRecording(path: string, script?: string): void {
  attempt(path, () => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw refused(path, 'it is a folder; give the name of a file')
    if (found && !found.isFile()) throw refused(path, 'it is no ordinary file')
    if (!statSync(dirname(path)).isDirectory()) throw refused(path, `"${dirname(path)}" is no folder`)
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
    const played = script === undefined ? undefined : statSync(script, { throwIfNoEntry: false })
    if (found && played && found.ino === played.ino && found.dev === played.dev)
      throw refused(path, 'it is the script that the run plays; give another file')
  })
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof SkillcellError ? error : refused(path, reasonOf(error), error)
  }
}

function refused(path: string, why: string, cause?: unknown): SkillcellError {
  return new SkillcellError('USAGE', `Cannot record to "${path}": ${why}`, { cause })
}

function reasonOf(error: unknown): string {
  if (isSystemError(error, 'ENOENT')) return 'its folder is not there'
  if (isSystemError(error, 'ENOTDIR')) return 'a part of its path is no folder'
  if (isSystemError(error, 'EACCES', 'EPERM')) return 'permission is denied'
  if (isSystemError(error, 'EROFS')) return 'it lies on a read-only disk'
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) return 'the disk is full'
  return isSystemError(error) ? `the system says ${error.code}` : messageOf(error)
}
