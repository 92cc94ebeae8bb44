// How a command ended and what it printed → its result: trimmed, capped, with a spill file where it was too long (SPEC R4.4, R4.5).

import { fstatSync, statfsSync } from 'node:fs'
import { isSystemError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Capture } from './capture.ts'
import type { CommandRequest, CommandResult } from './command.ts'
import { readCapped } from './output.ts'
import type { Ending } from './prepared-command.ts'
import { limitReached } from './resource-limits.ts'

export interface ResultOptions {
  readonly request: CommandRequest
  readonly ending: Ending
  readonly capture: Capture
  readonly limits: Limits
  /** Where captures lie; a full disk there cuts the output. */
  readonly folder: string
  readonly startedAt: number
  readonly sandbox: CommandResult['sandbox']
}

export async function commandResult({
  request,
  ending,
  capture,
  limits,
  folder,
  startedAt,
  sandbox,
}: ResultOptions): Promise<CommandResult> {
  const durationMs = Math.round(performance.now() - startedAt)
  const outputBytes = capture.descriptors.reduce((sum, descriptor) => sum + fstatSync(descriptor).size, 0)
  const notes = notesOf(request, ending, limits, folder)
  const { maxSpillBytes, maxOutputChars, previewChars } = limits
  const lastLine =
    ending.reason === 'output-limit' ? `\n[Output stopped: it reached the limit of ${maxSpillBytes.toLocaleString('en-US')} bytes]\n` : ''
  if (lastLine !== '') capture.cut(maxSpillBytes, lastLine)

  const succeeded = ending.reason === 'exited' && ending.exitCode === 0
  const descriptors = succeeded ? [capture.stdout] : capture.descriptors
  const text = await readCapped(descriptors, { maxOutputChars, previewChars, trim: request.trim ?? 'trailing-newlines' })
  const spillPath = text.truncated ? keep(capture, descriptors, lastLine, notes) : undefined
  const saved = spillPath === undefined ? 'could not be saved' : `saved to: ${spillPath}`
  return {
    reason: ending.reason,
    exitCode: ending.exitCode,
    ...(ending.signal === undefined ? {} : { signal: ending.signal }),
    output: text.truncated ? `${text.text}\n\n[Output truncated (${text.chars} chars). Full output ${saved}]` : text.text,
    outputChars: text.chars,
    outputBytes,
    truncated: text.truncated,
    ...(spillPath === undefined ? {} : { spillPath }),
    durationMs,
    ...(ending.cpuSeconds === undefined ? {} : { cpuSeconds: Math.round(ending.cpuSeconds * 1_000) / 1_000 }),
    ...(ending.peakMemoryBytes === undefined ? {} : { peakMemoryBytes: ending.peakMemoryBytes }),
    sandbox,
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  }
}

function keep(capture: Capture, descriptors: readonly number[], lastLine: string, notes: string[]): string | undefined {
  try {
    return capture.keep(descriptors, lastLine)
  } catch (error) {
    if (!isSystemError(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO')) throw error
    notes.push('The full output could not be saved: the disk is full')
    return undefined
  }
}

function notesOf({ timeoutMs }: CommandRequest, ending: Ending, limits: Limits, folder: string): string[] {
  const { reason, exitCode, note, clean } = ending
  const notes: string[] = []
  const limit = note ?? (reason === 'exited' || reason === 'killed' ? limitReached(exitCode, limits) : undefined)
  if (limit !== undefined) notes.push(limit)
  if (reason === 'timed-out') notes.push(`Time limit of ${timeoutMs.toLocaleString('en-US')} ms reached`)
  if (reason === 'output-limit') notes.push(`Output limit of ${limits.maxSpillBytes.toLocaleString('en-US')} bytes reached`)
  if (reason === 'aborted') notes.push('Ended by the caller')
  if (!clean) notes.push('Some processes of the command could not be ended')
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < 64 * 1024) notes.push(`The disk of "${folder}" is full, so output may be missing`)
  return notes
}
