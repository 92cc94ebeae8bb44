// Finds the files that may be skills, commands or agents. Reads folders, never a file. Whatever is in the way (a loop, a
// link to nowhere, a folder that may not be read) is a diagnostic, and the rest is found all the same (SPEC R1.5).

import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Diagnostic, isSystemError } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { SourceName } from '../options.ts'
import { compareBytes } from './names.ts'
import { type FileStamp, reasonOf, stampOf } from './read-file.ts'

/** A file that may hold a skill. For `kind: 'skill'` its name may be written in another case, or it may not be there at all. */
export interface FoundFile {
  readonly kind: 'skill' | 'command' | 'agent'
  readonly source: SourceName
  /** Rank of the folder within its source: `.skillcell` before `.wave`, and so on; plugins in the order given. */
  readonly rank: number
  readonly path: string
  readonly baseDir: string
  /** The real path if the last part of `path` is no link. */
  readonly expectedRealPath: string
  /** Folder name, file name, or `folder:name`. */
  readonly localName: string
  readonly plugin?: { readonly name: string; readonly root: string; readonly realRoot: string }
  /** What it says, when it is no file: `path` is then only a name. */
  readonly text?: string
}

export type Place = Pick<FoundFile, 'source' | 'rank' | 'plugin'>

export interface Findings {
  readonly files: FoundFile[]
  readonly diagnostics: Diagnostic[]
  /** What the answer hangs on besides the files: while none of these has changed, another look finds the same. */
  readonly watched: Watched
}

/** Stamps by path, taken before the reading; undefined when nothing is there. */
export type Watched = Map<string, FileStamp | undefined>

export function watchPath(path: string, watched: Watched): void {
  if (!watched.has(path)) watched.set(path, stampAt(path))
}

/** The stamp of what a path leads to, or with lstatSync of what lies there; undefined when nothing does. */
export function stampAt(path: string, look: typeof statSync = statSync): FileStamp | undefined {
  try {
    const stats = look(path, { throwIfNoEntry: false })
    return stats === undefined ? undefined : stampOf(stats)
  } catch {
    return undefined
  }
}

/** The four homes, highest first (SPEC R1.1). */
export const homeFolders: readonly string[] = ['.skillcell', '.wave', '.claude', '.agents']

/** Those that count (SPEC R1.8). */
export function homesOf(disableAgentSkillsDirectory: boolean): readonly string[] {
  return disableAgentSkillsDirectory ? homeFolders.filter(folder => folder !== '.agents') : homeFolders
}

const neverWalked: ReadonlySet<string> = new Set(['.git', 'node_modules'])
// A tree of commands that somebody wrote is three deep; this ends what only a machine could have made.
const maxCommandDepth = 16
const maxFilesPerFolder = 100_000

/** Adds what the four homes below `base` hold. */
export function findInHomes(base: string, source: SourceName, homes: readonly string[], findings: Findings): void {
  homes.forEach((home, rank) => {
    findSkills(join(base, home, 'skills'), { source, rank }, findings)
    findCommands(join(base, home, 'commands'), { source, rank }, findings)
    findAgents(join(base, home, 'agents'), { source, rank }, findings)
  })
}

/** Adds `<root>/<name>/SKILL.md`, exactly one level down. */
export function findSkills(root: string, place: Place, findings: Findings): void {
  const listed = listFolder(root, findings)
  if (listed === undefined) return
  for (const entry of listed.entries) {
    const folder = `${root}/${entry.name}`
    if (!entry.isDirectory() && !entry.isSymbolicLink()) {
      if (entry.name.toLowerCase().endsWith('.md') && !/^(skill|readme|agents|claude)\.md$/i.test(entry.name)) {
        const message = `Move "${entry.name}" to ${entry.name.replace(/\.md$/i, '')}/SKILL.md: a skill is a folder, and this file is not loaded`
        findings.diagnostics.push({ code: 'SKILL_FLAT_FILE', severity: 'note', message, path: folder })
      }
      continue
    }
    const realFolder = entry.isDirectory() ? `${listed.realPath}/${entry.name}` : realFolderOf(folder, listed.realPath, findings)
    if (realFolder !== undefined) addSkill(folder, realFolder, entry.name, place, findings)
  }
}

