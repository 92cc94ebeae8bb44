// Tells a process that lives long of changes of its skills (SPEC R1.7). Only what can hold a skill is watched: never a whole workspace,
// `.git` or `node_modules`. Events are gathered until the disk is quiet, then the catalog looks once, and only a real difference is told.

import { EventEmitter } from 'node:events'
import { relative } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { messageOf } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { SkillChanges } from '../source-options.ts'
import type { Catalog } from './catalog.ts'
import { homesOf } from './discover.ts'
import { compareBytes } from './names.ts'
import type { Skill } from './skill.ts'
import type { CatalogOptions } from './snapshot.ts'

export interface SkillWatcher extends EventEmitter<{ changed: [SkillChanges]; problem: [Error] }> {
  /** Resolves when everything is watched: what changes later is told. */
  readonly ready: Promise<void>
  /** Releases all handles; nothing is told afterwards. */
  close(): Promise<void>
}

export interface WatchOptions
  extends Pick<CatalogOptions, 'workspace' | 'home' | 'managedDir' | 'plugins' | 'disableAgentSkillsDirectory'> {
  readonly catalog: Pick<Catalog, 'list'>
  /** How long the disk has to be quiet. Default 200. */
  readonly quietMs?: number
  /** A disk that is never quiet is looked at so often. Default 5,000. */
  readonly mostMs?: number
}

type Listed = Awaited<ReturnType<Catalog['list']>>

export function watchSkills({ catalog, quietMs = 200, mostMs = 5_000, ...options }: WatchOptions): SkillWatcher {
  const events = new EventEmitter<{ changed: [SkillChanges]; problem: [Error] }>()
  // Nobody has to listen for problems: the look at each invocation is there without a watcher too.
  events.on('problem', () => undefined)
  const { bases, isWatched } = watchedPlaces(options)
  let before: Promise<Listed | undefined> = look(catalog)
  let timer: NodeJS.Timeout | undefined
  let firstAt = 0
  let closing: Promise<void> | undefined
  const compare = async (): Promise<void> => {
    timer = undefined
    const last = await before
    const now = await look(catalog)
    if (closing !== undefined || now === undefined) return
    before = Promise.resolve(now)
    const changes = last === undefined ? undefined : differenceOf(last, now)
    if (changes !== undefined) events.emit('changed', changes)
  }
  const schedule = (): void => {
    if (closing !== undefined) return
    const at = performance.now()
    if (timer === undefined) firstAt = at
    else clearTimeout(timer)
    timer = setTimeout(() => void compare(), Math.max(0, Math.min(quietMs, firstAt + mostMs - at)))
  }
  const watcher: FSWatcher = watch([...bases], {
    ignored: (path, stats) => !isWatched(path, stats?.isFile() ?? false),
    ignoreInitial: true,
    // An editor that writes beside and renames is one change.
    atomic: true,
    ignorePermissionErrors: true,
  })
  watcher.on('all', schedule)
  // Too many watches for this system, mostly: told, and the look at each invocation remains.
  watcher.on('error', error => events.emit('problem', error instanceof Error ? error : new Error(messageOf(error))))
  const ready = new Promise<void>(resolve => watcher.once('ready', () => resolve(undefined)))
  return Object.assign(events, {
    ready: Promise.all([ready, before]).then(() => undefined),
    close: (): Promise<void> => {
      closing ??= (async () => {
        clearTimeout(timer)
        await watcher.close()
        await before
        events.removeAllListeners()
      })()
      return closing
    },
  })
}

/** A look that fails shows nothing new; the next one may. */
async function look(catalog: Pick<Catalog, 'list'>): Promise<Listed | undefined> {
  try {
    return await catalog.list()
  } catch {
    return undefined
  }
}

function differenceOf(before: Listed, now: Listed): SkillChanges | undefined {
  const old = visible(before)
  const fresh = visible(now)
  const sorted = (ids: Iterable<string>): string[] => [...ids].sort(compareBytes)
  const added = sorted([...fresh.keys()].filter(id => !old.has(id)))
  const removed = sorted([...old.keys()].filter(id => !fresh.has(id)))
  const changed = sorted([...fresh].flatMap(([id, text]) => (old.has(id) && old.get(id) !== text ? [id] : [])))
  const isSame = JSON.stringify(before.diagnostics) === JSON.stringify(now.diagnostics)
  if (added.length + removed.length + changed.length === 0 && isSame) return undefined
  return { added, removed, changed, diagnostics: now.diagnostics }
}

function visible({ skills, agents }: Listed): ReadonlyMap<string, string> {
  const shown = (skill: Skill, prefix: string): [string, string][] =>
    skill.shadowedBy === undefined ? [[prefix + skill.id, JSON.stringify(skill)]] : []
  return new Map([...skills.flatMap(skill => shown(skill, '')), ...agents.flatMap(skill => shown(skill, 'agent:'))])
}

const maxCommandParts = 18
const manifestFolders = ['.claude-plugin', '.wave-plugin', '.skillcell-plugin']

/** The folders to begin at, and what counts below them. Pure but for the options. */
export function watchedPlaces({
  workspace,
  home,
  managedDir,
  plugins,
  disableAgentSkillsDirectory,
}: Omit<WatchOptions, 'catalog' | 'quietMs' | 'mostMs'>): {
  readonly bases: readonly string[]
  readonly isWatched: (path: string, isFile: boolean) => boolean
} {
  const homes = new Set(homesOf(disableAgentSkillsDirectory))
  const ofHomes = [workspace, home, ...(managedDir === undefined ? [] : [managedDir])]
  const isInHome = ([top = '', ...rest]: readonly string[], isFile: boolean): boolean =>
    homes.has(top) && (rest.length === 0 || isSkillPlace(rest, isFile))
  const isInPlugin = (parts: readonly string[], isFile: boolean): boolean => {
    const last = parts.at(-1) ?? ''
    // A manifest may name any folder of the plugin.
    return (
      parts.length <= 6 &&
      (!isFile || last.toLowerCase().endsWith('.md') || (manifestFolders.includes(parts[0] ?? '') && last === 'plugin.json'))
    )
  }
  const belongs = (base: string, path: string, isIn: (parts: readonly string[]) => boolean): boolean => {
    if (!isInside(path, base)) return false
    const way = relative(base, path)
    if (way === '') return true
    const parts = way.split('/')
    return !parts.some(part => part === '.git' || part === 'node_modules') && isIn(parts)
  }
  return {
    bases: [...new Set([...ofHomes, ...plugins])],
    isWatched: (path, isFile) =>
      ofHomes.some(base => belongs(base, path, parts => isInHome(parts, isFile))) ||
      plugins.some(base => belongs(base, path, parts => isInPlugin(parts, isFile))),
  }
}

/** `skills/<name>/SKILL.md`, `commands/**` and `agents/*.md`; a file whose kind is not known yet is let through where it may be a folder. */
function isSkillPlace([kind = '', ...rest]: readonly string[], isFile: boolean): boolean {
  const last = rest.at(-1) ?? ''
  if (kind === 'skills') return rest.length < 2 || (rest.length === 2 && last.toLowerCase() === 'skill.md')
  if (kind === 'commands') return rest.length <= maxCommandParts && (!isFile || last.toLowerCase().endsWith('.md'))
  return kind === 'agents' && (rest.length === 0 || (rest.length === 1 && last.toLowerCase().endsWith('.md')))
}
