// Writes a whole file on a decided path: a new one with its folders, or over one that this run has read and nobody changed since.
// Synchronous on purpose: of two calls for one file the second sees what the first wrote.

import { type DecidedPath, explained, toolFailed } from './decided-path.ts'
import { bytesText, maxFileBytes } from './read.ts'
import { checkSeen, hashOf, type ReadLedger } from './read-ledger.ts'
import { writeDecided } from './walk.ts'
import { readWhole } from './whole-file.ts'

interface WriteRequest {
  readonly path: DecidedPath
  readonly content: string
}

interface WrittenFile {
  /** As the model named it. */
  readonly path: string
  readonly action: 'created' | 'overwritten'
  readonly lines: number
  readonly bytes: number
}

/** @throws {SkillcellError} TOOL_FAILED, FILE_CHANGED; the old content stands then. */
export function writeWhole({ path, content }: WriteRequest, ledger: ReadLedger): WrittenFile {
  return explained(`write "${path.shown}"`, () => {
    const bytes = Buffer.from(content)
    if (bytes.length > maxFileBytes)
      throw toolFailed(`write "${path.shown}"`, `the content has ${bytesText(bytes.length)}, and at most 10 MiB are written`)
    const before = readWhole(path)
    if (before) checkSeen(ledger, path, before.state, before.bytes)
    const state = writeDecided(path.real, bytes, { shown: path.shown, makeFolders: true, expected: before?.state ?? 'absent' })
    ledger.note(path.real, { state, hash: hashOf(bytes) })
    return { path: path.shown, action: before ? 'overwritten' : 'created', lines: lineCount(content), bytes: bytes.length }
  })
}

function lineCount(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
