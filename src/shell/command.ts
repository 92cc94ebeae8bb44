// What a command needs to run and what comes of it. The broker takes one and gives the other, whatever confines it.

import type { NetworkRequest } from './network/proxy.ts'

export interface CommandRequest {
  /** Shell text. Values never become part of it: they are parameters and variables. */
  readonly script: string
  readonly shell: 'bash' | 'sh'
  /** `$1`, `$2`, …; any bytes but NUL, any length. */
  readonly parameters: readonly string[]
  /** Set in the shell, not exported. */
  readonly variables: Readonly<Record<string, string>>
  /** Exported, beside the allowlisted few (SPEC R6.5). */
  readonly environment: Readonly<Record<string, string>>
  /** Absolute; checked before the start. */
  readonly cwd: string
  /** Given on stdin; else stdin is empty. */
  readonly stdin?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** `merged` gives stderr in `output` too, in the order written (dialect `claude`). */
  readonly stderr: 'apart' | 'merged'
  /** What is cut from the output before it is counted and capped. Default: trailing newlines. */
  readonly trim?: OutputTrim
  /** Commands of one trust (tenant, source of the skill) may share a cell, one after the other (SPEC R17.1). Default: all of a broker. */
  readonly trust?: string
  /** Folders that a cell shows read-only, absolute. Default: the skill and plugin folders that `environment` names. */
  readonly readable?: readonly string[]
  /** Told of each request through the proxy of `network: allowlist` before it is connected. If it throws, the request is refused. */
  readonly onNetworkRequest?: (request: NetworkRequest) => void
  /** Called when it has ended and nothing of it is left, before its output is read: whoever waits only for that can go on. Must not throw. */
  readonly onEnded?: (exitCode: number) => void
}

export type OutputTrim = 'trailing-newlines' | 'both-ends'

export interface CommandResult {
  readonly reason: 'exited' | 'timed-out' | 'aborted' | 'killed' | 'output-limit'
  /** Of the shell; 124 for a time-out, 128 + n for signal n. */
  readonly exitCode: number
  /** That ended the shell; in a cell not PIPE, and INT not always, which its host cannot tell from an exit with that code. */
  readonly signal?: NodeJS.Signals
  /** stdout of a success (exit 0); stdout, then stderr, of anything else. Trimmed as the dialect asks, capped by SPEC R4.5. */
  readonly output: string
  /** UTF-16 units before the cap. */
  readonly outputChars: number
  /** Bytes that it printed, stdout and stderr, before any cap. */
  readonly outputBytes: number
  readonly truncated: boolean
  /** Holds every byte, mode 0600; present when `truncated`. */
  readonly spillPath?: string
  readonly durationMs: number
  /** User and system, of all that it started; absent where nothing counted it: without a cell, a command of less than 250 ms. */
  readonly cpuSeconds?: number
  /** Most memory that it had at one time, looked at every 250 ms; absent for a short command. */
  readonly peakMemoryBytes?: number
  readonly sandbox: 'bubblewrap' | 'none'
  /** Limits that this machine does not hold it to, for people; in the first result of a broker only. */
  readonly notEnforced?: readonly string[]
  /** The limit that ended it, for people. */
  readonly note?: string
}
