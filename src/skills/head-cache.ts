// What the heads of files said, kept for the next process (SPEC R14.2, R16.1). It never decides whether a file is still the same:
// whoever uses a head compares its stamp with the file. Nothing that grants comes from here, since an invocation
// reads its file anew. Safe to delete, and ignored when in any doubt.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isSystemError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { type CachedHead, fromRecord, type HeadRecord, toRecord } from './head-record.ts'
import { isInside } from './plugins.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'
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

// Raise it when a head has another shape or another meaning.
const format = 1
// Some disks count changes in steps of two seconds: a file as fresh as that may change again under one stamp.
const coarseTickMs = 2_000

export function createHeadCache({ folder, roots, workspace, limits }: HeadCacheOptions): HeadCache | undefined {
  if (isIn(folder, workspace)) return undefined
  const name = `heads-${sha256(JSON.stringify(roots)).slice(0, 32)}.json`
  const titleOf = (body: string | Buffer): string =>
    `${JSON.stringify([format, versionOfPackage(), limits.maxSkillBytes, limits.maxFrontmatterBytes, sha256(body)])}\n`
  let loadedAtMs = 0
  return {
    load: heads => {
      loadedAtMs = Date.now()
      const bytes = readPrivateFile(folder, name)
      if (bytes === undefined) return
      const start = bytes.indexOf(0x0a) + 1
      const body = bytes.subarray(start)
      // The sum stands for a look at every field: what has it was written by this version of this file.
      if (bytes.toString('utf8', 0, start) !== titleOf(body)) return
      for (const record of recordsIn(body)) heads.set(record.path, fromRecord(record))
    },
    save: heads => {
      // One found under another spelling is looked for again each time.
      const kept = [...heads].flatMap(([path, cached]) => (path === cached.path && isKeepable(cached) ? [cached] : []))
      if (!kept.some(({ readAtMs }) => readAtMs >= loadedAtMs)) return
      const body = JSON.stringify(kept.map(toRecord).filter(record => record !== undefined))
      writePrivateFile(folder, name, titleOf(body) + body)
    },
  }
}

function recordsIn(body: Buffer): readonly HeadRecord[] {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return []
  }
}

// A link is read each time: where it leads may change, and no stamp tells.
function isKeepable({ head, readAtMs, isLink }: CachedHead): boolean {
  return !isLink && head.stamp.changedMs < readAtMs - coarseTickMs
}

function isIn(folder: string, workspace: string): boolean {
  try {
    return isInside(realPathToBe(folder), realpathSync.native(workspace))
  } catch {
    return true
  }
}

/** The real path of a folder that may have to be made first. */
function realPathToBe(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(path) === path) throw error
    return join(realPathToBe(dirname(path)), basename(path))
  }
}

function versionOfPackage(): string {
  return sha256(readFileSync(join(packageRoot, 'package.json')))
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
