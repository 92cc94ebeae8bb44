// The plan of an expansion: what is text, what is to run, and how. Plain data, since it crosses a thread. Nothing has run yet.

import type { DialectName } from '../dialect.ts'
import type { Diagnostic } from '../errors.ts'

export interface ExpansionRequest {
  readonly body: string
  /** Line of the file on which `body` begins, from 1; diagnostics count from it. */
  readonly bodyLine: number
  /** The file, for diagnostics. */
  readonly path: string
  readonly kind: 'skill' | 'command' | 'agent'
  readonly argumentsText: string
  /** Path of the private file that will hold `argumentsText` (SPEC R3.7). */
  readonly argumentsFile: string
  readonly argumentNames: readonly string[]
  readonly hasArgumentHint: boolean
  readonly argumentsBase?: 0
  readonly skillDir: string
  readonly pluginRoot?: string
  readonly projectDir: string
  readonly sessionId: string
  readonly effort?: string
  readonly dialect: DialectName
  /** Values above this stay shell variables (bytes, SPEC R4.6). */
  readonly maxExportedBytes: number
}

/** One injected command, ready to be decided and then run. */
export interface PlannedCommand {
  /** As the author wrote it, without the marks, placeholders unfilled: the pattern of an error message and of `commands[]`. */
  readonly source: string
  /** What the shell gets: arguments are parameters and variables, never text. */
  readonly script: string
  /** `$1`, `$2`, … of `script`. */
  readonly parameters: readonly string[]
  /** Shell variables that are set but not exported. */
  readonly variables: Readonly<Record<string, string>>
  /** Exported to the command. */
  readonly environment: Readonly<Record<string, string>>
  /**
   * What policy decides; the strictest answer wins (SPEC R17.6): the template (directories as literal words, arguments as
   * parameters), then, when arguments were given, the same with the values as quoted literals.
   */
  readonly decisionTexts: readonly string[]
  /** Set when an argument would be read again as code: the command is refused whatever policy says (SPEC R4.6, R17.7). */
  readonly refusal?: string
  /** Line and column of the command in the file, from 1. */
  readonly line: number
  readonly column: number
}

export type Segment = { readonly type: 'text'; readonly text: string } | { readonly type: 'command'; readonly index: number }

export interface ExpansionPlan {
  /** In document order; their join, outputs filled in, is the prompt. */
  readonly segments: readonly Segment[]
  readonly commands: readonly PlannedCommand[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What a command printed, for render.ts. Texts are already capped (SPEC R4.5). */
export type CommandOutcome =
  | { readonly status: 'ok'; readonly output: string }
  | { readonly status: 'failed' | 'timed-out'; readonly exitCode: number; readonly output: string }
  /** Off by policy, or for a reason of its own that stands after `not run: `. */
  | { readonly status: 'disabled'; readonly why?: string }