/** Adds the one skill that lies in `folder`. */
export function addSkill(folder: string, realFolder: string, localName: string, place: Place, findings: Findings): void {
  const path = `${folder}/SKILL.md`
  const { source, rank, plugin } = place
  findings.files.push({ source, rank, plugin, kind: 'skill', path, baseDir: folder, expectedRealPath: `${realFolder}/SKILL.md`, localName })
}

/** Adds every `.md` below `root`; a sub-folder is a part of the name. */
export function findCommands(root: string, place: Place, findings: Findings): void {
  const seen = new Set<string>()
  const walk = (folder: string, prefix: string, depth: number): void => {
    const listed = listFolder(folder, findings)
    if (listed === undefined || seen.has(listed.realPath)) return
    seen.add(listed.realPath)
    for (const entry of listed.entries) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path, findings))) {
        if (entry.isSymbolicLink() && realFolderOf(path, listed.realPath, findings) === undefined) continue
        if (depth < maxCommandDepth) walk(path, `${prefix}${entry.name}:`, depth + 1)
        else tellUnreadable(path, `it lies more than ${maxCommandDepth} folders deep`, findings)
      } else if (isMarkdown(entry)) {
        findings.files.push(markdownFile('command', folder, listed.realPath, entry, prefix, place))
      }
    }
  }
  walk(root, '', 1)
}

/** Adds every `.md` that lies directly in `root`. */
export function findAgents(root: string, place: Place, findings: Findings): void {
  const listed = listFolder(root, findings)
  for (const entry of listed?.entries ?? []) {
    if (isMarkdown(entry) && listed) findings.files.push(markdownFile('agent', root, listed.realPath, entry, '', place))
  }
}

/** The file of a skill folder whose name may be in any case; undefined when there is none. */
export function skillFileIn(folder: string): string | undefined {
  const names = readdirSync(folder).filter(name => name.toLowerCase() === 'skill.md')
  const name = names.includes('SKILL.md') ? 'SKILL.md' : names.sort(compareBytes)[0]
  return name === undefined ? undefined : join(folder, name)
}

function markdownFile(
  kind: 'command' | 'agent',
  folder: string,
  realFolder: string,
  entry: Dirent,
  prefix: string,
  place: Place,
): FoundFile {
  const path = `${folder}/${entry.name}`
  const localName = prefix + entry.name.replace(/\.md$/i, '')
  return { ...place, kind, path, baseDir: dirname(path), expectedRealPath: `${realFolder}/${entry.name}`, localName }
}

function isMarkdown(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.toLowerCase().endsWith('.md') && !/^readme\.md$/i.test(entry.name)
}

/** Entries in a fixed order; undefined when the folder is not there or cannot be read. */
export function listFolder(
  folder: string,
  findings: Findings,
): { readonly realPath: string; readonly entries: readonly Dirent[] } | undefined {
  watchPath(folder, findings.watched)
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(entry => !neverWalked.has(entry.name))
    if (entries.length > maxFilesPerFolder) {
      tellUnreadable(folder, `it has ${entries.length} entries, and ${maxFilesPerFolder} are the limit`, findings)
      return undefined
    }
    return { realPath: realpathSync.native(folder), entries: entries.sort((a, b) => compareBytes(a.name, b.name)) }
  } catch (error) {
    // A link to nowhere is there, but a stat of what it leads to says ENOENT as well.
    if (!isSystemError(error, 'ENOENT') || isDangling(folder)) tellUnreadable(folder, reasonOf(error), findings)
    return undefined
  }
}

function isDangling(path: string): boolean {
  try {
    return readdirSync(dirname(path)).includes(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return false
  }
}

function realFolderOf(path: string, realParent: string, findings: Findings): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return undefined
    const realPath = realpathSync.native(path)
    if (!isInside(realParent, realPath)) return realPath
    const message = `Remove the link "${path}": it leads back to ${realPath}, a folder that holds it`
    findings.diagnostics.push({ code: 'LINK_LOOP', severity: 'warning', message, path })
  } catch (error) {
    tellUnreadable(path, reasonOf(error), findings)
  }
  return undefined
}

function isFolder(path: string, findings: Findings): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    // A link to a file that is missing is told by whoever reads the file.
    if (!path.toLowerCase().endsWith('.md')) tellUnreadable(path, reasonOf(error), findings)
    return false
  }
}

function tellUnreadable(path: string, reason: string, findings: Findings): void {
  findings.diagnostics.push({ code: 'PATH_UNREADABLE', severity: 'warning', message: `Cannot read "${path}": ${reason}`, path })
}
