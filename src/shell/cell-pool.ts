// The cells of one broker: leased for one command at a time, kept warm for the next of the same profile and trust, replaced when they died.
// Two trusts never share one, and a change of what a profile rests on gives a new one.

import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Cell, type CellOptions, startCell } from './cell.ts'
import { type CellProfile, profileKey } from './confinement.ts'
import { linkedSkills } from './linked-skills.ts'
import { type Placeholders, type ProtectedStatuses, protectedPaths } from './placeholders.ts'

export interface CellPool {
  lease(wanted: WantedCell): Promise<LeasedCell>
  /** Gives it back: warm when it may run the next command, ended otherwise. */
  giveBack(cell: Cell): Promise<void>
  close(): Promise<void>
}

export interface LeasedCell {
  readonly cell: Cell
  /** It was started for this: what was there before may have changed meanwhile. */
  readonly isNew: boolean
}

export interface WantedCell
  extends Pick<CellOptions, 'captureFolder' | 'bubblewrap' | 'environment' | 'ulimits' | 'maxCommands' | 'makeGroup' | 'openDoor'> {
  readonly trust: string
  /** All but the mounts of inputs, which are the cell's own. */
  readonly profile: Omit<CellProfile, 'inputs'>
  /** What was there when the workspace was held for this command. */
  readonly found: ProtectedStatuses
  /** Folder for the files of cells. */
  readonly folder: string
}

/** Names of the folders of the state directory that a cell has its own of. */
export const inputNames: readonly string[] = ['inputs', 'arguments']

// Its stand-ins for absent protected paths lie in the workspace, for all to see, as long as a cell has them mounted; a next command in this time
// spares the start of a cell.
const standInsMs = 3_000

// Each warm cell is a sleeping shell and bubblewrap, some 4 MiB.
const maxWarm = 4

/** A cell holds the placeholders of its workspace as long as it lives. */
export function createCellPool(placeholders: Pick<Placeholders, 'hold' | 'release' | 'shows'>): CellPool {
  const keys = new Map<Cell, string>()
  const workspaces = new Map<Cell, string>()
  /** Least recently used first. */
  const warm: Cell[] = []
  const timers = new Map<Cell, NodeJS.Timeout>()
  let closed = false
  const wake = (cell: Cell) => {
    clearTimeout(timers.get(cell))
    timers.delete(cell)
  }
  const endLater = (cell: Cell) => {
    const act = () => {
      const index = warm.indexOf(cell)
      if (index >= 0) warm.splice(index, 1)
      void end(cell)
    }
    timers.set(cell, setTimeout(act, standInsMs).unref())
  }
  const end = async (cell: Cell) => {
    keys.delete(cell)
    wake(cell)
    await cell.end()
    const workspace = workspaces.get(cell)
    workspaces.delete(cell)
    if (workspace !== undefined) placeholders.release(workspace)
  }
  return {
    async lease({ trust, profile, found, folder, ...same }) {
      const key = JSON.stringify([trust, profileKey(profile, found)])
      const index = warm.findLastIndex(cell => cell.alive && keys.get(cell) === key)
      const [kept] = index < 0 ? [] : warm.splice(index, 1)
      if (kept !== undefined) {
        wake(kept)
        return { cell: kept, isNew: false }
      }
      const own = join(folder, randomUUID())
      const inputs = inputNames.map(name => [join(own, name), join(profile.stateDirectory, name)] as const)
      const { workspace } = profile
      const standIns = linkedSkills(workspace).absent
      placeholders.hold(workspace, standIns)
      try {
        const cell = await startWhole({ profile: { ...profile, standIns, inputs }, folder: own, ...same }, placeholders)
        keys.set(cell, key)
        workspaces.set(cell, workspace)
        return { cell, isNew: true }
      } catch (error) {
        placeholders.release(workspace)
        throw error
      }
    },
    async giveBack(cell) {
      if (!cell.alive || closed) return await end(cell)
      warm.push(cell)
      const workspace = workspaces.get(cell)
      if (workspace !== undefined && placeholders.shows(workspace)) endLater(cell)
      const spare = warm.length > maxWarm ? warm.shift() : undefined
      if (spare !== undefined) await end(spare)
    },
    async close() {
      closed = true
      await Promise.all([...keys.keys()].map(end))
    },
  }
}

// What stands for absent paths may go while bubblewrap mounts over it: another process of ours that ended takes its own away, one by one.
async function startWhole(options: CellOptions, placeholders: Pick<Placeholders, 'hold' | 'release'>): Promise<Cell> {
  const { workspace } = options.profile
  for (let tries = 1; ; tries += 1) {
    const before = protectedPaths(workspace).map(identityOf)
    placeholders.hold(workspace)
    try {
      return await startCell(options)
    } catch (error) {
      const changed = protectedPaths(workspace).some((path, index) => identityOf(path) !== before[index])
      if (!changed || tries === 5) throw error
      await wait(50 * tries)
    } finally {
      placeholders.release(workspace)
    }
  }
}

function identityOf(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return `${status?.dev}:${status?.ino}`
}
