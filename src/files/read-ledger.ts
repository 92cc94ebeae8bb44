// What a run has read, by real path: a file may be changed only by one who knows what stands in it now.

import { createHash } from 'node:crypto'
import { type DecidedPath, type FileState, fileChanged, isSameState, toolFailed } from './decided-path.ts'

interface SeenFile {
  readonly state: FileState
  /** Of all its bytes; absent when only a part was read. */
  readonly hash?: string
}

export interface ReadLedger {
  note(real: string, seen: SeenFile): void
  find(real: string): SeenFile | undefined
}

export function createReadLedger(): ReadLedger {
  const files = new Map<string, SeenFile>()
  return { note: (real, seen) => void files.set(real, seen), find: real => files.get(real) }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64')
}

/**
 * @param bytes the whole of it; undefined for a file too large to compare
 * @throws {SkillcellError} TOOL_FAILED for a file that was not read, FILE_CHANGED for one that changed since
 */
export function checkSeen(ledger: ReadLedger, path: DecidedPath, state: FileState, bytes: Uint8Array | undefined): void {
  const seen = ledger.find(path.real)
  if (seen === undefined)
    throw toolFailed(`change "${path.shown}"`, 'it was not read in this run; read it first, so that nothing in it is lost')
  // Only a touched file has another state and the same bytes; and two changes inside one tick of the clock have one state.
  const isSame = seen.hash !== undefined && bytes !== undefined ? seen.hash === hashOf(bytes) : isSameState(seen.state, state)
  if (!isSame) throw fileChanged(`change "${path.shown}"`, 'it changed since it was read; read it again, then repeat the change')
}
