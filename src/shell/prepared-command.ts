// What the broker hands to whatever runs a command, and what comes back: the seam between the plain process group and the cell.

import type { Limits } from '../limits.ts'
import type { Capture } from './capture.ts'
import type { CommandRequest, CommandResult } from './command.ts'
import type { Environment } from './environment.ts'
import type { StateFolders } from './state-folders.ts'

export interface PreparedCommand {
  readonly request: CommandRequest
  /** All of it, allowlist and the request's own. */
  readonly environment: Environment
  /** Path of the shell. */
  readonly program: string
  /** Random; in the environment of all that the command starts. */
  readonly mark: string
  readonly capture: Capture
  readonly folders: StateFolders
  readonly limits: Limits
}

export interface Ending {
  readonly reason: CommandResult['reason']
  readonly exitCode: number
  readonly signal?: NodeJS.Signals
  readonly cpuSeconds?: number
  readonly peakMemoryBytes?: number
  /** Why it was ended, for people, where the reason does not say it. */
  readonly note?: string
  /** False when something could not be killed. */
  readonly clean: boolean
}

/** Settles when the command has ended and nothing of it is left. @throws {SkillcellError} SHELL_SPAWN_FAILED if it could not start. */
export type CommandRunner = (command: PreparedCommand) => Promise<Ending>
