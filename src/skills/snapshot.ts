// What is on the disk at one moment, as skills: found, read, named, ranked. A later snapshot reads only the files that
// changed, and is the earlier one itself when nothing has (SPEC R1.6, R1.7, R14.2).

import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, isSystemError, messageOf, SkillcellError } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { SourceName } from '../options.ts'
import type { BundledSkill } from '../source-options.ts'
import { buildSkill, type CheckHooks, localNameOf } from './build-skill.ts'
import { type EnabledSkill, enabledSkills, findBundled } from './bundled.ts'
import { type Findings, type FoundFile, findInHomes, homesOf, skillFileIn, stampAt, type Watched, watchPath } from './discover.ts'
import { createHeadCache } from './head-cache.ts'
import type { CachedHead } from './head-record.ts'
import { createListCache, type KnownList } from './list-cache.ts'
import { findInPlugins } from './plugins.ts'
import { type Candidate, resolvePrecedence } from './precedence.ts'
import { type FileStamp, isStampOf, reasonOf, unreadable } from './read-file.ts'
import type { RemoteSkills } from './remote.ts'
import type { Skill } from './skill.ts'
import { type FileLimits, invalidSkill, readGiven, readHead } from './skill-file.ts'

export interface CatalogOptions {
  /** Absolute. */
  readonly workspace: string
  readonly home: string
  readonly managedDir?: string
  readonly plugins: readonly string[]
  /** In the order given: of two with one name the first counts. */
  readonly bundled?: readonly BundledSkill[]
  /** Prompts of servers. */
  readonly remote?: RemoteSkills
  /** Highest first. */
  readonly precedence: readonly SourceName[]
  readonly disableAgentSkillsDirectory: boolean
  readonly limits: FileLimits
  /** Refuse files whose real path lies outside of the folder of their source (SPEC R17.11: tenants). Default false. */
  readonly isConfined?: boolean
  /** Reads `hooks`, to tell what is wrong with them. Default: their shape is not looked at. */
  readonly checkHooks?: CheckHooks
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

/** Adds what it finds; every path that its answer hangs on goes into `watched`. */
export type Finder = (findings: Findings) => void

/** Gives snapshots, each as new as the disk; `find` in place of all sources. */
export function createSnapshots(options: CatalogOptions, find?: Finder): () => Snapshot {
  const heads = new Map<string, CachedHead>()
  const { cacheFolder: folder, workspace, home, managedDir = '', plugins, limits } = options
  const roots = [workspace, home, managedDir, ...plugins]
  const cache = folder === undefined ? undefined : createHeadCache({ folder, roots, workspace, limits })
  const lists = folder === undefined || find !== undefined ? undefined : createListCache(folder, roots, options)
  let last: (KnownList & { readonly enabled: string }) | undefined
  let isLoaded = false
  return () => {
    const bundled = enabledSkills(options.bundled ?? [], workspace)
    const enabled = bundled.map(({ index, problem }) => `${index} ${problem ?? ''}`).join('\n')
    if (last !== undefined && last.enabled === enabled && last.isUnchanged()) return last.snapshot
    const known = last === undefined ? lists?.load(enabled) : undefined
    if (known !== undefined) {
      last = { ...known, enabled }
      return known.snapshot
    }
    if (!isLoaded) cache?.load(heads)
    const takenAtMs = Date.now()
    const findings: Findings = { files: [], diagnostics: [], watched: new Map() }
    if (find === undefined) findAll(options, bundled, findings)
    else find(findings)
    const snapshot = takeSnapshot(findings, options, heads)
    last = { snapshot, enabled, isUnchanged: () => isUnchanged(findings.watched, takenAtMs) }
    // Once, and when whoever asked has the answer. What changes later, the next process reads.
    if (!isLoaded && cache !== undefined) {
      setImmediate(() => {
        cache.save(heads)
        lists?.save(enabled, { snapshot, watched: findings.watched, takenAtMs })
      })
    }
    isLoaded = true
    return snapshot
  }
}

// A file written twice within one tick of the clock of the disk has one stamp for both: what was that fresh is read again.
const tickMs = 50

function isUnchanged(watched: Watched, takenAtMs: number): boolean {
  for (const [path, stamp] of watched) {
    if (stamp === undefined) {
      if (stampAt(path) !== undefined) return false
    } else if (!isStillThere(path, stamp, statSync) || stamp.changedMs > takenAtMs - tickMs) return false
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
  // Asked once for each root, not once for each of thousands of files.
  const roots = new Map<string, string>()
  const realRootOf = (root: string): string => {
    const known = roots.get(root) ?? realpathSync.native(root)
    roots.set(root, known)
    return known
  }
  for (const found of files) {
    seen.add(found.path)
    const candidate = readCandidate(found, options, heads, { diagnostics, watched }, realRootOf)
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

function findAll(
  { workspace, home, managedDir, plugins, disableAgentSkillsDirectory }: CatalogOptions,
  bundled: readonly EnabledSkill[],
  findings: Findings,
): void {
  const homes = homesOf(disableAgentSkillsDirectory)
  if (managedDir !== undefined) findInHomes(managedDir, 'managed', homes, findings)
  findInHomes(workspace, 'project', homes, findings)
  findInHomes(home, 'user', homes, findings)
  findInPlugins(plugins, findings)
  findBundled(bundled, findings)
}

function readCandidate(
  found: FoundFile,
  options: CatalogOptions,
  heads: Map<string, CachedHead>,
  { diagnostics, watched }: Pick<Findings, 'diagnostics' | 'watched'>,
  realRootOf: (root: string) => string,
): SkillCandidate | undefined {
  try {
    const read = readCached(found, options.limits, heads)
    if (read === undefined) {
      // A SKILL.md may come.
      watchPath(found.baseDir, watched)
      return undefined
    }
    const { path, head } = read
    if (found.text === undefined) watched.set(path, head.stamp)
    if (path !== found.path) watchPath(found.baseDir, watched)
    const outside = outsideReason(found, head.realPath, options, realRootOf)
    if (outside !== undefined) throw unreadable(path, outside)
    if (head.error !== undefined) {
      diagnostics.push(head.error)
      return { ...brokenCandidate(found, invalidSkill(path, head.error)), realPath: head.realPath }
    }
    const before = built.get(read)
    const current = before !== undefined && isSameFound(before.found, found) ? before : { found, ...buildCandidate(found, read, options) }
    built.set(read, current)
    diagnostics.push(...current.diagnostics)
    return current.candidate
  } catch (error) {
    if (found.text === undefined) for (const path of [found.path, found.baseDir]) watchPath(path, watched)
    const failure = error instanceof SkillcellError ? error : new SkillcellError('SKILL_UNREADABLE', messageOf(error), { cause: error })
    diagnostics.push({ code: failure.code, severity: 'error', message: failure.message, path: found.path })
    return brokenCandidate(found, failure)
  }
}

/** Of thousands of files one is edited: the others are the skills that they were. */
const built = new WeakMap<CachedHead, { readonly found: FoundFile } & Built>()

interface Built {
  readonly candidate: SkillCandidate
  readonly diagnostics: readonly Diagnostic[]
}

function buildCandidate(found: FoundFile, { path, head }: CachedHead, { workspace, checkHooks }: CatalogOptions): Built {
  const { kind, source, rank } = found
  const { realPath } = head
  const place = { path, realPath, projectDir: workspace, checkHooks }
  const { skill, isNamedByFolder, alias, diagnostics } = buildSkill(found, head, place)
  const candidate = { id: skill.id, kind, source, rank, path, realPath, isNamedByFolder, skill, ...(alias !== undefined && { alias }) }
  return { candidate, diagnostics }
}

function isSameFound(a: FoundFile, b: FoundFile): boolean {
  const isSamePlace = a.kind === b.kind && a.source === b.source && a.rank === b.rank && a.localName === b.localName
  return isSamePlace && a.baseDir === b.baseDir && a.plugin?.name === b.plugin?.name && a.plugin?.root === b.plugin?.root
}

function brokenCandidate(found: FoundFile, error: SkillcellError): SkillCandidate {
  const { kind, source, rank, path, plugin } = found
  const id = `${plugin === undefined ? '' : `${plugin.name}:`}${localNameOf(found)}`
  return { id, kind, source, rank, path, realPath: found.expectedRealPath, isNamedByFolder: true, error }
}

/** Undefined when the folder holds no skill. */
function readCached(found: FoundFile, limits: FileLimits, heads: Map<string, CachedHead>): CachedHead | undefined {
  if (found.text !== undefined) return { path: found.path, head: readGiven(found.text, found.path, limits), readAtMs: 0, isLink: false }
  const cached = heads.get(found.path)
  // One found under another spelling is looked for again: a SKILL.md may have come since.
  if (cached !== undefined && cached.path === found.path && cached.head.stamp.changedMs < cached.readAtMs - tickMs) {
    // A link is read again: where it leads may have another real path, and the same stamp.
    if (cached.head.realPath === found.expectedRealPath && isStillThere(cached.path, cached.head.stamp, lstatSync)) return cached
  }
  heads.delete(found.path)
  const read = readFound(found, limits)
  if (read !== undefined) heads.set(found.path, read)
  return read
}

function isStillThere(path: string, stamp: FileStamp, look: typeof statSync): boolean {
  try {
    const stats = look(path, { throwIfNoEntry: false })
    return stats !== undefined && isStampOf(stats, stamp)
  } catch {
    return false
  }
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
  realRootOf: (root: string) => string = realpathSync.native,
): string | undefined {
  if (found.plugin !== undefined) {
    return isInside(realPath, found.plugin.realRoot) ? undefined : `it lies in ${realPath}, outside of the plugin "${found.plugin.name}"`
  }
  // Brought along by the program itself.
  if (found.source === 'bundled') return undefined
  // A workspace comes from somebody else: a link in it must not show a file of its reader (SPEC R17.11).
  if (!isConfined && found.source !== 'project') return undefined
  const root = found.source === 'managed' ? managedDir : found.source === 'user' ? home : workspace
  if (root !== undefined && isInside(realPath, realRootOf(root))) return undefined
  // People share one folder of skills by links.
  if (!isConfined && /\.md$/i.test(realPath)) return undefined
  return `it lies outside of ${root}`
}
