// The control group of one tenant: its cells lie in it, so that four of them have no more of the CPU than one of another tenant, and what they use
// together is counted. Promises: a tenant that yields runs when nobody else wants its CPU, and whoever wakes up takes it at once.
// Leaves to others: the limits of a cell (control-group.ts), who yields (yielding.ts).

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Limits } from '../limits.ts'
import {
  type ControlGroup,
  type CpuCounter,
  cpuCounter,
  emptyAndRemoveTree,
  openControlGroup,
  removeQuietly,
  shares,
} from './control-group.ts'
import type { ControlPlace } from './control-group-places.ts'

export interface TenantGroup {
  /** A group for a new cell. Undefined where none is had, or the kernel refuses one. */
  create(limits: Pick<Limits, 'maxMemoryMb' | 'maxProcesses'>): ControlGroup | undefined
  /** Of all its cells, those that ended too; undefined where it is not counted, and before the first. */
  cpuSeconds(): number | undefined
  /** True: gives its CPU to whoever else wants it. False: has its share of it. */
  yieldCpu(yields: boolean): void
  /** KILL to everything in it; removes it. */
  close(): Promise<void>
}

// Where a kernel has no `cpu.idle` (before 5.15): a sixteenth of a share. It has to wait then, but whoever wakes up does not take over at once.
const lowShares = { 1: '64', 2: '6' } as const

export function openTenantGroup(above: readonly ControlPlace[], nextName: () => string): TenantGroup {
  let places: ControlPlace[] | undefined
  let counter: CpuCounter | undefined
  let closed = false

  const open = (): readonly ControlPlace[] => {
    if (places !== undefined) return places
    places = makeIn(above, nextName())
    for (const { version, folder, controllers } of places) {
      // A group of the second version gives its controllers down by name.
      const names = controllers.filter(name => name !== 'cpuacct')
      if (version === 2) writeFileSync(join(folder, 'cgroup.subtree_control'), names.map(name => `+${name}`).join(' '))
    }
    counter = cpuCounter(places)
    return places
  }

  return {
    create(limits) {
      if (above.length === 0 || closed) return undefined
      let made: readonly ControlPlace[] = []
      try {
        made = makeIn(open(), nextName())
        return openControlGroup(made, limits)
      } catch {
        for (const { folder } of made) removeQuietly(folder)
        return undefined
      }
    },
    cpuSeconds: () => counter?.read(),
    yieldCpu(yields) {
      for (const { version, folder, controllers } of places ?? []) {
        if (!controllers.includes('cpu')) continue
        const [name, normal] = shares[version]
        if (!wrote(join(folder, 'cpu.idle'), yields ? '1' : '0')) wrote(join(folder, name), yields ? lowShares[version] : normal)
      }
    },
    async close() {
      closed = true
      counter?.close()
      counter = undefined
      for (const { folder } of places ?? []) await emptyAndRemoveTree(folder, { isAwaited: true })
      places = undefined
    },
  }
}

/** All or none. */
function makeIn(above: readonly ControlPlace[], name: string): ControlPlace[] {
  const made: ControlPlace[] = []
  try {
    for (const place of above) {
      const folder = join(place.folder, name)
      mkdirSync(folder)
      made.push({ ...place, folder })
    }
    return made
  } catch (error) {
    for (const { folder } of made) removeQuietly(folder)
    throw error
  }
}

function wrote(path: string, text: string): boolean {
  try {
    // The files of a group are the kernel's: what is not there cannot be made.
    writeFileSync(path, text, { flag: 'r+' })
    return true
  } catch {
    return false
  }
}
