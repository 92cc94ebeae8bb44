// The chain of the log: every line carries its number, the hash of the line before and its own. Made here and read here.
// Reading tells what does not fit and goes on behind it; whether that is a crime or a crash is for the callers to say.

import { createHash, type Hash } from 'node:crypto'
import { type AuditLine, createLineCutter, type LineCutter, maxLineBytes } from './audit-lines.ts'
import { seal, unseal } from './audit-seal.ts'

/** Where a chain stands: behind the line `sequence`, whose hash is `hash`, `bytes` into the file. */
export interface ChainPosition {
  readonly sequence: number
  readonly hash: string
  readonly bytes: number
}

export const chainStart: ChainPosition = { sequence: 0, hash: '0'.repeat(64), bytes: 0 }

/** `torn` is a line that a crash has cut short; the next writer recorded it. */
type ProblemKind = 'changed' | 'missing' | 'cut' | 'torn' | 'checkpoint'

export interface ChainProblem {
  /** Counts from 1; 0 for what belongs to no line. */
  readonly line: number
  readonly kind: ProblemKind
  readonly message: string
}

/** What stands behind the last good line. */
interface ChainTail {
  readonly line: number
  readonly bytes: number
  readonly sha256: string
  /** It does not end in a newline, as a crash leaves it. */
  readonly unfinished: boolean
}

export interface ChainEnd {
  readonly position: ChainPosition
  /** The last good line lacks its newline. */
  readonly unterminated: boolean
  readonly tail?: ChainTail
}

interface ChainReader {
  push(chunk: Buffer): void
  end(): ChainEnd
}

interface ChainEvents {
  readonly onProblem: (problem: ChainProblem) => void
  /** After each good line; `line` counts from 1 at the start position. */
  readonly onLine?: (position: ChainPosition, line: number) => void
}

/**
 * The next line of a chain, newline included. `glue` stands before it when the file does not end in a newline.
 * @throws {RangeError} when the line is too long; entries are bounded first.
 */
export function nextLine(
  position: ChainPosition,
  value: object,
  glue: '' | '\n',
): { readonly bytes: Buffer; readonly position: ChainPosition } {
  const sequence = position.sequence + 1
  const { text, hash } = seal({ sequence, at: new Date().toISOString(), previous: position.hash, ...value }, 'hash')
  const bytes = Buffer.from(`${glue}${text}\n`)
  if (bytes.length > maxLineBytes) throw new RangeError(`the entry has ${bytes.length} bytes, and at most ${maxLineBytes} are taken`)
  return { bytes, position: { sequence, hash, bytes: position.bytes + bytes.length } }
}

/** The value of the line that records what a crash left: the range behind the last good line. */
export function tornEntry({ bytes, sha256 }: Pick<ChainTail, 'bytes' | 'sha256'>): object {
  return { type: 'audit.torn', torn: { bytes, sha256 } }
}

interface Range {
  readonly line: number
  readonly hash: Hash
  lines: number
  bytes: number
  hashable: boolean
  terminated: boolean
}

export function createChainReader(start: ChainPosition, { onProblem, onLine }: ChainEvents): ChainReader {
  let position = start
  let line = 0
  let offset = start.bytes
  let unterminated = false
  let range: Range | undefined

  const take = (piece: AuditLine): void => {
    line += 1
    offset += piece.length
    const read = piece.bytes && readLine(piece.bytes)
    if (read === undefined) range = extended(range, line, piece)
    else {
      const damaged = range
      range = undefined
      judge(read, damaged)
      unterminated = !piece.terminated
    }
  }

  const judge = (read: ReadLine, damaged: Range | undefined): void => {
    const { sequence, hash } = read
    const follows = sequence === position.sequence + 1 && read.previous === position.hash
    const place = { sequence, hash, bytes: offset }
    if (follows && damaged !== undefined && isRecordOf(read, damaged)) {
      onProblem({ line: damaged.line, kind: 'torn', message: 'A crash cut this line short; the next writer recorded it' })
      accept(place)
      return
    }
    if (damaged !== undefined) onProblem(changed(damaged))
    if (sequence <= position.sequence) {
      const message = `Line has number ${sequence}, and ${position.sequence + 1} is wanted: it was inserted, repeated or moved`
      onProblem({ line, kind: 'changed', message })
      return
    }
    // A damaged line stands for one that was there: only more than those are missing.
    const absent = sequence - position.sequence - 1 - (damaged?.lines ?? 0)
    if (absent > 0)
      onProblem({ line, kind: 'missing', message: `${absent} line${absent === 1 ? '' : 's'} before number ${sequence} are not there` })
    else if (damaged === undefined && !follows)
      onProblem({ line, kind: 'changed', message: `Line does not follow the one before it: that one or this one is not what was written` })
    accept(place)
  }

  const accept = (place: ChainPosition): void => {
    position = place
    onLine?.(position, line)
  }

  const cutter: LineCutter = createLineCutter(take)
  return {
    push: cutter.push,
    end: () => {
      cutter.end()
      return { position, unterminated: range === undefined && unterminated, ...(range && { tail: tailOf(range) }) }
    },
  }
}

interface ReadLine {
  readonly sequence: number
  readonly previous: string
  readonly hash: string
  readonly value: Readonly<Record<string, unknown>>
}

function readLine(bytes: Buffer): ReadLine | undefined {
  const sealed = unseal(bytes, 'hash')
  if (sealed === undefined) return undefined
  const { value, hash } = sealed
  const { sequence, previous } = value
  if (typeof sequence !== 'number' || typeof previous !== 'string') return undefined
  return { sequence, previous, hash, value }
}

/** The range is all between two good lines but for the newline that ends it. */
function extended(range: Range | undefined, line: number, { bytes, length, terminated }: AuditLine): Range {
  const next = range ?? { line, hash: createHash('sha256'), lines: 0, bytes: 0, hashable: true, terminated }
  if (next.lines > 0) {
    next.hash.update('\n')
    next.bytes += 1
  }
  if (bytes) next.hash.update(bytes)
  else next.hashable = false
  next.lines += 1
  next.bytes += length - (terminated ? 1 : 0)
  next.terminated = terminated
  return next
}

function isRecordOf({ value }: ReadLine, { bytes, hash, hashable }: Range): boolean {
  const { type, torn } = value
  if (!hashable || type !== 'audit.torn' || typeof torn !== 'object' || torn === null || !('bytes' in torn) || !('sha256' in torn))
    return false
  return torn.bytes === bytes && torn.sha256 === hash.copy().digest('hex')
}

function changed({ line, lines }: Range): ChainProblem {
  return {
    line,
    kind: 'changed',
    message: lines === 1 ? 'Line is not what was written' : `${lines} lines from here are not what was written`,
  }
}

function tailOf({ line, bytes, hash, hashable, terminated }: Range): ChainTail {
  return { line, bytes, sha256: hash.copy().digest('hex'), unfinished: !terminated && hashable }
}
