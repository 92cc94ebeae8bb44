// Opens files that strangers may have put in place. Never blocks on a FIFO or device, never reads more than the limit,
// and says what is wrong with a file that is no text (SPEC R1.5, R17.11).

import { isAscii, isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, type Stats } from 'node:fs'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'

/** Whether a file is still the one that was read. */
export interface FileStamp {
  readonly device: number
  readonly inode: number
  readonly size: number
  readonly modifiedMs: number
  readonly changedMs: number
}

export interface ReadText {
  readonly text: string
  /** The bytes behind `text`, whole only of a file that was read to its end without `isEnough`; else reused by the next call. */
  readonly bytes: Buffer
  readonly isComplete: boolean
  readonly stamp: FileStamp
  readonly isLink: boolean
  readonly realPath: string
}

export interface ReadOptions {
  readonly maxBytes: number
  /** The real path when the path holds no link; spares asking for it. */
  readonly expectedRealPath?: string
  /** Whether the beginning is enough. Without it the whole file is read. */
  readonly isEnough?: (text: string, isComplete: boolean) => boolean
}

// Two of three heads fit; more is read when one does not.
const firstChunkBytes = 2048
const firstChunk = Buffer.allocUnsafe(firstChunkBytes)

/** @throws {SkillcellError} SKILL_UNREADABLE that names the file and what is wrong. */
export function readText(path: string, options: ReadOptions): ReadText {
  const { descriptor, isLink } = open(path)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw unreadable(path, `it is ${kindOf(stats)}, and a file is wanted`)
    if (stats.size > options.maxBytes) throw unreadable(path, `it has ${stats.size} bytes, and ${options.maxBytes} are the limit`)
    const realPath = isLink || options.expectedRealPath === undefined ? realPathOf(descriptor, path) : options.expectedRealPath
    if (/^\/(?:proc|sys|dev)\//.test(realPath)) throw unreadable(path, `it is a link to ${realPath}, which is no file of a skill`)
    const { text, bytes, isComplete } = readUntilEnough(descriptor, path, stats.size, options)
    return { text, bytes, isComplete, stamp: stampOf(stats), isLink, realPath }
  } catch (error) {
    if (error instanceof SkillcellError) throw error
    throw unreadable(path, reasonOf(error), error)
  } finally {
    closeSync(descriptor)
  }
}

export function stampOf(stats: Stats): FileStamp {
  return { device: stats.dev, inode: stats.ino, size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs }
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.inode === b.inode && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs && a.size === b.size && a.device === b.device
}

/** The same without a stamp in between, for thousands of files at once. */
export function isStampOf(stats: Stats, stamp: FileStamp): boolean {
  const isSameFile = stats.ino === stamp.inode && stats.dev === stamp.device && stats.size === stamp.size
  return isSameFile && stats.mtimeMs === stamp.modifiedMs && stats.ctimeMs === stamp.changedMs
}

export function unreadable(path: string, reason: string, cause?: unknown): SkillcellError {
  return new SkillcellError('SKILL_UNREADABLE', `Cannot read "${path}": ${reason}`, { cause, details: { path } })
}

/** What a system error means, for people. */
export function reasonOf(error: unknown): string {
  if (isSystemError(error, 'ENOENT')) return 'there is no such file, or a link on the way leads nowhere'
  if (isSystemError(error, 'EACCES', 'EPERM')) return 'permission is denied'
  if (isSystemError(error, 'ELOOP')) return 'its links lead in a circle'
  if (isSystemError(error, 'EISDIR')) return 'it is a folder, and a file is wanted'
  if (isSystemError(error, 'ENOTDIR')) return 'a part of its path is no folder'
  return messageOf(error)
}

// O_NOFOLLOW tells in the same call whether the file is a link: no second call for the many that are none.
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

function open(path: string): { descriptor: number; isLink: boolean } {
  try {
    return { descriptor: openSync(path, flags | constants.O_NOFOLLOW), isLink: false }
  } catch (error) {
    if (!isSystemError(error, 'ELOOP', 'EMLINK')) throw unreadable(path, reasonOf(error), error)
  }
  try {
    return { descriptor: openSync(path, flags), isLink: true }
  } catch (error) {
    throw unreadable(path, reasonOf(error), error)
  }
}

/** Of the open file, not of the path: a link may have been changed since. */
function realPathOf(descriptor: number, path: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return realpathSync.native(path)
  }
}

function readUntilEnough(descriptor: number, path: string, size: number, { maxBytes, isEnough }: ReadOptions) {
  let buffer = isEnough === undefined ? Buffer.allocUnsafe(Math.min(size, maxBytes) + 1) : firstChunk
  let length = 0
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null)
    length += count
    if (length > maxBytes) throw unreadable(path, `it grew over the limit of ${maxBytes} bytes`)
    const isComplete = count === 0 || (length === size && length < buffer.length)
    if (isComplete || (isEnough !== undefined && length === buffer.length)) {
      // A string keeps alive the one it was cut from: what a skill keeps of its head must not keep the rest of the file.
      const beginning = isEnough === undefined ? undefined : decodeBeginning(buffer, length)
      if (beginning !== undefined && isEnough?.(beginning, false)) return { text: beginning, bytes: buffer, isComplete: false }
      const bytes = buffer.subarray(0, length)
      const text = decode(bytes, isComplete, path)
      if (isComplete || isEnough?.(text, false)) return { text, bytes, isComplete }
    }
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, maxBytes + 1))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
  }
}

// ASCII without NUL: decoded as Latin-1 it is what UTF-8 would give.
const plainText = /^[\u0001-\u007f]*$/

/** The text up to the second line that begins with three dashes, when all of it is ASCII. Behind `length` lie bytes of another file. */
function decodeBeginning(buffer: Buffer, length: number): string | undefined {
  const dashes = buffer.indexOf('\n---')
  const end = dashes === -1 ? -1 : buffer.indexOf(0x0a, dashes + 1)
  if (end === -1 || end >= length) return undefined
  const beginning = buffer.toString('latin1', 0, end + 1)
  return plainText.test(beginning) ? beginning : undefined
}

function decode(bytes: Buffer, isComplete: boolean, path: string): string {
  const whole = isComplete ? bytes : bytes.subarray(0, endOfLastCharacter(bytes))
  // Most heads are ASCII, which needs no decoding.
  const isPlain = isAscii(whole)
  if (!isPlain && !isUtf8(whole)) throw unreadable(path, 'it is no text: its bytes are not UTF-8')
  const text = whole.toString(isPlain ? 'latin1' : 'utf8')
  if (text.includes('\0')) throw unreadable(path, 'it is no text: it holds a NUL character')
  return text
}

function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return back < wanted ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}
