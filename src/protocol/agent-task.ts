// What host and agent thread tell each other of a fork, as plain data. The checks are in agent-messages.ts.

import type { AgentEnd, ProgressEvent } from '../events.ts'

export type { AgentEnd } from '../events.ts'

export interface AgentBudget {
  readonly maxTurns: number
  /** Input and output of all turns together. */
  readonly maxTokens: number
  readonly maxOutputTokens: number
}

export interface AgentTask {
  /** Unique within the run; the root's events carry none. */
  readonly agentId: string
  readonly agentType: string
  readonly skill: string
  readonly system: string
  /** The expansion: the user message (SPEC R8.1). */
  readonly prompt: string
  /** Names of the tools that the model is offered. */
  readonly tools: readonly string[]
  /** Text for the Skill tool: which skills there are; '' when there are none. */
  readonly skillListing: string
  /** How the model is reached (models/connection.ts); holds the key. */
  readonly model: unknown
  readonly effort?: string
  readonly budget: AgentBudget
  /** Each turn is told as `turn.recorded`, as a line for a `script:` file. */
  readonly isRecording: boolean
}

export interface AgentOutcome {
  /** The last text of the model; '' when it gave none. */
  readonly text: string
  /** What ended it; a budget that is used up is a result, not a fault. */
  readonly ended: AgentEnd
  readonly turns: number
  /** Of nested agents too, as the tokens. */
  readonly toolCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What the thread tells while the agent works. A recorded turn is for the host's file and no event of the run. */
export type AgentEvent = ProgressEvent | { readonly type: 'turn.recorded'; readonly line: string }

/** A call of a tool, worker → host. `agentId` absent: the root's. */
export interface ToolRequest {
  readonly agentId?: string
  readonly callId: string
  readonly tool: string
  /** Checked against the tool's schema, on both sides. */
  readonly input: unknown
}

export interface TextReply {
  readonly type: 'text'
  readonly output: string
  readonly isError: boolean
}

/** What the host answers. An error of the act is a text for the model; only an abort or a fault of ours ends the agent. */
export type ToolReply =
  | TextReply
  /** The Skill tool called a fork: the thread runs it as a nested agent, in the same budget (SPEC R8.4). */
  | { readonly type: 'agent'; readonly task: AgentTask }

/** A hook that wants the agent to go on (Stop, SubagentStop) gives the reason, which becomes the next user message. */
export interface StopReply {
  readonly continueWith?: string
}
