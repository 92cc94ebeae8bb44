// What is on the disk at one moment, as skills: found, read, named, ranked. A later snapshot reads only the files that
// changed, and is the earlier one itself when nothing has (SPEC R1.6, R1.7, R14.2).

import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, isSystemError, messageOf, SkillcellError } from '../errors.ts'
import type { SourceName } from '../options.ts'
import { buildSkill, localNameOf } from './build-skill.ts'
import { type Findings, type FoundFile, findInHomes, homeFolders, skillFileIn, stampAt, type Watched, watchPath } from './discover.ts'
import { createHeadCache } from './head-cache.ts'
import type { CachedHead } from './head-record.ts'
import { findInPlugins, isInside } from './plugins.ts'
import { type Candidate, resolvePrecedence } from './precedence.ts'
import { isSameStamp, reasonOf, unreadable } from './read-file.ts'
import type { Skill } from './skill.ts'
import { type FileLimits, invalidSkill, readHead } from './skill-file.ts'

export interface CatalogOptions {
  /** Absolute. */
  readonly workspace: string
  readonly home: string
  readonly managedDir?: string
  readonly plugins: readonly string[]
  /** Highest first. */
  readonly precedence: readonly SourceName[]
  readonly disableAgentSkillsDirectory: boolean
  readonly limits: FileLimits
  /** Refuse files whose real path lies outside of the folder of their source (SPEC R17.11: tenants). Default false. */
  readonly isConfined?: boolean
  /** A folder of the user's own for the heads that were read, so that the next process need not (SPEC R16.1). Default: none. */
  readonly cacheFolder?: string
}

