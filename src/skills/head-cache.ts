// What the heads of files said, kept for the next process (SPEC R14.2, R16.1). It never decides whether a file is still the same:
// whoever uses a head compares its stamp with the file. Nothing that grants comes from here, since an invocation
// reads its file anew.

import { isAbsolute, join } from 'node:path'
import { coarseTickMs, openCacheFile } from './cache-file.ts'
import { type CachedHead, fromRecord, type HeadRecord, toRecord } from './head-record.ts'
import type { FileLimits } from './skill-file.ts'

export interface HeadCache {
  /** Adds the heads that an earlier process kept, by path. */
  load(heads: Map<string, CachedHead>): void
  /** Keeps heads, if any was read since load(). */
  save(heads: ReadonlyMap<string, CachedHead>): void
}

export interface HeadCacheOptions {
  readonly folder: string
  /** What the heads belong to: another list has another file. */
  readonly roots: readonly string[]
  /** Commands may write here: a cache inside of it is not used. */
  readonly workspace: string
  readonly limits: FileLimits
}

/** `$XDG_CACHE_HOME/skillcell`; a relative XDG_CACHE_HOME is ignored, as its standard says. */
export function headCacheFolder(home: string, environment: NodeJS.ProcessEnv): string {
  const given = environment.XDG_CACHE_HOME
  return join(given && isAbsolute(given) ? given : join(home, '.cache'), 'skillcell')
}

export function createHeadCache({ folder, roots, workspace, limits }: HeadCacheOptions): HeadCache | undefined {
  const file = openCacheFile({ folder, kind: 'heads', roots, workspace })
  if (file === undefined) return undefined
  const subject = [limits.maxSkillBytes, limits.maxFrontmatterBytes]
  let loadedAtMs = 0
  return {
    load: heads => {
      loadedAtMs = Date.now()
      const records = file.read(subject)
      // What is inside was written by this version of this file, or read() would have given nothing.
      if (Array.isArray(records)) for (const record of records as readonly HeadRecord[]) heads.set(record.path, fromRecord(record))
    },
    save: heads => {
      // One found under another spelling is looked for again each time.
      const kept = [...heads].flatMap(([path, cached]) => (path === cached.path && isKeepable(cached) ? [cached] : []))
      if (!kept.some(({ readAtMs }) => readAtMs >= loadedAtMs)) return
      file.write(
        subject,
        kept.map(toRecord).filter(record => record !== undefined),
      )
    },
  }
}

// A link is read each time: where it leads may change, and no stamp tells.
function isKeepable({ head, readAtMs, isLink }: CachedHead): boolean {
  return !isLink && head.stamp.changedMs < readAtMs - coarseTickMs
}
