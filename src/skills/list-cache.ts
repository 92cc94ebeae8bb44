// The last list, kept whole for the next process (SPEC R14.2, R16.1): while every file and folder that it hangs on has its stamp,
// it is the list. One that differs, and all is read anew, with the help of the heads. As with heads, nothing that grants
// comes from here, since an invocation reads its file anew.

import { lstatSync, realpathSync } from 'node:fs'
import { coarseTickMs, openCacheFile } from './cache-file.ts'
import { stampAt, type Watched } from './discover.ts'
import { fromListRecord, type ListRecord, toListRecord } from './list-record.ts'
import type { CatalogOptions, Snapshot } from './snapshot.ts'

export interface KnownList {
  readonly snapshot: Snapshot
  /** Looks at every file: whether the snapshot is what reading them would give. */
  isUnchanged(): boolean
}

export interface ListCache {
  /** `enabled` names the bundled skills that are there now. */
  load(enabled: string): KnownList | undefined
  /** Keeps a list that stamps can tell all about. `takenAtMs`: when its reading began. */
  save(enabled: string, list: { readonly snapshot: Snapshot; readonly watched: Watched; readonly takenAtMs: number }): void
}

export function createListCache(folder: string, roots: readonly string[], options: CatalogOptions): ListCache | undefined {
  const { workspace, precedence, disableAgentSkillsDirectory, isConfined = false, limits, checkHooks } = options
  const file = openCacheFile({ folder, kind: 'list', roots, workspace })
  if (file === undefined) return undefined
  const bundled = (options.bundled ?? []).map(each => ('folder' in each ? each.folder : [each.name]))
  const { maxSkillBytes, maxFrontmatterBytes } = limits
  const subjectOf = (enabled: string): unknown => [
    maxSkillBytes,
    maxFrontmatterBytes,
    precedence,
    disableAgentSkillsDirectory,
    isConfined,
    checkHooks !== undefined,
    bundled,
    enabled,
  ]
  return {
    load: enabled => {
      const record = file.read(subjectOf(enabled))
      if (!isListRecord(record)) return undefined
      const isUnchanged = (): boolean => isCurrent(record)
      return isUnchanged() ? { snapshot: fromListRecord(record), isUnchanged } : undefined
    },
    save: (enabled, { snapshot, watched, takenAtMs }) => {
      const record = toListRecord(snapshot, watched, takenAtMs - coarseTickMs)
      if (record !== undefined && hasNoLink(record)) file.write(subjectOf(enabled), record)
    },
  }
}

/** What is inside was written by this version of this file, or there would be nothing to read. */
function isListRecord(value: unknown): value is ListRecord {
  return typeof value === 'object' && value !== null && 'paths' in value
}

const quiet = { throwIfNoEntry: false } as const

function isCurrent(record: ListRecord): boolean {
  const { paths, devices, inodes, sizes, modified, changed, absent } = record
  try {
    // The few folders first: most changes show there.
    if (!hasNoLink(record) || absent.some(path => stampAt(path) !== undefined)) return false
    for (let index = paths.length - 1; index >= 0; index -= 1) {
      // Not what a link leads to: there was none.
      const stats = lstatSync(paths[index] ?? '', quiet)
      if (stats === undefined || stats.ctimeMs !== changed[index] || stats.mtimeMs !== modified[index]) return false
      if (stats.ino !== inodes[index] || stats.size !== sizes[index] || stats.dev !== devices[index]) return false
    }
    return true
  } catch {
    return false
  }
}

/** Whether each folder lies where it is named. That is asked of folders only: a skill that becomes a link changes the one around it. */
function hasNoLink({ paths, skills, agents }: ListRecord): boolean {
  return paths.slice(skills.ids.length + agents.ids.length).every(path => realpathSync.native(path) === path)
}
