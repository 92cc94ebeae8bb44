// Runs commands in cells: chooses the profile, leases a cell, gives it back (SPEC R6.1, R6.7).

import { join } from 'node:path'
import { SkillcellError } from '../errors.ts'
import type { Cell } from './cell.ts'
import { runInCell } from './cell-command.ts'
import { createCellPool } from './cell-pool.ts'
import { type CellProfile, networkKey } from './confinement.ts'
import type { ControlGroup } from './control-group.ts'
import type { Environment } from './environment.ts'
import type { NetworkDoor } from './network/door.ts'
import { enterWorkspace } from './network/workspace-turns.ts'
import { createPlaceholders } from './placeholders.ts'
import type { CommandRunner, Ending, PreparedCommand } from './prepared-command.ts'
import { protectedLinks } from './protected-links.ts'
import { makeHiddenFile, makeHostProgram } from './sandbox.ts'
import type { StateFolders } from './state-folders.ts'

export interface CellRunnerOptions {
  readonly home: string
  readonly network: CellProfile['network']
  readonly networkHosts: readonly string[]
  /** The way out of a new cell, for an allowlist. */
  readonly openDoor?: () => NetworkDoor | undefined
  /** Name or path of the program. */
  readonly bubblewrap: string
  /** What every command gets. */
  readonly environment: Environment
  readonly ulimits: readonly string[]
  /** Of one cell. */
  readonly maxCommands: number
  /** A control group for a new cell, where they are had. */
  readonly makeGroup: () => ControlGroup | undefined
}

export interface CellRunner {
  readonly run: CommandRunner
  close(): Promise<void>
}

const namesOfSkillFolders = /^(?:SKILLCELL|CLAUDE|WAVE)_(?:SKILL_DIR|PLUGIN_ROOT)$/

const aborted: Ending = { reason: 'aborted', exitCode: 130, clean: true }

export function createCellRunner(folders: StateFolders, { home, network, networkHosts, ...same }: CellRunnerOptions): CellRunner {
  const hostProgram = join(folders.cells, 'host')
  const hiddenFile = join(folders.cells, 'hidden')
  makeHostProgram(hostProgram)
  makeHiddenFile(hiddenFile)
  const placeholders = createPlaceholders()
  const pool = createCellPool(placeholders)
  const runLeased = async (command: PreparedCommand, profile: Omit<CellProfile, 'inputs'>): Promise<Ending> => {
    const { request } = command
    const found = placeholders.hold(request.cwd)
    let cell: Cell | undefined
    try {
      const leased = await pool.lease({
        trust: request.trust ?? '',
        profile,
        found,
        ...same,
        captureFolder: folders.spill,
        folder: folders.cells,
      })
      cell = leased.cell
      if (request.signal?.aborted) return aborted
      cell.door?.begin(request.onNetworkRequest)
      return await runInCell(command, cell, same.environment, protectedLinks(request.cwd, leased.isNew ? undefined : found))
    } catch (error) {
      // Whatever went wrong between us, the next command does not meet it.
      if (!(error instanceof SkillcellError)) await cell?.end()
      throw error
    } finally {
      cell?.door?.end()
      if (cell !== undefined) await pool.giveBack(cell)
      placeholders.release(request.cwd)
    }
  }
  return {
    async run(command) {
      const { request, environment } = command
      const readable = request.readable ?? skillFolders(environment)
      const profile = {
        workspace: request.cwd,
        home,
        readable,
        stateDirectory: folders.root,
        hostProgram,
        hiddenFile,
        network,
        networkHosts,
      }
      const turn = { profile: networkKey(profile), workspace: request.cwd, readable, stateDirectory: folders.root }
      const leave = await enterWorkspace(turn, request.signal).catch(() => undefined)
      if (leave === undefined) return aborted
      try {
        return await runLeased(command, profile)
      } finally {
        leave()
      }
    },
    async close() {
      await pool.close()
      placeholders.close()
    },
  }
}

function skillFolders(environment: Environment): string[] {
  const folders = Object.entries(environment).filter(([name, value]) => namesOfSkillFolders.test(name) && value.startsWith('/'))
  return [...new Set(folders.map(([, value]) => value))].sort()
}
