// Makes the protected paths that a workspace does not have, so that a cell can mount over them and no command can make them (SPEC R17.10,
// finding 5). Promises: what it made is removed when the last cell of the workspace has ended, also when our process is killed; what was there
// before, or has something in it by then, is left alone. Leaves to others: the mounts, which start once these paths exist.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { gitGuards, obeyedStatuses } from './git-guards.ts'

export interface Placeholders {
  /**
   * Makes what is missing, now and each time it is called; kept until as many calls of `release`. Gives what is there then.
   * @param others of the workspace that must not come to be either
   */
  hold(workspace: string, others?: readonly string[]): ProtectedStatuses
  release(workspace: string): void
  /** Whether a workspace shows any of them now. */
  shows(workspace: string): boolean
  /** To be called when no cell is left. */
  close(): void
}

const otherNames: readonly string[] = ['.skillcell', '.wave', '.claude', '.agents', '.mcp.json']

/**
 * What no command of a workspace may write, there or not. All of `.git` where it is no repository: a file that leads to one, or what stands for
 * a missing one, since a repository that a command makes could bring hooks. Of other repositories in it what git obeys (git-guards.ts).
 */
export function protectedPaths(workspace: string): string[] {
  return [...protectedStatuses(workspace).keys()]
}

/** What lies at the protected paths of a workspace; a link is one, wherever it leads. */
export type ProtectedStatuses = ReadonlyMap<string, Stats | undefined>

export function protectedStatuses(workspace: string): ProtectedStatuses {
  const found = new Map<string, Stats | undefined>()
  const git = join(workspace, '.git')
  const { folders, paths } = gitGuards(workspace)
  const isRepository = existsSync(join(git, 'HEAD'))
  for (const folder of isRepository ? [git, ...folders] : folders)
    for (const [path, status] of obeyedStatuses(folder)) found.set(path, status)
  const named = [...(isRepository ? [] : [git]), ...otherNames.map(name => join(workspace, name)), ...paths]
  for (const path of named) if (!found.has(path)) found.set(path, lstatSync(path, { throwIfNoEntry: false }))
  return found
}

interface Made {
  readonly path: string
  readonly identity: string
}

export function createPlaceholders(): Placeholders {
  const holds = new Map<string, number>()
  const made = new Map<string, Made[]>()
  let janitor: ChildProcess | undefined
  const makeIn = (workspace: string, path: string) => {
    const status = makeOne(path)
    if (status === undefined) return
    const own = { path, identity: `${status.dev}:${status.ino}` }
    made.set(workspace, [...(made.get(workspace) ?? []), own])
    janitor ??= startJanitor()
    janitor.stdin?.write(`${own.identity}\0${path}\0`)
  }
  const make = (workspace: string): ProtectedStatuses => {
    const found = protectedStatuses(workspace)
    let isChanged = false
    for (const [path, there] of found) {
      if (there !== undefined) continue
      isChanged = true
      makeIn(workspace, path)
    }
    return isChanged ? protectedStatuses(workspace) : found
  }
  const remove = (workspace: string) => {
    for (const own of made.get(workspace)?.toReversed() ?? []) removeOne(own)
    made.delete(workspace)
  }
  return {
    hold(workspace, others = []) {
      holds.set(workspace, (holds.get(workspace) ?? 0) + 1)
      for (const path of others) makeIn(workspace, path)
      return make(workspace)
    },
    release(workspace) {
      const left = (holds.get(workspace) ?? 1) - 1
      if (left > 0) return void holds.set(workspace, left)
      holds.delete(workspace)
      remove(workspace)
    },
    shows: workspace => made.has(workspace),
    close() {
      for (const workspace of made.keys()) remove(workspace)
      // Nothing is left to do for it.
      janitor?.kill('SIGKILL')
      janitor = undefined
    },
  }
}

// "The common folder is this one": git goes on as without it, and refuses to work with an empty one.
const ownFolder = '.\n'

// An empty folder also in place of a file of the workspace: git lists no empty folder, so that no status shows it and no `git add` takes it.
function makeOne(path: string): Stats | undefined {
  try {
    const name = basename(path)
    if (name === 'commondir') makeWhole(path, ownFolder)
    else if (name === 'config' || name === 'config.worktree') writeFileSync(path, '', { flag: 'wx', mode: 0o644 })
    else mkdirSync(path, { mode: 0o755 })
    return lstatSync(path)
  } catch {
    // Made by somebody else in the meantime, or below a folder that may not be written: then no command can make it either.
    return undefined
  }
}

/** Nobody sees it without its text. */
function makeWhole(path: string, text: string): void {
  const beside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(beside, text, { flag: 'wx', mode: 0o644 })
  try {
    linkSync(beside, path)
  } finally {
    unlinkSync(beside)
  }
}

function removeOne({ path, identity }: Made): void {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status === undefined || `${status.dev}:${status.ino}` !== identity || isMounted(path)) return
  try {
    if (status.isDirectory()) rmdirSync(path)
    else if (status.size === 0 || (status.size === ownFolder.length && readFileSync(path, 'utf8') === ownFolder)) unlinkSync(path)
  } catch {
    // Something lies in it: it has become the user's.
  }
}

/** A cell of another process of ours stands on it; the kernel would take its mount away together with the path. */
function isMounted(path: string): boolean {
  const shown = ` ${path.replaceAll(/[ \t\n\\]/g, character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)} `
  return readdirSync('/proc').some(id => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/mountinfo`, 'utf8').includes(shown)
    } catch {
      return false
    }
  })
}

// Sleeps until our end of its input is gone, however that came to be, then removes what is still there and still empty. It waits for the cells,
// which end with us too. In a session of its own, so that a signal for our group does not end it first.
const janitorScript = `
trap '' HUP INT TERM QUIT
while IFS= read -r -d '' identity && IFS= read -r -d '' path; do identities+=("$identity"); paths+=("$path"); done
for ((index = \${#paths[@]} - 1; index >= 0; index--)); do
  path=\${paths[index]} identity=\${identities[index]}
  [[ $(stat -c %d:%i -- "$path") == "$identity" ]] || continue
  shown=\${path//\\\\/\\\\134} shown=\${shown// /\\\\040} shown=\${shown//$'\\t'/\\\\011} shown=\${shown//$'\\n'/\\\\012}
  for round in {1..60}; do grep -qsF " $shown " /proc/[0-9]*/mountinfo || break; sleep 0.05; done
  grep -qsF " $shown " /proc/[0-9]*/mountinfo && continue
  if [[ -d $path ]]; then rmdir -- "$path"; elif [[ ! -s $path || $(<"$path") == . ]]; then rm -f -- "$path"; fi
done
`

function startJanitor(): ChildProcess {
  const child = spawn('/bin/bash', ['--norc', '--noprofile', '-c', janitorScript, 'skillcell-janitor'], {
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.unref()
  // Its pipe must not keep our process alive.
  if (child.stdin !== null && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return child
}
