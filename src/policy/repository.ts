// Whether git may be trusted to only read in a folder: its configuration can name programs (core.fsmonitor, diff.external, filters,
// pagers, aliases), and a skill may have written it earlier. Only keys that are known to name none are accepted: the list is data,
// policies/command-facts.yaml.

import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { holdsName } from '../bash/names.ts'
import { isSystemError } from '../errors.ts'
import { type CommandTables, loadTables } from './tables.ts'

const maxConfigBytes = 256 * 1024

/** Why git could run something here; undefined when its configuration names no program, or there is no repository. */
export function repositoryProblem(folder: string, { gitConfig }: Pick<CommandTables, 'gitConfig'> = loadTables()): string | undefined {
  const config = configOf(folder)
  if (config === undefined) return undefined
  if (config === unreadable) return 'the configuration of the repository cannot be read'
  const key = keysOf(config).find(each => !isHarmless(each, gitConfig))
  return key === undefined ? undefined : `"${key}" in the configuration of the repository may make git run a program`
}

/** `section.key`, or `section.name.key`, where a name may hold dots. */
function isHarmless(key: string, rows: CommandTables['gitConfig']): boolean {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  if (first < 1) return false
  const section = key.slice(0, first)
  const names = rows.get(first === last ? section : `${section}.*`)
  return names !== undefined && holdsName(names, key.slice(last + 1))
}

const unreadable = Symbol('unreadable')

/** Whether git would find the same repository from both folders. */
export function isSameRepository(one: string, other: string): boolean {
  const found = repositoryOf(one)
  return found !== undefined && found.path === repositoryOf(other)?.path
}

interface Found {
  /** `.git`, or the folder that is a bare repository. */
  readonly path: string
  readonly git: string | undefined
}

/** What git finds from a folder upwards. */
function repositoryOf(folder: string): Found | undefined {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, '.git')
    const found = statSync(path, { throwIfNoEntry: false })
    if (found) return { path, git: found.isDirectory() ? path : linkedFolder(path, here) }
    // A folder that looks like a bare repository is one.
    if (statSync(join(here, 'HEAD'), { throwIfNoEntry: false }) && statSync(join(here, 'objects'), { throwIfNoEntry: false }))
      return { path: here, git: here }
    if (dirname(here) === here) return undefined
  }
}

/** The text of the configuration that git would find. */
function configOf(folder: string): string | typeof unreadable | undefined {
  const found = repositoryOf(folder)
  return found && readConfigs(found.git)
}

/** A worktree or submodule: `.git` is a file that names the folder. */
function linkedFolder(file: string, base: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readIfPresent(file) ?? '')?.[1]
  return named === undefined ? undefined : resolve(base, named.trim())
}

function readConfigs(git: string | undefined): string | typeof unreadable {
  if (git === undefined) return unreadable
  try {
    const common = readIfPresent(join(git, 'commondir'))
    const main = common === undefined ? git : resolve(git, common.trim())
    return [readIfPresent(join(main, 'config')) ?? '', readIfPresent(join(git, 'config.worktree')) ?? ''].join('\n')
  } catch {
    return unreadable
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    const { size } = statSync(path)
    if (size > maxConfigBytes) throw new Error(`"${path}" is too large`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** `section.subsection.key`, lower case but for the subsection. A line that is none of the grammar is a key of its own, which nobody accepts. */
function keysOf(config: string): readonly string[] {
  const keys: string[] = []
  let section = ''
  let continued = false
  for (const line of config.split(/\r?\n/)) {
    const text = line.trim()
    const isContinuation = continued
    continued = /\\$/.test(line)
    // In a comment a backslash continues nothing, and neither do two: what git reads on the next line must not be passed over.
    if (continued && !/^[^#;\\]*\\$/.test(line)) keys.push(text)
    if (isContinuation || text === '' || text.startsWith('#') || text.startsWith(';')) continue
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(text)
    if (head) {
      section = head[2] === undefined ? (head[1] ?? '').toLowerCase() : `${(head[1] ?? '').toLowerCase()}.${head[2]}`
      if ((head[3] ?? '').trim() !== '' && !/^\s*[#;]/.test(head[3] ?? '')) keys.push(`${section} ${head[3]}`)
      continue
    }
    const name = /^([A-Za-z][\w-]*)\s*(=|$|[#;])/.exec(text)?.[1]
    keys.push(name === undefined ? text : `${section}.${name.toLowerCase()}`)
  }
  return keys
}
