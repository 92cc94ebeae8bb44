// Which repositories git would find in a workspace, or from it upwards: its own, a bare one, clones in its folders, the one around it. Reads the
// disk, starts nothing. Bounded: what lies deeper, or comes after so many folders, is not found. Leaves to others: what to do about them.

import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../plain-file.ts'
import { look, readEntries, realOf } from './disk.ts'

export interface GitPlace {
  /** `.git`, as git finds it; undefined for a folder that is itself a repository. */
  readonly entry: string | undefined
  /** Its kind: a folder, a file that names one, or a link. */
  readonly kind: 'folder' | 'file' | 'link'
  /** Of this work tree. */
  readonly git: string
  /** With the configuration, which worktrees share. */
  readonly common: string
  /** Of the work tree; the folder itself where there is none. */
  readonly root: string
}

// `vendor/github.com/somebody/something/.git`
const maxLevels = 4
// Some ten milliseconds.
const maxFolders = 1_000
const maxEntries = 20_000
// Each costs some mounts at the start of a cell.
const maxInner = 24
const maxTextBytes = 4_096

// What holds what others wrote, and is never worked in; what is read-only as a whole.
const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules'])
const passedOverAtTop: ReadonlySet<string> = new Set(['.skillcell', '.wave', '.claude', '.agents'])

/** The repository that git finds from the workspace itself: in it, or above. */
export function ownPlace(workspace: string): GitPlace | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const found = placeAt(folder) ?? (looksBare(folder) ? bareAt(folder) : undefined)
    if (found !== undefined || dirname(folder) === folder) return found
  }
}

/** Repositories in the folders below, nearest first. */
export function innerPlaces(workspace: string): { readonly places: readonly GitPlace[]; readonly whole: boolean } {
  const places: GitPlace[] = []
  const state = { foldersLeft: maxFolders, entriesLeft: maxEntries }
  let folders = [workspace]
  for (let level = 0; level <= maxLevels; level += 1) {
    const next: string[] = []
    for (const folder of folders) {
      if (places.length >= maxInner || state.entriesLeft <= 0) return { places, whole: false }
      if (level > 0) {
        const found = placeAt(folder)
        if (found !== undefined) places.push(found)
        if (looksBare(folder)) {
          places.push(bareAt(folder))
          continue
        }
      }
      if (level === maxLevels) continue
      state.foldersLeft -= 1
      if (state.foldersLeft < 0) return { places, whole: false }
      for (const entry of readEntries(folder)) {
        state.entriesLeft -= 1
        if (!entry.isDirectory() || passedOver.has(entry.name) || (level === 0 && passedOverAtTop.has(entry.name))) continue
        next.push(join(folder, entry.name))
      }
    }
    folders = next
  }
  return { places, whole: true }
}

/** In this order, and nearly always only the first: most folders have no HEAD. */
export function looksBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every(name => look(join(folder, name)) !== undefined)
}

export function isStill({ entry, git }: GitPlace): boolean {
  return (entry === undefined || look(entry) !== undefined) && existsSync(join(git, 'HEAD'))
}

function bareAt(folder: string): GitPlace {
  return { entry: undefined, kind: 'folder', git: folder, common: commonOf(folder), root: folder }
}

function placeAt(root: string): GitPlace | undefined {
  const entry = join(root, '.git')
  const status = look(entry)
  if (status === undefined) return undefined
  const kind = status.isFile() ? 'file' : status.isSymbolicLink() ? 'link' : 'folder'
  const git = kind === 'folder' ? entry : kind === 'file' ? namedIn(entry, root) : realOf(entry)
  if (git === undefined || !existsSync(join(git, 'HEAD'))) return undefined
  return { entry, kind, git, common: commonOf(git), root }
}

function commonOf(git: string): string {
  const text = textOf(join(git, 'commondir'))?.trim()
  return text === undefined || text === '' ? git : resolve(git, text)
}

function namedIn(file: string, root: string): string | undefined {
  const named = /^gitdir: ([^\r\n]*[^\s])/.exec(textOf(file) ?? '')?.[1]
  return named === undefined ? undefined : resolve(root, named)
}

function textOf(file: string): string | undefined {
  try {
    return readPlainFile(file, maxTextBytes)
  } catch {
    return undefined
  }
}
