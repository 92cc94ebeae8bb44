// Reads a log from its first line to its last and says what was changed, removed, inserted, moved, cut or torn.
// Memory stays flat whatever the file is. Who removes the whole folder, or puts back an older log with its checkpoint, is seen only by
// comparing `head` with one that was noted elsewhere.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'
import { type ChainEnd, type ChainPosition, type ChainProblem, chainStart, createChainReader } from './audit-chain.ts'
import { checkpointName, readCheckpoint } from './audit-checkpoint.ts'
import { readAuditKey } from './audit-key.ts'
import { logName } from './audit-log.ts'

interface AuditReport {
  /** True when nothing but crashes has happened to the log: a `torn` line is told and is no tampering. */
  readonly ok: boolean
  /** Good lines. */
  readonly lines: number
  /**
   * Good lines behind the checkpoint: of the last milliseconds of a running or a killed process. One who has no key could have
   * written these; all others not.
   */
  readonly uncovered: number
  /** The first 100, in the order of the file; those of no line have line 0. */
  readonly problems: readonly ChainProblem[]
  readonly problemCount: number
  /** The last good line, to be noted elsewhere and compared. */
  readonly head: { readonly sequence: number; readonly hash: string }
}

const maxProblems = 100

/**
 * Checks the log of one tenant; a folder in which nothing was ever written is good. Writers may go on meanwhile.
 * @param key of the checkpoints; default: the file `key` in the folder.
 * @throws {SkillcellError} AUDIT_FAILED when the files cannot be read.
 */
export async function verifyAudit(directory: string, key?: Uint8Array): Promise<AuditReport> {
  try {
    return await verify(directory, key)
  } catch (error) {
    throw error instanceof SkillcellError
      ? error
      : new SkillcellError('INTERNAL', `Cannot read the audit in "${directory}": ${messageOf(error)}`, { cause: error })
  }
}

async function verify(directory: string, key: Uint8Array | undefined): Promise<AuditReport> {
  const problems: ChainProblem[] = []
  let problemCount = 0
  let damaged = false
  const onProblem = (problem: ChainProblem): void => {
    problemCount += 1
    damaged ||= problem.kind !== 'torn'
    if (problems.length < maxProblems) problems.push(problem)
  }

  // Before the log: what is written meanwhile only adds to what it covers.
  const covered = findCheckpoint(directory, key, await exists(join(directory, logName)), onProblem)
  let lines = 0
  let lastLine = 0
  let size = 0
  const reader = createChainReader(chainStart, {
    onProblem,
    onLine: ({ sequence, hash }, line) => {
      lines += 1
      lastLine = line
      if (sequence === covered?.sequence && hash !== covered.hash)
        onProblem({
          line,
          kind: 'changed',
          message: 'Line is not the one that the checkpoint covers: it or one before it was changed and hashed anew',
        })
    },
  })
  for await (const chunk of readLog(join(directory, logName))) {
    size += chunk.length
    reader.push(chunk)
  }
  const end = reader.end()
  judgeEnd(end, covered, size, lastLine, onProblem)
  const { sequence, hash } = end.position
  const uncovered = Math.max(0, sequence - (covered?.sequence ?? 0))
  return { ok: !damaged, lines, uncovered, problems, problemCount, head: { sequence, hash } }
}

/** Undefined when there is none to go by; whether that is a fault is told. */
function findCheckpoint(
  directory: string,
  given: Uint8Array | undefined,
  hasLog: boolean,
  onProblem: (problem: ChainProblem) => void,
): ChainPosition | undefined {
  const fault = (message: string): undefined => {
    onProblem({ line: 0, kind: 'checkpoint', message })
  }
  let key: Uint8Array | undefined
  try {
    key = given ?? readAuditKey(directory)
  } catch (error) {
    return fault(`The checkpoint cannot be checked: ${messageOf(error)}`)
  }
  // Without a key nothing is believed; an empty one only tells whether there is a checkpoint.
  const found = readCheckpoint(directory, key ?? new Uint8Array())
  if (key === undefined) return hasLog || found !== 'none' ? fault('The checkpoint cannot be checked: its key is gone') : undefined
  if (found === 'forged') return fault(`${checkpointName} was not made with this key`)
  if (found !== 'none') return found
  // A key file without anything else: the log and its checkpoint were removed together.
  return hasLog || given === undefined ? fault(`${checkpointName} is gone, so that a cut or a new log would not be seen`) : undefined
}

function judgeEnd(
  { position, unterminated, tail }: ChainEnd,
  covered: ChainPosition | undefined,
  size: number,
  lastLine: number,
  onProblem: (problem: ChainProblem) => void,
): void {
  const absent = Math.max(0, (covered?.sequence ?? 0) - position.sequence)
  const shorter = size < (covered?.bytes ?? 0)
  const cut = absent > 0 && (shorter || tail === undefined)
  if (tail && !tail.unfinished)
    onProblem({ line: tail.line, kind: 'changed', message: 'What stands behind the last good line is not what was written' })
  else if (tail && absent === 0)
    onProblem({ line: tail.line, kind: 'torn', message: 'A crash cut this line short; the next writer will record it' })
  else if (tail && !cut) onProblem({ line: tail.line, kind: 'changed', message: 'Line is not what was written' })
  if (cut) onProblem({ line: lastLine + 1, kind: 'cut', message: `${absent} line${absent === 1 ? '' : 's'} at the end are not there` })
  else if (unterminated && shorter) onProblem({ line: lastLine, kind: 'cut', message: 'The end of the last line is not there' })
  else if (unterminated)
    onProblem({ line: lastLine, kind: 'torn', message: 'A crash left the last line without its end; the next writer adds it' })
}

async function* readLog(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) if (Buffer.isBuffer(chunk)) yield chunk
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false
    throw error
  }
}
