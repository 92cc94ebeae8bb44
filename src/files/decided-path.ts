// A path on which the policy has decided, and what goes wrong with it, in words for a model: what it is, and what to do next.
// Texts name the path as the model gave it, so that no folder of this machine is told that it did not know.

import type { BigIntStats } from 'node:fs'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'

export interface DecidedPath {
  /** Absolute, without a link: what was decided. */
  readonly real: string
  /** As the model gave it. */
  readonly shown: string
}

/** Enough to tell whether a file is still the one that was seen. */
export interface FileState {
  readonly device: bigint
  readonly inode: bigint
  readonly size: bigint
  readonly modifiedNs: bigint
  readonly changedNs: bigint
}

export function stateOf(stats: BigIntStats): FileState {
  return { device: stats.dev, inode: stats.ino, size: stats.size, modifiedNs: stats.mtimeNs, changedNs: stats.ctimeNs }
}

export function isSameState(a: FileState, b: FileState): boolean {
  return a.inode === b.inode && a.device === b.device && a.size === b.size && a.modifiedNs === b.modifiedNs && a.changedNs === b.changedNs
}

/** @param what the act, like `read "a.txt"` */
export function toolFailed(what: string, why: string, cause?: unknown): SkillcellError {
  return new SkillcellError('TOOL_FAILED', `Cannot ${what}: ${why}`, { cause })
}

export function fileChanged(what: string, why: string, cause?: unknown): SkillcellError {
  return new SkillcellError('FILE_CHANGED', `Cannot ${what}: ${why}`, { cause })
}

/** Runs an act on a file; a system error becomes TOOL_FAILED. */
export function explained<T>(what: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof SkillcellError ? error : toolFailed(what, reasonOf(error), error)
  }
}

function reasonOf(error: unknown): string {
  if (isSystemError(error, 'ENOENT')) return 'there is no such file; Glob finds files by name'
  if (isSystemError(error, 'EACCES', 'EPERM')) return 'permission is denied'
  if (isSystemError(error, 'EROFS')) return 'it lies on a read-only disk'
  if (isSystemError(error, 'ENOSPC', 'EDQUOT', 'EFBIG'))
    return 'the disk is full or a size limit is reached; what was there before is untouched'
  if (isSystemError(error, 'ENAMETOOLONG')) return 'its name is too long'
  if (isSystemError(error, 'ENXIO', 'ENODEV')) return 'it is no ordinary file'
  if (isSystemError(error, 'EMFILE', 'ENFILE')) return 'too many files are open; try again'
  // The text of another system error names the path by descriptor, which tells nobody anything.
  return isSystemError(error) ? `the system says ${error.code}` : messageOf(error)
}
