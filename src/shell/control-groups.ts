// A control group for each cell, in one of its tenant: memory, processes and a share of the CPU are held by the kernel, for root too, and counted exactly (SPEC R6.3,
// R6.8). Promises: a group goes when its cell has ended; those of a process of ours that was killed go at the next start; what was not handed to
// us (control-group-places.ts) is not touched. A cell does not see them: nothing of /sys is mounted in it.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { emptyAndRemoveTree } from './control-group.ts'
import { type Controller, type ControlPlace, findControlPlaces } from './control-group-places.ts'
import { isLeft, ownPrefix } from './owned-names.ts'
import { openTenantGroup, type TenantGroup } from './tenant-group.ts'

export interface ControlGroups {
  readonly controllers: ReadonlySet<Controller>
  /** Why others are not had, and what to do; for people. */
  readonly problems: readonly string[]
  /** The group that the cells of one tenant lie in; made with the first of them. */
  openTenant(): TenantGroup
}

let ours: ControlGroups | undefined

/** Those of this process; looked for once. */
export function controlGroups(): ControlGroups {
  ours ??=
    process.platform === 'linux'
      ? openControlGroups()
      : { controllers: new Set(), problems: [], openTenant: () => openTenantGroup([], nextName) }
  return ours
}

/** @param root where /proc and /sys are looked for; for tests */
export function openControlGroups(root: string = '/'): ControlGroups {
  const found = findControlPlaces(root)
  const places: ControlPlace[] = []
  const problems = [...found.problems]
  for (const place of found.places) {
    try {
      sweep(place)
      if (place.version === 2) handDown(place)
      // Only a try shows whether the kernel and what stands above it allow it.
      const folder = join(place.folder, nextName())
      mkdirSync(folder)
      rmdirSync(folder)
      places.push(place)
    } catch (error) {
      problems.push(`${place.controllers.join(', ')}: ${messageOf(error)}`)
    }
  }
  return {
    controllers: new Set(places.flatMap(place => place.controllers)),
    problems,
    openTenant: () => openTenantGroup(places, nextName),
  }
}

let count = 0

function nextName(): string {
  count += 1
  return `${ownPrefix()}skillcell-${count}`
}

/** Removes groups whose maker has ended. Those of another PID space cannot be judged from here. */
function sweep({ folder }: ControlPlace): void {
  for (const name of readdirSync(folder)) {
    if (isLeft(name)) void emptyAndRemoveTree(join(folder, name), { isAwaited: false }).catch(() => undefined)
  }
}

/** A group of the second version gives its controllers to groups below it only when it has no process itself: then we move to one of our own. */
function handDown({ folder, controllers }: ControlPlace): void {
  const file = join(folder, 'cgroup.subtree_control')
  const wanted = controllers.filter(name => name !== 'cpuacct')
  const given = readFileSync(file, 'utf8').trim().split(/\s+/)
  const lacking = wanted.filter(name => !given.includes(name))
  if (lacking.length === 0) return
  const inside = readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n').filter(Boolean)
  const isRoot = !readdirSync(folder).includes('cgroup.type')
  if (!isRoot && inside.length > 0) {
    if (inside.some(id => id !== String(process.pid)))
      throw new Error(`other processes are in the control group "${folder}"; start skillcell as the only one in it`)
    const own = join(folder, nextName())
    mkdirSync(own)
    writeFileSync(join(own, 'cgroup.procs'), '0')
  }
  writeFileSync(file, lacking.map(name => `+${name}`).join(' '))
}
