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

/** What ended an agent. A budget that is used up is a result, not a fault (SPEC R8.4). */
export type AgentEnd = 'completed' | 'max-turns' | 'max-tokens' | 'max-output-tokens' | 'refusal'

/** What an agent gave. Tokens and tools are those of nested agents too. */
export interface AgentReport {
  readonly agentType: string
  /** `provider:id`, as it was reached. */
  readonly model: string
  /** Its last text; over `maxResultChars` a preview and where the whole is. */
  readonly text: string
  /** `Invoked skill: NAME (N tools | T tokens)` (SPEC R8.5). */
  readonly summary: string
  readonly ended: AgentEnd
  readonly turns: number
  readonly toolCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly truncated: boolean
  readonly spillPath?: string
}

/** What a run gives: the expansion and, where an agent worked on it (a fork, or a model was given), what came of it. */
export interface RunResult extends ExpansionResult {
  readonly agent?: AgentReport
}

/** Progress of the agent of a run; `agentId` marks one that works for another in the same run. */
export type ProgressEvent =
  | {
      readonly type: 'agent.started'
      readonly agentId?: string
      readonly agentType: string
      readonly skill: string
      readonly model: string
    }
  | { readonly type: 'text.delta'; readonly agentId?: string; readonly text: string }
  | {
      readonly type: 'tool.started'
      readonly agentId?: string
      readonly callId: string
      readonly tool: string
      /** Its main parameter, one line. */
      readonly parameter: string
    }
  | {
      readonly type: 'tool.finished'
      readonly agentId?: string
      readonly callId: string
      readonly tool: string
      readonly isError: boolean
      /** Of an error: why, one line of at most 200 characters. */
      readonly reason?: string
      readonly outputChars: number
      readonly durationMs: number
    }
  | {
      readonly type: 'usage'
      readonly agentId?: string
      readonly inputTokens: number
      readonly outputTokens: number
      /** Of the whole run so far. */
      readonly totalTokens: number
      readonly totalToolCalls: number
    }
  | {
      readonly type: 'model.retried'
      readonly agentId?: string
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  | { readonly type: 'agent.finished'; readonly agentId?: string; readonly ended: AgentEnd; readonly turns: number }

type EventBody =
  | { readonly type: 'run.started'; readonly skill: string; readonly arguments: { readonly chars: number }; readonly trigger: RunTrigger }
  | { readonly type: 'skill.expanded'; readonly skill: string; readonly promptChars: number; readonly commands: number }
  | { readonly type: 'command.started'; readonly index: number; readonly command: string }
  | ({ readonly type: 'command.finished'; readonly index: number } & CommandReport)
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | ProgressEvent
  | {
      readonly type: 'tool.progress'
      readonly agentId?: string
      readonly callId: string
      readonly tool: string
      readonly elapsedMs: number
    }
  /** A skill that a model invoked inside the run. */
  | { readonly type: 'skill.invoked'; readonly agentId?: string; readonly skill: string; readonly trigger: RunTrigger }
  | { readonly type: 'run.finished'; readonly reason: RunFinishReason; readonly result?: RunResult; readonly error?: RunError }

/** `at` is ms since the epoch; `sequence` counts from 0 within the run and has no gaps. */
export type RunEvent = EventBody & { readonly runId: string; readonly sequence: number; readonly at: number }

/** An event before the run has stamped it. */
export type RunEventBody = EventBody
