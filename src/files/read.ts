// Reads lines of a text file on a decided path, in bounded memory, whatever the file is or becomes meanwhile. Notes in the ledger what
// was seen. Leaves to others: deciding, and how the lines are shown.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, read as readCallback, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { binaryKind, headBytes } from './binary-kind.ts'
import { type DecidedPath, explained, isSameState, stateOf, toolFailed } from './decided-path.ts'
import { createLineCollector } from './line-collector.ts'
import type { ReadLedger } from './read-ledger.ts'
import { createDecoder, encodingOf } from './text-encoding.ts'
import { openDecided } from './walk.ts'

/** Whole files up to this size are read, changed and compared. */
export const maxFileBytes: number = 10 * 1024 * 1024
/** How far into a larger file a line may lie. */
const maxScanBytes = 512 * 1024 * 1024
const defaultLines = 2_000
const maxLineChars = 2_000
const maxChars = 100_000
const chunkBytes = 256 * 1024

export interface ReadRequest {
  readonly path: DecidedPath
  /** First line, from 1; 0 counts as 1. */
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

export interface FileText {
  readonly lines: readonly string[]
  readonly firstLine: number
  /** Absent for a large file that was not read to its end. */
  readonly totalLines?: number
  /** Where to go on, when there is more. */
  readonly nextOffset?: number
  readonly notes: readonly string[]
}

/** @throws {SkillcellError} TOOL_FAILED with what to do instead, FILE_CHANGED; the reason of `signal`. */
export async function readLines({ path, offset, limit }: ReadRequest, ledger: ReadLedger, signal?: AbortSignal): Promise<FileText> {
  const what = `read "${path.shown}"`
  const descriptor = explained(what, () => openDecided(path.real, path.shown))
  try {
    return await readFrom(descriptor, { path, offset, limit }, ledger, signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return explained(what, () => {
      throw error
    })
  } finally {
    closeSync(descriptor)
  }
}

const readBytes = promisify(readCallback)

async function readFrom(
  descriptor: number,
  { path, offset, limit }: ReadRequest,
  ledger: ReadLedger,
  signal: AbortSignal | undefined,
): Promise<FileText> {
  const what = `read "${path.shown}"`
  const state = stateOf(fstatSync(descriptor, { bigint: true }))
  const size = Number(state.size)
  const head = readHead(descriptor)
  const kind = binaryKind(head)
  if (kind !== undefined) throw toolFailed(what, `it is ${kind} of ${bytesText(size)}, and only text can be read`)
  if (size > maxFileBytes && offset === undefined && limit === undefined) {
    throw toolFailed(
      what,
      `it has ${bytesText(size)}, over the 10 MiB that are read at once; in the workspace find the place with Grep, then give offset and limit`,
    )
  }

  const firstLine = Math.max(1, offset ?? 1)
  const collector = createLineCollector({ firstLine, maxLines: limit ?? defaultLines, maxLineChars, maxChars })
  const decoder = createDecoder(encodingOf(head))
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1))
  // No further than it was long at the beginning: one that grows would never end.
  let position = 0
  let isWhole = true
  while (position < size) {
    signal?.throwIfAborted()
    if (size > maxFileBytes && (collector.isFull || position >= maxScanBytes)) {
      isWhole = false
      break
    }
    const { bytesRead } = await readBytes(descriptor, chunk, 0, Math.min(chunk.length, size - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    const bytes = chunk.subarray(0, bytesRead)
    hash.update(bytes)
    push(decoder.decode(bytes, { stream: true }))
  }
  if (isWhole) push(decoder.decode())

  function push(text: string): void {
    if (text.includes('\0')) throw toolFailed(what, `it is a binary file of ${bytesText(size)}, and only text can be read`)
    collector.push(text)
  }

  const isSame = isSameState(state, stateOf(fstatSync(descriptor, { bigint: true })))
  ledger.note(path.real, isWhole && isSame ? { state, hash: hash.digest('base64') } : { state })
  const { lines, totalLines } = isWhole ? collector.finish() : { lines: collector.lines, totalLines: undefined }
  if (lines.length === 0 && totalLines !== 0) {
    const end =
      totalLines === undefined
        ? `the place lies over ${bytesText(maxScanBytes)} into the file; use Grep`
        : `it has ${totalLines === 1 ? '1 line' : `${totalLines} lines`}`
    throw toolFailed(`${what} from line ${firstLine}`, end)
  }
  const next = firstLine + lines.length
  return {
    lines,
    firstLine,
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(totalLines === undefined || next <= totalLines ? { nextOffset: next } : {}),
    notes: [
      ...(isSame ? [] : ['The file changed while it was read']),
      ...(lines.some(line => line.includes('\uFFFD')) ? ['Some characters could not be decoded and are shown as \uFFFD'] : []),
    ],
  }
}

function readHead(descriptor: number): Buffer {
  const head = Buffer.alloc(headBytes)
  return head.subarray(0, readSync(descriptor, head, 0, headBytes, 0))
}

export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
}
