// The private files that hold arguments byte for byte (SPEC R3.7): one folder per run, so that a cell can be shown its own alone.
// Whoever makes one removes it; what a killed process left is removed at the next start.

import { rmdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolders } from './private-folder.ts'
import { placeOfIds, processStart } from './process-identity.ts'
import { ensureStateFolder } from './state.ts'

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
  const fileOf = (runId: string): string => join(folderOf(runId), 'arguments')
  const written = new Set<string>()
  let made = false
  let swept: Promise<void> | undefined

  return {
    pathOf: fileOf,
    write: async (runId, content) => {
      if (!made) for (const folder of [directory, own]) ensureStateFolder(folder)
      made = true
      written.add(runId)
      makeFolders(folderOf(runId))
      const asNew = { mode: 0o600, flag: 'wx' } as const
      // So little is written sooner than another thread wakes up.
      if (content.length <= smallLength) writeFileSync(fileOf(runId), content, asNew)
      else await writeFile(fileOf(runId), content, asNew)
    },
    remove: async runId => {
      // Most runs need no file.
      if (!written.delete(runId)) return
      try {
        unlinkSync(fileOf(runId))
        rmdirSync(folderOf(runId))
      } catch {
        // Half made, or there is more in it.
        await rm(folderOf(runId), { recursive: true, force: true })
      }
    },
    sweep: () => {
      swept ??= removeLeftovers(directory).catch(() => {})
      return swept
    },
    removeAll: async () => {
      await swept
      if (made) await rm(own, { recursive: true, force: true })
    },
  }
}

/** Of text or bytes. */
const smallLength = 16_384

/** Arguments as text: bytes are read as UTF-8. */
export function argumentsText(args: string | Uint8Array): string {
  return typeof args === 'string' ? args : Buffer.from(args).toString('utf8')
}

async function removeLeftovers(directory: string): Promise<void> {
  // No folder, nothing left.
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const path = join(directory, name)
    if (await isOfTheDead(name, path)) await rm(path, { recursive: true, force: true })
  }
}

function ownerName(): string {
  return [process.pid, processStart(process.pid) ?? '', placeOfIds()].join('-')
}

// No run takes this long. Each run makes a folder in that of its process, which renews its time.
const foreignKeptMs = 7 * 86_400_000

async function isOfTheDead(name: string, path: string): Promise<boolean> {
  const [, id, start, place] = /^(\d+)-(\d*)-(.*)$/.exec(name) ?? []
  if (id === undefined) return false
  if (place === placeOfIds()) return processStart(Number(id)) !== start
  // Of another boot, container or machine: nobody here can tell whether that process lives.
  return Date.now() - (await lstat(path)).mtimeMs > foreignKeptMs
}
