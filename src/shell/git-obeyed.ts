// What in a workspace the configuration of a repository makes git run or obey: a folder of hooks, an included file, the script of a filter
// (SPEC R17.10). Reads files, starts nothing, and reads again only what has changed. Promises no more than the keys below name; a condition of an
// include is taken to hold. Leaves to others: the mounts, and the configuration itself.

import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isInside } from '../inside.ts'
import { readPlainFile } from '../plain-file.ts'
import { look } from './disk.ts'
import { readGitConfig } from './git-config.ts'

export interface Obeyed {
  /** To be read-only; where it is not there, an empty folder can stand for it. */
  readonly guarded: readonly string[]
  /** Files that must not come to be. Nothing can stand for them: git would fail at a folder, and list a file as new. */
  readonly missing: readonly string[]
}

/** Where a repository keeps its configuration, and from where its paths are read. */
export interface ConfiguredPlace {
  readonly configs: readonly string[]
  /** Of the work tree; of a repository without one, its own folder. */
  readonly root: string
}

const maxConfigBytes = 1024 * 1024
const maxFiles = 20

// Beyond this a change has another time on any disk.
const settledMs = 3_000

interface Read {
  /** Of every file that was read or looked for. */
  readonly states: readonly (readonly [file: string, state: string])[]
  readonly wanted: Wanted
  readonly obeyed: Obeyed
  readonly lookedAt: number
}

const seen = new Map<string, Read>()
const nothing: Obeyed = { guarded: [], missing: [] }

export function obeyedIn(workspace: string, { configs, root }: ConfiguredPlace): Obeyed {
  const key = [workspace, root, ...configs].join('\0')
  const before = seen.get(key)
  const same = before?.states.every(([path, state]) => state !== '' && stateOf(path) === state) === true
  if (before !== undefined && same && performance.now() - before.lookedAt < settledMs) return before.obeyed
  const { states, wanted } = before !== undefined && same ? before : read(configs, root)
  const obeyed = placesIn(workspace, wanted)
  seen.delete(key)
  if (seen.size > 500) seen.clear()
  seen.set(key, { states, wanted, obeyed, lookedAt: performance.now() })
  return obeyed
}

function read(configs: readonly string[], root: string): Pick<Read, 'states' | 'wanted'> {
  const states = new Map<string, string>()
  const wanted = { hooks: new Set<string>(), files: new Set<string>(), programs: new Set<string>() }
  const waiting = [...configs]
  for (let file = waiting.shift(); file !== undefined && states.size < maxFiles; file = waiting.shift()) {
    if (states.has(file)) continue
    states.set(file, stateOf(file))
    waiting.push(...readOne(file, root, wanted))
  }
  return { states: [...states], wanted }
}

interface Wanted {
  readonly hooks: Set<string>
  readonly files: Set<string>
  readonly programs: Set<string>
}

const programKeys =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|(?:diff|merge|filter|difftool|mergetool|credential|gpg|pager|trailer)\.(?:.*\.)?[a-z\d-]+|sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs))$/

/** Adds what a file names; gives the files that it includes. */
function readOne(file: string, root: string, { hooks, files, programs }: Wanted): string[] {
  const included: string[] = []
  for (const { key, value } of valuesOf(file)) {
    if (value === undefined || value === '') continue
    const ends = key.slice(key.lastIndexOf('.') + 1)
    if (key === 'include.path' || (key.startsWith('includeif.') && ends === 'path')) {
      const path = resolve(dirname(file), expandHome(value))
      included.push(path)
      files.add(path)
    } else if (key === 'core.hookspath' || key === 'init.templatedir') hooks.add(withoutUnderscore(resolve(root, expandHome(value))))
    else if (key === 'core.attributesfile') files.add(resolve(root, expandHome(value)))
    else if (programKeys.test(key)) {
      for (const word of value.split(/[\s"'`;&|()<>=]+/))
        if (word.includes('/')) programs.add(resolve(root, expandHome(word.replace(/^!/, ''))))
    }
  }
  return included
}

function valuesOf(file: string): ReturnType<typeof readGitConfig> {
  try {
    return readGitConfig(readPlainFile(file, maxConfigBytes))
  } catch {
    return []
  }
}

// Husky: what git runs in `.husky/_` runs the scripts that lie beside it.
function withoutUnderscore(path: string): string {
  return basename(path) === '_' ? dirname(path) : path
}

function expandHome(value: string): string {
  return value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
}

function placesIn(workspace: string, { hooks, files, programs }: Wanted): Obeyed {
  if (hooks.size + files.size + programs.size === 0) return nothing
  const isOurs = (path: string) => path !== workspace && isInside(path, workspace)
  const guarded = new Set<string>()
  const missing = new Set<string>()
  const guard = (path: string) => {
    const { first, links } = onTheWay(workspace, path)
    for (const each of [...links, first]) guarded.add(each)
  }
  for (const path of hooks) if (isOurs(path)) guard(path)
  for (const path of files) {
    if (!isOurs(path)) continue
    if (onTheWay(workspace, path).first === path && look(path) === undefined) missing.add(path)
    else guard(path)
  }
  for (const path of programs) if (isOurs(path) && isFile(path)) guard(path)
  return { guarded: [...guarded], missing: [...missing] }
}

interface Way {
  /** The first part that is not there, or is an empty folder, as the one that stands for it would be; else the path. */
  readonly first: string
  /** Parts before it that are links. */
  readonly links: readonly string[]
}

function onTheWay(workspace: string, path: string): Way {
  const links: string[] = []
  let here = workspace
  for (const name of relative(workspace, path).split('/')) {
    here = join(here, name)
    const status = look(here)
    if (status === undefined || (status.isDirectory() && isEmpty(here))) return { first: here, links }
    if (status.isSymbolicLink()) links.push(here)
  }
  return { first: path, links }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return false
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

/** Empty where a change might not be seen by it yet. */
function stateOf(path: string): string {
  try {
    const status = statSync(path, { throwIfNoEntry: false })
    if (status === undefined) return 'none'
    const { dev, ino, size, mtimeMs, ctimeMs } = status
    return Date.now() - Math.max(mtimeMs, ctimeMs) < settledMs ? '' : `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`
  } catch {
    return 'none'
  }
}
