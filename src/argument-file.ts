// The private files that hold arguments byte for byte (SPEC R3.7): one folder per run, so that a cell can be shown its own alone.
// Whoever makes one removes it; what a killed process left is removed at the next start.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from './errors.ts'
import { ensurePrivateDirectory } from './state.ts'

export interface ArgumentFiles {
  /** Where the file of a run will lie; nothing is written yet. */
  pathOf(runId: string): string
  write(runId: string, content: string | Uint8Array): Promise<void>
  remove(runId: string): Promise<void>
  /** Removes what killed processes left; once, and never rejects: what stays is tried again by the next one. */
  sweep(): Promise<void>
  /** Removes all of this process. */
  removeAll(): Promise<void>
}

export function createArgumentFiles(directory: string): ArgumentFiles {
  const own = join(directory, ownerName())
  const folderOf = (runId: string): string => join(own, runId)
  let ready: Promise<void> | undefined
  let swept: Promise<void> | undefined

  return {
    pathOf: runId => join(folderOf(runId), 'arguments'),
    write: async (runId, content) => {
      ready ??= ensurePrivateDirectory(directory).then(() => ensurePrivateDirectory(own))
      await ready
      await mkdir(folderOf(runId), { recursive: true, mode: 0o700 })
      await writeFile(join(folderOf(runId), 'arguments'), content, { mode: 0o600, flag: 'wx' })
    },
    remove: runId => rm(folderOf(runId), { recursive: true, force: true }),
    sweep: () => {
      swept ??= removeLeftovers(directory).catch(() => {})
      return swept
    },
    removeAll: async () => {
      await swept
      if (ready) await rm(own, { recursive: true, force: true })
    },
  }
}

async function removeLeftovers(directory: string): Promise<void> {
  // No folder, nothing left.
  const names = await readdir(directory).catch(() => [])
  for (const name of names) if (isOfTheDead(name)) await rm(join(directory, name), { recursive: true, force: true })
}

/** Process number, its start and its PID space: a number alone is used again, and means nothing in another container. */
function ownerName(): string {
  return [process.pid, startOf(process.pid) ?? 0, pidSpace()].join('-')
}

function isOfTheDead(name: string): boolean {
  const [pid, start, space] = name.split('-')
  if (!pid || !/^\d+$/.test(pid) || space !== pidSpace()) return false
  const found = startOf(Number(pid))
  return found === undefined || found !== start
}

/** When the process started, in clock ticks since boot; undefined when there is none, '0' where the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    // The second field is the program's name in brackets and may hold blanks and brackets itself.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')
    return fields?.[19] ?? '0'
  } catch {
    return hasProc() ? undefined : isAlive(pid) ? '0' : undefined
  }
}

function hasProc(): boolean {
  try {
    return readdirSync('/proc/self').length > 0
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}

function pidSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}
