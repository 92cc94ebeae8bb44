// The last entries of a log, read from its end. Lines that cannot be read are counted, not shown.

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'
import { createLineCutter, maxLineBytes } from './audit-lines.ts'
import { logName } from './audit-log.ts'
import { unseal } from './audit-seal.ts'

interface LastEntries {
  /** Oldest first, as they stand in the log. */
  readonly entries: readonly Readonly<Record<string, unknown>>[]
  readonly unreadable: number
}

/** The most that can be asked for at once, so that memory stays bounded. */
export const maxLastEntries = 10_000

/** No more than 64 MiB from the end are looked at. @throws {SkillcellError} AUDIT_FAILED when the file cannot be read. */
export async function readLastEntries(directory: string, count: number): Promise<LastEntries> {
  const path = join(directory, logName)
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      // Doubling: the length of a line is not known, and most are short.
      for (let length = Math.min(size, 2_048 * count + maxLineBytes); ; length = Math.min(size, length * 2)) {
        const buffer = Buffer.alloc(length)
        const { bytesRead } = await file.read(buffer, 0, length, size - length)
        const found = parse(buffer.subarray(0, bytesRead), length < size)
        if (found.entries.length >= count || length === size || length * 2 > maxReadBytes)
          return { ...found, entries: found.entries.slice(-count) }
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { entries: [], unreadable: 0 }
    throw new SkillcellError('INTERNAL', `Cannot read the audit in "${directory}": ${messageOf(error)}`, { cause: error })
  }
}

const maxReadBytes = 64 * 1024 * 1024

function parse(bytes: Buffer, beginsInside: boolean): LastEntries {
  const entries: Readonly<Record<string, unknown>>[] = []
  let unreadable = 0
  let skip = beginsInside
  const cutter = createLineCutter(({ bytes: line }) => {
    if (skip) {
      skip = false
      return
    }
    const sealed = line && unseal(line, 'hash')
    if (sealed) entries.push(sealed.value)
    else unreadable += 1
  })
  cutter.push(bytes)
  cutter.end()
  return { entries, unreadable }
}
