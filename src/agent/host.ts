// The agent's only way out of its thread: typed calls and events over the channel. Nothing else of the agent reaches the world.

import { SkillcellError } from '../errors.ts'
import type { AgentEvent, AgentOutcome, StopReply, TextReply, ToolReply, ToolRequest } from '../protocol/agent-task.ts'
import type { ThreadEnd } from '../protocol/channel.ts'

export interface AgentHostCalls {
  /** `undefined`: go on at once; a promise: the host is behind, wait for it. */
  emit(event: AgentEvent): Promise<void> | undefined
  callTool(request: ToolRequest, signal: AbortSignal): Promise<ToolReply>
  stop(agentId: string | undefined, outcome: AgentOutcome, signal: AbortSignal): Promise<StopReply>
  /** What the model that called the fork reads of it. */
  nestedResult(agentId: string, outcome: AgentOutcome, signal: AbortSignal): Promise<TextReply>
}

export function hostCalls(channel: Pick<ThreadEnd, 'emit' | 'call'>): AgentHostCalls {
  return {
    emit: event => channel.emit(event),
    callTool: async (request, signal) => {
      const reply = await channel.call({ method: 'tool', request }, signal)
      if (reply.method === 'tool') return reply.value
      throw wrongAnswer('a tool')
    },
    stop: async (agentId, outcome, signal) => {
      const reply = await channel.call({ method: 'stop', ...(agentId !== undefined && { agentId }), outcome }, signal)
      if (reply.method === 'stop') return reply.value
      throw wrongAnswer('the end')
    },
    nestedResult: async (agentId, outcome, signal) => {
      const reply = await channel.call({ method: 'nested', agentId, outcome }, signal)
      if (reply.method === 'nested') return reply.value
      throw wrongAnswer('a fork')
    },
  }
}

function wrongAnswer(what: string): SkillcellError {
  return new SkillcellError('INTERNAL', `Cannot go on: the host answered another question than that of ${what}`)
}
