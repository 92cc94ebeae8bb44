// Names of files, folders and control groups that tell which process made them, so that what a killed one left is found at the next start.
// Promises: a name of a live process, and one that was made in another PID space or on another system, is never said to be left.

import { randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { placeOfIds, processStart } from '../process-identity.ts'
import { send } from './process-group.ts'

let own: string | undefined

/** `run-SPACE-ID-START-` of this process: PID space, process, when it started. */
export function ownPrefix(): string {
  own ??= `run-${spaceOfIds()}-${process.pid}-${processStart(process.pid) ?? '0'}-`
  return own
}

/** Unique, and the process that made it can be read from it. */
export function ownName(): string {
  return ownPrefix() + randomUUID().slice(-12)
}

/** Whether it names a process of this PID space that has ended. */
export function isLeft(name: string): boolean {
  const [, space, id, start] = /^run-(\d*)-(\d+)-(\d+)-/.exec(name) ?? []
  return space === spaceOfIds() && id !== undefined && processStart(Number(id)) !== start
}

/** Removes what ended processes left in a folder, and what is older than `maxAgeMs`. */
export function removeLeft(folder: string, maxAgeMs: number): void {
  const oldest = Date.now() - maxAgeMs
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status !== undefined && (status.mtimeMs < oldest || isLeft(name))) rmSync(path, { recursive: true, force: true })
  }
}

/** KILL to all that bears the mark of a command whose maker has ended. A command of a command bears both marks. */
export function endLeftProcesses(variable: string): void {
  const beginning = Buffer.from(`\0${variable}=`)
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || name === String(process.pid)) continue
    const marks = markOf(name, beginning)
    if (marks.some(isLeft)) send(Number(name), 'SIGKILL')
  }
}

function markOf(id: string, beginning: Buffer): string[] {
  try {
    const text = Buffer.concat([Buffer.from([0]), readFileSync(`/proc/${id}/environ`)])
    const start = text.indexOf(beginning)
    if (start < 0) return []
    const from = start + beginning.length
    const end = text.indexOf(0, from)
    return text.toString('latin1', from, end < 0 ? text.length : end).split(':')
  } catch {
    // Ended, or somebody else's.
    return []
  }
}

function spaceOfIds(): string {
  return placeOfIds().split('.')[1] ?? ''
}