export interface SkillList {
  /** By id; a shadowed one directly after what shadows it. */
  readonly skills: readonly Skill[]
  /** Types of sub-agents: not invocable, apart from skills. */
  readonly agents: readonly Skill[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface Snapshot extends SkillList {
  readonly byId: ReadonlyMap<string, Skill>
  readonly byAlias: ReadonlyMap<string, Skill>
  /** What to throw when somebody asks for a skill that is there and cannot be used. */
  readonly broken: ReadonlyMap<string, SkillcellError>
}

/** Gives snapshots, each as new as the disk. */
export function createSnapshots(options: CatalogOptions): () => Snapshot {
  const heads = new Map<string, CachedHead>()
  const { cacheFolder: folder, workspace, home, managedDir = '', plugins, limits } = options
  const roots = [workspace, home, managedDir, ...plugins]
  const cache = folder === undefined ? undefined : createHeadCache({ folder, roots, workspace, limits })
  let last: { readonly snapshot: Snapshot; readonly watched: Watched; readonly takenAtMs: number } | undefined
  return () => {
    if (last !== undefined && isUnchanged(last.watched, last.takenAtMs)) return last.snapshot
    if (last === undefined) {
      cache?.load(heads)
      // Once, and when whoever asked has the answer. What changes later, the next process reads.
      if (cache !== undefined) setImmediate(() => cache.save(heads))
    }
    const takenAtMs = Date.now()
    const findings = findAll(options)
    const snapshot = takeSnapshot(findings, options, heads)
    last = { snapshot, watched: findings.watched, takenAtMs }
    return snapshot
  }
}

// A file that was written twice within one tick of the clock of the disk has one stamp for both: what was
// that fresh when it was read is read again.
const tickMs = 50

function isUnchanged(watched: Watched, takenAtMs: number): boolean {
  for (const [path, stamp] of watched) {
    const now = stampAt(path)
    if (now === undefined || stamp === undefined) {
      if (now !== stamp) return false
    } else if (!isSameStamp(now, stamp) || stamp.changedMs > takenAtMs - tickMs) return false
  }
  return true
}

interface SkillCandidate extends Candidate {
  readonly skill?: Skill
  readonly error?: SkillcellError
}

function takeSnapshot({ files, diagnostics, watched }: Findings, options: CatalogOptions, heads: Map<string, CachedHead>): Snapshot {
  const candidates: SkillCandidate[] = []
  const seen = new Set<string>()
  for (const found of files) {
    seen.add(found.path)
    const candidate = readCandidate(found, options, heads, diagnostics, watched)
    if (candidate !== undefined) candidates.push(candidate)
  }
  for (const path of heads.keys()) if (!seen.has(path)) heads.delete(path)
  const broken = new Map<string, SkillcellError>()
  const byId = new Map<string, Skill>()
  const byAlias = new Map<string, Skill>()
  const listOf = (isAgent: boolean): Skill[] => {
    const own = candidates.filter(({ kind }) => (kind === 'agent') === isAgent)
    const resolution = resolvePrecedence(own, options.precedence)
    diagnostics.push(...resolution.diagnostics)
    return resolution.entries.flatMap(({ candidate, aliases, shadowedBy }) => {
      if (candidate.error !== undefined && shadowedBy === undefined && !isAgent) broken.set(candidate.id, candidate.error)
      if (candidate.skill === undefined) return []
      const skill = aliases.length === 0 && shadowedBy === undefined ? candidate.skill : { ...candidate.skill, aliases, shadowedBy }
      if (!isAgent && shadowedBy === undefined) {
        byId.set(skill.id, skill)
        for (const alias of aliases) byAlias.set(alias, skill)
      }
      return [skill]
    })
  }
  return { skills: listOf(false), agents: listOf(true), diagnostics, byId, byAlias, broken }
}

function findAll({ workspace, home, managedDir, plugins, disableAgentSkillsDirectory }: CatalogOptions): Findings {
  const findings: Findings = { files: [], diagnostics: [], watched: new Map() }
  const homes = disableAgentSkillsDirectory ? homeFolders.filter(folder => folder !== '.agents') : homeFolders
  if (managedDir !== undefined) findInHomes(managedDir, 'managed', homes, findings)
  findInHomes(workspace, 'project', homes, findings)
  findInHomes(home, 'user', homes, findings)
  findInPlugins(plugins, findings)
  return findings
}

function readCandidate(
  found: FoundFile,
  options: CatalogOptions,
  heads: Map<string, CachedHead>,
  diagnostics: Diagnostic[],
  watched: Watched,
): SkillCandidate | undefined {
  const { kind, source, rank } = found
  try {
    const read = readCached(found, options.limits, heads)
    if (read === undefined) {
      // A SKILL.md may come.
      watchPath(found.baseDir, watched)
      return undefined
    }
    const { path, head } = read
    watched.set(path, head.stamp)
    if (path !== found.path) watchPath(found.baseDir, watched)
    const outside = outsideReason(found, head.realPath, options)
    if (outside !== undefined) throw unreadable(path, outside)
    if (head.error !== undefined) {
      diagnostics.push(head.error)
      return { ...brokenCandidate(found, invalidSkill(path, head.error)), realPath: head.realPath }
    }
    const built = buildSkill(found, head, { path, realPath: head.realPath, projectDir: options.workspace })
    diagnostics.push(...built.diagnostics)
    const { skill, isNamedByFolder, alias } = built
    return {
      id: skill.id,
      kind,
      source,
      rank,
      path,
      realPath: head.realPath,
      isNamedByFolder,
      skill,
      ...(alias === undefined ? {} : { alias }),
    }
  } catch (error) {
    watchPath(found.path, watched)
    watchPath(found.baseDir, watched)
    const failure = error instanceof SkillcellError ? error : new SkillcellError('SKILL_UNREADABLE', messageOf(error), { cause: error })
    diagnostics.push({ code: failure.code, severity: 'error', message: failure.message, path: found.path })
    return brokenCandidate(found, failure)
  }
}

function brokenCandidate(found: FoundFile, error: SkillcellError): SkillCandidate {
  const { kind, source, rank, path, plugin } = found
  const id = `${plugin === undefined ? '' : `${plugin.name}:`}${localNameOf(found)}`
  return { id, kind, source, rank, path, realPath: found.expectedRealPath, isNamedByFolder: true, error }
}

/** Undefined when the folder holds no skill. */
function readCached(found: FoundFile, limits: FileLimits, heads: Map<string, CachedHead>): CachedHead | undefined {
  const cached = heads.get(found.path)
  // One found under another spelling is looked for again: a SKILL.md may have come since.
  if (cached !== undefined && cached.path === found.path && cached.head.stamp.changedMs < cached.readAtMs - tickMs) {
    // A link is read again: where it leads may have another real path, and the same stamp.
    const stamp = cached.head.realPath === found.expectedRealPath ? stampAt(cached.path, lstatSync) : undefined
    if (stamp !== undefined && isSameStamp(stamp, cached.head.stamp)) return cached
  }
  heads.delete(found.path)
  const read = readFound(found, limits)
  if (read !== undefined) heads.set(found.path, read)
  return read
}

function readFound(found: FoundFile, limits: FileLimits): CachedHead | undefined {
  try {
    return readAt(found.path, found.expectedRealPath, limits)
  } catch (error) {
    if (found.kind !== 'skill' || !(error instanceof SkillcellError) || !isSystemError(error.cause, 'ENOENT')) throw error
    const path = otherCase(found)
    if (path === undefined) return undefined
    if (path === found.path) throw error
    return readAt(path, join(found.expectedRealPath, '..', path.slice(found.baseDir.length + 1)), limits)
  }
}

function readAt(path: string, expectedRealPath: string, limits: FileLimits): CachedHead {
  const readAtMs = Date.now()
  const head = readHead(path, limits, expectedRealPath)
  return { path, head, readAtMs, isLink: head.realPath !== expectedRealPath }
}

function otherCase({ baseDir }: FoundFile): string | undefined {
  try {
    return skillFileIn(baseDir)
  } catch (error) {
    throw unreadable(baseDir, reasonOf(error), error)
  }
}

/** Why a file may not count, if its real path lies where it must not. */
export function outsideReason(
  found: FoundFile,
  realPath: string,
  { isConfined = false, workspace, home, managedDir }: CatalogOptions,
): string | undefined {
  if (found.plugin !== undefined) {
    return isInside(realPath, found.plugin.realRoot) ? undefined : `it lies in ${realPath}, outside of the plugin "${found.plugin.name}"`
  }
  // A workspace comes from somebody else: a link in it must not show a file of its reader (SPEC R17.11).
  if (!isConfined && found.source !== 'project') return undefined
  const root = found.source === 'managed' ? managedDir : found.source === 'user' ? home : workspace
  if (root !== undefined && isInside(realPath, realpathSync.native(root))) return undefined
  // People share one folder of skills by links.
  if (!isConfined && /\.md$/i.test(realPath)) return undefined
  return `it lies outside of ${root}`
}
