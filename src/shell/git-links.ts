// Repositories inside a repository. `git status` goes into each that the index names and obeys its configuration, so one that a command put there,
// or changed, would run programs for the user (SPEC R17.10). No mount can guard what is not there yet: the index is compared when it has changed.
// Reads only; leaves to others what to do about it.

import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface WatchedRepositories {
  /** Their `.git`, of those that came or changed since. */
  changed(): string[]
}

interface Seen {
  readonly state: string
  readonly links: readonly string[]
}

// A look at each costs some microseconds, and the index of the largest repositories has some hundred.
const maxWatched = 1_000
const maxIndexBytes = 256 * 1024 * 1024

const seenBefore = new Map<string, Seen>()

/** @param gitFolder of the workspace; undefined where it is no repository */
export function watchRepositories(workspace: string, gitFolder: string | undefined): WatchedRepositories {
  if (gitFolder === undefined) return { changed: () => [] }
  const index = join(gitFolder, 'index')
  const before = look(index)
  const known = new Map(before.links.slice(0, maxWatched).map(link => [link, stateOfRepository(join(workspace, link))]))
  return {
    changed() {
      const links = new Set([...known.keys(), ...look(index).links])
      return [...links]
        .map(link => ({ git: join(workspace, link, '.git'), was: known.get(link) ?? '', is: stateOfRepository(join(workspace, link)) }))
        .filter(({ was, is }) => is !== '' && is !== was)
        .map(({ git }) => git)
    },
  }
}

function look(index: string): Seen {
  const state = stateOf(index)
  const seen = seenBefore.get(index)
  if (seen?.state === state) return seen
  const now = { state, links: readLinks(index) }
  seenBefore.delete(index)
  if (seenBefore.size > 100) seenBefore.clear()
  seenBefore.set(index, now)
  return now
}

/** Empty where there is none. What `git status` obeys in it, with the time of its change, which nobody can set. */
function stateOfRepository(folder: string): string {
  const status = lstatSync(join(folder, '.git'), { throwIfNoEntry: false })
  if (status === undefined) return ''
  // A folder changes with every lock in it, and one that was replaced has another number or another configuration.
  if (!status.isDirectory()) return stateOf(join(folder, '.git'))
  const obeyed = ['config', 'config.worktree', 'commondir', 'hooks', 'hooks/post-index-change'].map(name =>
    stateOf(join(folder, '.git', name)),
  )
  return `${status.dev}:${status.ino}:${obeyed.join(',')}`
}

function stateOf(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return status === undefined ? '' : `${status.dev}:${status.ino}:${status.size}:${status.ctimeMs}`
}

function readLinks(index: string): string[] {
  try {
    const { size } = lstatSync(index)
    return size > maxIndexBytes ? [] : gitLinks(readFileSync(index))
  } catch {
    // No index, or somebody is at it: then it changes once more.
    return []
  }
}

const gitLinkMode = 0o160000

/** Paths that an index names as repositories. Of what is no index, what could be read. */
export function gitLinks(index: Buffer): string[] {
  const links: string[] = []
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return links
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  let name: Buffer = Buffer.alloc(0)
  let position = 12
  for (let entry = 0; entry < count && position + 62 < index.length; entry += 1) {
    const isExtended = version >= 3 && (index.readUInt16BE(position + 60) & 0x4000) !== 0
    let start = position + 62 + (isExtended ? 2 : 0)
    let kept = 0
    if (version === 4) {
      const strip = readNumber(index, start)
      start = strip.end
      kept = Math.max(0, name.length - strip.value)
    }
    const end = index.indexOf(0, start)
    if (end < 0) break
    if (version === 4) name = Buffer.concat([name.subarray(0, kept), index.subarray(start, end)])
    if (index.readUInt32BE(position + 24) === gitLinkMode) links.push((version === 4 ? name : index.subarray(start, end)).toString('utf8'))
    position = version === 4 ? end + 1 : position + ((end - position + 8) & ~7)
  }
  return links
}

/** As git writes offsets: each byte after the first counts from one higher. */
function readNumber(bytes: Buffer, from: number): { value: number; end: number } {
  let position = from
  let byte = bytes[position] ?? 0
  let value = byte & 127
  while ((byte & 128) !== 0) {
    position += 1
    byte = bytes[position] ?? 0
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, end: position + 1 }
}
