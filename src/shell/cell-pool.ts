// The cells of one broker: leased for one command at a time, kept warm for the next of the same profile and trust, replaced when they died.
// Two trusts never share one, and a change of what a profile rests on gives a new one.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Cell, type CellOptions, startCell } from './cell.ts'
import { type CellProfile, profileKey } from './confinement.ts'
import type { Placeholders } from './placeholders.ts'

export interface CellPool {
  lease(wanted: WantedCell): Promise<Cell>
  /** Gives it back: warm when it may run the next command, ended otherwise. */
  giveBack(cell: Cell): Promise<void>
  close(): Promise<void>
}

export interface WantedCell extends Pick<CellOptions, 'captureFolder' | 'bubblewrap' | 'environment' | 'ulimits'> {
  readonly trust: string
  /** All but the mounts of inputs, which are the cell's own. */
  readonly profile: Omit<CellProfile, 'inputs'>
  /** Folder for the files of cells. */
  readonly folder: string
}

/** Names of the folders of the state directory that a cell has its own of. */
export const inputNames: readonly string[] = ['inputs', 'arguments']

// Each warm cell is a sleeping bash and bubblewrap, some 5 MiB.
const maxWarm = 4

/** A cell holds the placeholders of its workspace as long as it lives. */
export function createCellPool(placeholders: Pick<Placeholders, 'hold' | 'release'>): CellPool {
  const keys = new Map<Cell, string>()
  const workspaces = new Map<Cell, string>()
  /** Least recently used first. */
  const warm: Cell[] = []
  let closed = false
  const end = async (cell: Cell) => {
    keys.delete(cell)
    await cell.end()
    const workspace = workspaces.get(cell)
    workspaces.delete(cell)
    if (workspace !== undefined) placeholders.release(workspace)
  }
  return {
    async lease({ trust, profile, folder, ...same }) {
      const key = JSON.stringify([trust, profileKey(profile)])
      const index = warm.findLastIndex(cell => cell.alive && keys.get(cell) === key)
      const [kept] = index < 0 ? [] : warm.splice(index, 1)
      if (kept !== undefined) return kept
      const own = join(folder, randomUUID())
      const inputs = inputNames.map(name => [join(own, name), join(profile.stateDirectory, name)] as const)
      const cell = await startCell({ profile: { ...profile, inputs }, folder: own, ...same })
      keys.set(cell, key)
      workspaces.set(cell, profile.workspace)
      placeholders.hold(profile.workspace)
      return cell
    },
    async giveBack(cell) {
      if (!cell.alive || closed) return await end(cell)
      warm.push(cell)
      const spare = warm.length > maxWarm ? warm.shift() : undefined
      if (spare !== undefined) await end(spare)
    },
    async close() {
      closed = true
      await Promise.all([...keys.keys()].map(end))
    },
  }
}
