// The events of a run (SPEC R7.4). One stream per run, exactly one last `run.finished`.

import type { Diagnostic, ErrorCode } from './errors.ts'

export type RunTrigger = 'user-slash' | 'model' | 'nested-skill'
export type RunFinishReason = 'completed' | 'failed' | 'refused' | 'aborted' | 'timed-out'

/** One injected command of an expansion, as `expand --json` and `command.finished` tell it. Durations in ms, characters in UTF-16 units. */
export interface CommandReport {
  /** As the author wrote it, placeholders unfilled. */
  readonly command: string
  readonly status: 'ok' | 'failed' | 'timed-out'
  /** 124 for a time-out, 128 + n for signal n. */
  readonly exitCode: number
  readonly durationMs: number
  readonly outputChars: number
  readonly truncated: boolean
  readonly spillPath?: string
  /** User and system, of all that it started; absent where nothing counted it. */
  readonly cpuSeconds?: number
  /** Most memory that it had at one time, looked at every 250 ms; absent for a short command. */
  readonly peakMemoryBytes?: number
  /** Limits that this machine cannot enforce, said once by a runtime. */
  readonly notEnforced?: readonly string[]
  /** What confined it. `none`: a plain process group (SPEC R6.2 wants it said in every result). */
  readonly sandbox: 'bubblewrap' | 'none'
  /** Why it ended early, for people: the limit that was reached. */
  readonly note?: string
}

/** What an expansion gives (SPEC R15, `expand --json`). */
export interface ExpansionResult {
  readonly prompt: string
  readonly skill: string
  readonly baseDir: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly model?: string
  readonly effort?: string
  readonly dialect: string
  readonly commands: readonly CommandReport[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface RunError {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

type EventBody =
  | { readonly type: 'run.started'; readonly skill: string; readonly arguments: { readonly chars: number }; readonly trigger: RunTrigger }
  | { readonly type: 'skill.expanded'; readonly skill: string; readonly promptChars: number; readonly commands: number }
  | { readonly type: 'command.started'; readonly index: number; readonly command: string }
  | ({ readonly type: 'command.finished'; readonly index: number } & CommandReport)
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | { readonly type: 'run.finished'; readonly reason: RunFinishReason; readonly result?: ExpansionResult; readonly error?: RunError }

/** `at` is ms since the epoch; `sequence` counts from 0 within the run and has no gaps. */
export type RunEvent = EventBody & { readonly runId: string; readonly sequence: number; readonly at: number }

/** An event before the run has stamped it. */
export type RunEventBody = EventBody
