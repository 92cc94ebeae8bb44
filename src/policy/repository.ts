// Whether git may be trusted to only read in a folder: its configuration can name programs (core.fsmonitor, diff.external, filters,
// pagers, aliases), and a skill may have written it earlier; so can that of a repository inside, which git works in as well. Only keys
// that are known to name none are accepted: the list is data, policies/command-facts.yaml.

import { accessSync, constants, readlinkSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { holdsName } from '../bash/names.ts'
import { isSystemError } from '../errors.ts'
import { readPlainFile } from '../plain-file.ts'
import { gitlinksOf, modulesOf, unclear } from './gitlinks.ts'
import { type CommandTables, loadTables } from './tables.ts'

const maxConfigBytes = 256 * 1024
const maxHeadBytes = 4096
const maxRepositories = 64

/** Why git could run something here; undefined when no configuration that it reads names a program, or there is no repository. */
export function repositoryProblem(folder: string, { gitConfig }: Pick<CommandTables, 'gitConfig'> = loadTables()): string | undefined {
  const outer = repositoriesFrom(folder)
  const waiting = [...outer]
  const seen = new Set<string>()
  for (let found = waiting.pop(); found; found = waiting.pop()) {
    const { git, root } = found
    if (git === undefined) return 'the configuration of the repository cannot be read'
    if (seen.has(`${git}\n${root}`)) continue
    seen.add(`${git}\n${root}`)
    if (seen.size > maxRepositories) return 'there are too many repositories in the repository'
    const problem = configProblem(git, gitConfig)
    if (problem) return outer.includes(found) ? problem : `${problem}: it works in "${relative(folder, found.path)}" too`
    const inner = innerRepositories(found)
    if (inner === unclear) return 'which repositories lie in the repository cannot be read'
    waiting.push(...inner)
  }
  return undefined
}

function configProblem(git: string, rows: CommandTables['gitConfig']): string | undefined {
  const config = readConfigs(git)
  if (config === unclear) return 'the configuration of the repository cannot be read'
  const key = keysOf(config).find(each => !isHarmless(each, rows))
  return key === undefined ? undefined : `"${key}" in the configuration of the repository may make git run a program`
}

/** Repositories in which git is started beside this one. */
function innerRepositories({ git, root }: Found): readonly Found[] | typeof unclear {
  if (git === undefined) return unclear
  const links = gitlinksOf(git)
  const modules = modulesOf(commonFolder(git) ?? git)
  if (links === unclear || modules === unclear) return unclear
  return [
    ...links.flatMap(name => foundAt(join(root, name)) ?? []),
    ...modules.map((path): Found => ({ path, git: path, root: path, certain: true })),
  ]
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

/** Whether git would find the same repository from both folders. */
export function isSameRepository(one: string, other: string): boolean {
  const found = repositoriesFrom(one)[0]
  return found !== undefined && found.path === repositoriesFrom(other)[0]?.path
}

interface Found {
  /** `.git`, or the folder that is a bare repository. */
  readonly path: string
  readonly git: string | undefined
  /** Of the work tree. */
  readonly root: string
  /** Whether git takes it for a repository and looks no further. */
  readonly certain: boolean
}

/** What git may find from a folder upwards: it passes over what is no repository, so all are named up to the first that is one for certain. */
function repositoriesFrom(folder: string): readonly Found[] {
  const all: Found[] = []
  for (let here = folder; ; here = dirname(here)) {
    const found = foundAt(here)
    if (found) all.push(found)
    if (found?.certain) return all
    // A folder that looks like a bare repository is one.
    if (isPresent(join(here, 'HEAD')) && isPresent(join(here, 'objects'))) {
      const bare = { path: here, git: here, root: here, certain: isRepository(here) }
      all.push(bare)
      if (bare.certain) return all
    }
    if (dirname(here) === here) return all
  }
}

function foundAt(root: string): Found | undefined {
  const path = join(root, '.git')
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  if (found.isDirectory()) return { path, git: path, root, certain: isRepository(path) }
  const git = linkedFolder(path, root)
  return { path, git, root, certain: git === undefined || isRepository(git) }
}

/** As git tells: HEAD names a branch or a commit, and objects and refs can be entered. In doubt it is none, and git is thought to look on. */
function isRepository(git: string): boolean {
  try {
    const common = commonFolder(git) ?? git
    for (const name of ['objects', 'refs']) {
      accessSync(join(common, name), constants.X_OK)
      if (!statSync(join(common, name)).isDirectory()) return false
    }
    return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(headOf(join(git, 'HEAD')))
  } catch {
    return false
  }
}

function headOf(path: string): string {
  try {
    return `ref: ${readlinkSync(path)}`
  } catch {
    return readPlainFile(path, maxHeadBytes)
  }
}

function isPresent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** A worktree or submodule: `.git` is a file that names the folder. */
function linkedFolder(file: string, base: string): string | undefined {
  try {
    const named = /^gitdir: ([^\r\n]*[^\s])[\r\n]*$/.exec(readPlainFile(file, maxConfigBytes))?.[1]
    return named === undefined ? undefined : resolve(base, named)
  } catch {
    return undefined
  }
}

/** Of a worktree: the folder of its repository. */
function commonFolder(git: string): string | undefined {
  const text = readIfPresent(join(git, 'commondir'))
  return text === undefined ? undefined : resolve(git, text.trim())
}

function readConfigs(git: string): string | typeof unclear {
  try {
    const main = commonFolder(git) ?? git
    return [readIfPresent(join(main, 'config')) ?? '', readIfPresent(join(git, 'config.worktree')) ?? ''].join('\n')
  } catch {
    return unclear
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readPlainFile(path, maxConfigBytes)
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
