// What happened, as a hook is told it: one JSON object on stdin or as the body of a request. Built from these fields alone, so that nothing
// else of the run, and nothing of another, gets to a hook (SPEC R17.13). There is no transcript.

import type { HookEventName } from './hook.ts'

interface ToolCall {
  readonly toolName: string
  /** As checked; whole, since what is checked has to be what runs. */
  readonly toolInput: unknown
  readonly toolUseId: string
}

type EventBody =
  | { readonly name: 'SessionStart'; readonly source: 'startup' | 'resume' | 'clear' | 'compact' }
  | {
      readonly name: 'UserPromptExpansion'
      /** The id of the skill. */
      readonly commandName: string
      readonly commandArgs: string
      /** Which source it came from. */
      readonly commandSource: string
      /** What was typed. */
      readonly prompt: string
    }
  | ({ readonly name: 'PreToolUse' } & ToolCall)
  | ({ readonly name: 'PostToolUse'; readonly toolResponse: unknown; readonly durationMs?: number } & ToolCall)
  | ({ readonly name: 'PostToolUseFailure'; readonly error: string; readonly durationMs?: number } & ToolCall)
  | { readonly name: 'SubagentStart' }
  | { readonly name: 'SubagentStop'; readonly stopHookActive: boolean; readonly lastAssistantMessage: string }
  | { readonly name: 'Stop'; readonly stopHookActive: boolean; readonly lastAssistantMessage: string }
  | { readonly name: 'SessionEnd'; readonly reason: 'clear' | 'logout' | 'prompt_input_exit' | 'other' }

/** An event. `agentId` and `agentType` are those of the sub-agent in which it happens; absent outside of one. */
export type HookEvent = EventBody & {
  /** Of which run; handlers that were registered for one run see that run only. */
  readonly runId?: string
  readonly agentId?: string
  readonly agentType?: string
}

/** What a matcher is compared with. */
export function matchedValue(event: HookEvent): string {
  switch (event.name) {
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return event.toolName
    case 'UserPromptExpansion':
      return event.commandName
    case 'SubagentStart':
    case 'SubagentStop':
      return event.agentType ?? ''
    case 'SessionStart':
      return event.source
    case 'SessionEnd':
      return event.reason
    case 'Stop':
      return ''
  }
}

export function isToolEvent(event: HookEvent): event is Extract<HookEvent, ToolCall> {
  return 'toolName' in event
}

/** The JSON text that a hook reads. @throws {TypeError} when an input or a response is no plain data */
export function payloadOf(event: HookEvent, { sessionId, cwd }: { readonly sessionId: string; readonly cwd: string }): string {
  const { agentId, agentType } = event
  return JSON.stringify({
    session_id: sessionId,
    cwd,
    hook_event_name: event.name satisfies HookEventName,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(agentType !== undefined && { agent_type: agentType }),
    ...detailsOf(event),
  })
}

function detailsOf(event: HookEvent): Readonly<Record<string, unknown>> {
  switch (event.name) {
    case 'PreToolUse':
      return toolOf(event)
    case 'PostToolUse':
      return { ...toolOf(event), tool_response: event.toolResponse, duration_ms: event.durationMs }
    case 'PostToolUseFailure':
      return { ...toolOf(event), error: event.error, duration_ms: event.durationMs }
    case 'UserPromptExpansion':
      return {
        expansion_type: event.commandSource === 'mcp' ? 'mcp_prompt' : 'slash_command',
        command_name: event.commandName,
        command_args: event.commandArgs,
        command_source: event.commandSource,
        prompt: event.prompt,
      }
    case 'SessionStart':
      return { source: event.source }
    case 'SessionEnd':
      return { reason: event.reason }
    case 'SubagentStart':
      return {}
    case 'Stop':
    case 'SubagentStop':
      return { stop_hook_active: event.stopHookActive, last_assistant_message: event.lastAssistantMessage }
  }
}

function toolOf({ toolName, toolInput, toolUseId }: ToolCall): Readonly<Record<string, unknown>> {
  return { tool_name: toolName, tool_input: toolInput, tool_use_id: toolUseId }
}
