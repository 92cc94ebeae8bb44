// What a conversation needs of a model, whichever provider answers. A client streams one turn: text as it comes, tool calls when they
// are whole, the usage, the end. Retries, time-outs and wire formats are the clients'; turns and tools are the agent's.

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model gave it, parsed as JSON; unchecked. A string when it was no JSON. */
  readonly input: unknown
}

export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly output: string
  readonly isError: boolean
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly ToolCall[]
      /** What the client needs to say this turn again (thinking with its signature, ids); only its own maker reads it. */
      readonly providerData?: unknown
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /** A level, or thinking tokens. */
  readonly effort?: Effort | number
  readonly maxOutputTokens: number
  readonly signal: AbortSignal
}

/** Tokens of one turn, cached and thinking ones included; an estimate where the server counts nothing. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  /** Told when a failed call is tried again; nothing of the failed one has been given. `attempt` is the failed try, from 1. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** The last part of every turn. */
  | {
      readonly type: 'finish'
      readonly reason: 'end' | 'tool-calls' | 'max-tokens' | 'refusal' | 'other'
      readonly usage: ModelUsage
      readonly providerData?: unknown
    }

export interface Model {
  /** `anthropic:ID`, `openai:ID` or `script:FILE`, for people. */
  readonly name: string
  /**
   * Streams one turn. Aborting ends the stream with the reason of the signal.
   * @throws {SkillcellError} MODEL_FAILED after the last retry, with status and provider in `details` and never a key;
   * MODEL_MISMATCH when a script does not match what it is asked.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
  /** Of a script: turns that nobody asked for. Left-over turns at the end of a run mean that it went another way than the script. */
  unusedTurns?(): number
}
