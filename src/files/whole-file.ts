// A whole file on a decided path, read at once for a change of it. One that is too large is told apart, never read.

import { closeSync, fstatSync, readSync } from 'node:fs'
import { isSystemError } from '../errors.ts'
import { type DecidedPath, type FileState, stateOf } from './decided-path.ts'
import { maxFileBytes } from './read.ts'
import { openDecided } from './walk.ts'

export interface WholeFile {
  readonly state: FileState
  /** Undefined over 10 MiB. */
  readonly bytes?: Buffer
}

/** Undefined when there is no file. @throws {SkillcellError} FILE_CHANGED; system errors as they come. */
export function readWhole(path: DecidedPath): WholeFile | undefined {
  let descriptor: number
  try {
    descriptor = openDecided(path.real, path.shown)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    const state = stateOf(fstatSync(descriptor, { bigint: true }))
    if (state.size > BigInt(maxFileBytes)) return { state }
    const bytes = Buffer.alloc(Number(state.size))
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, length)
    return { state, bytes: bytes.subarray(0, length) }
  } finally {
    closeSync(descriptor)
  }
}
