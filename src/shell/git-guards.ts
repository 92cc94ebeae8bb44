// What of the repositories in a workspace, beside its own `.git`, no command may write (SPEC R17.10): what git obeys in a bare workspace and in
// clones in its folders, and what their configuration leads to. Promises: a look around at most every few seconds, since this is asked for each
// command; a configuration is read again as soon as it changes. Leaves to others: the mounts and what stands for what is absent.

import { type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isInside } from '../inside.ts'
import { look } from './disk.ts'
import { obeyedGitNames } from './git-folder.ts'
import { type ConfiguredPlace, type Obeyed, obeyedIn } from './git-obeyed.ts'
import { type GitPlace, innerPlaces, isStill, ownPlace } from './git-places.ts'

export interface GitGuards {
  /** Folders of repositories of which the names that git obeys are to be read-only, there or not; real paths. */
  readonly folders: readonly string[]
  /** Other paths that are to be so. */
  readonly paths: readonly string[]
  /** Files that must not come to be. */
  readonly missing: readonly string[]
}

interface Around {
  readonly lookedAt: number
  readonly validMs: number
  readonly inner: readonly GitPlace[]
  readonly folders: readonly string[]
  readonly entries: readonly string[]
  /** Asked for each command. */
  readonly own: readonly ConfiguredPlace[]
  readonly obeyedInside: Obeyed
}

const validMs = 3_000
// The look around costs at most one part in so many.
const share = 200

const known = new Map<string, Around>()

export function gitGuards(workspace: string): GitGuards {
  const { folders, entries, own, obeyedInside } = around(workspace)
  const obeyed = own.map(place => obeyedIn(workspace, place))
  return {
    folders,
    paths: [...entries, ...obeyedInside.guarded, ...obeyed.flatMap(({ guarded }) => guarded)],
    missing: [...obeyedInside.missing, ...obeyed.flatMap(({ missing }) => missing)],
  }
}

function around(workspace: string): Around {
  const before = known.get(workspace)
  const now = performance.now()
  if (before !== undefined && now - before.lookedAt < before.validMs) return before
  const found = lookAround(workspace, before)
  known.delete(workspace)
  if (known.size > 200) known.clear()
  const lookedAt = performance.now()
  const made = { ...found, lookedAt, validMs: Math.max(validMs, (lookedAt - now) * share) }
  known.set(workspace, made)
  return made
}

function lookAround(workspace: string, before: Around | undefined): Omit<Around, 'lookedAt' | 'validMs'> {
  const own = ownPlace(workspace)
  const { places, whole } = innerPlaces(workspace)
  // A command that makes many folders does not make us forget.
  const kept = whole ? [] : (before?.inner ?? []).filter(place => isStill(place) && !places.some(({ git }) => git === place.git))
  const inner = [...places, ...kept]
  const plain = join(workspace, '.git')
  // Those of its own `.git` are protected by their names already.
  const folders = [...(own === undefined ? [] : [own]), ...inner]
    .map(({ common }) => common)
    .filter(folder => folder !== plain && isInside(folder, workspace))
  const obeyed = inner.map(place => obeyedIn(workspace, configured(place)))
  const ofUser = personal().filter(path => isInside(path, workspace))
  return {
    inner,
    folders: [...new Set(folders)],
    // A file that names another place, or a link, which is put back.
    entries: [
      ...inner.flatMap(({ kind, entry }) => (kind === 'folder' || entry === undefined ? [] : [entry])),
      ...ofUser.filter(path => look(path) !== undefined),
    ],
    own: own === undefined ? [] : [configured(own), { configs: personal(), root: own.root }],
    obeyedInside: {
      guarded: obeyed.flatMap(({ guarded }) => guarded),
      missing: [...obeyed.flatMap(({ missing }) => missing), ...ofUser.filter(path => look(path) === undefined)],
    },
  }
}

function configured({ git, common, root }: GitPlace): ConfiguredPlace {
  return { configs: [join(common, 'config'), join(git, 'config.worktree')], root }
}

/** A relative path in it is meant for every repository. */
function personal(): string[] {
  const home = homedir()
  return [join(home, '.gitconfig'), join(process.env.XDG_CONFIG_HOME || join(home, '.config'), 'git/config')]
}

interface Seen {
  readonly state: string
  readonly statuses: ReadonlyMap<string, Stats | undefined>
}

const seen = new Map<string, Seen>()

/** What lies at the names that git obeys in a folder. Asked again only when the folder has changed. */
export function obeyedStatuses(folder: string): ReadonlyMap<string, Stats | undefined> {
  // Of what a link leads to.
  const status = statSync(folder, { throwIfNoEntry: false })
  if (status === undefined) return new Map()
  const { dev, ino, mtimeMs, ctimeMs } = status
  const state = `${dev}:${ino}:${mtimeMs}:${ctimeMs}`
  const before = seen.get(folder)
  if (before?.state === state) return before.statuses
  const statuses = new Map(obeyedGitNames.map(name => [join(folder, name), look(join(folder, name))]))
  seen.delete(folder)
  if (seen.size > 500) seen.clear()
  // Beyond this a change has another time on any disk.
  if (Date.now() - Math.max(mtimeMs, ctimeMs) > validMs) seen.set(folder, { state, statuses })
  return statuses
}
