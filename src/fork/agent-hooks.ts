// The hooks around an agent: told when a sub-agent starts, asked before it ends; one that objects makes it go on with the reason. The
// agent of an inline skill is the main one, with the event Stop (SPEC R10.3).

import type { AgentOutcome, StopReply } from '../protocol/agent-task.ts'
import type { RunHooks } from '../run-hooks.ts'
import { mainAgent } from './agent-types.ts'
import type { AgentScope } from './scope.ts'

type Hooks = () => Promise<RunHooks | undefined>

export async function beforeAgent(hooks: Hooks, { agentId, type }: AgentScope, signal: AbortSignal): Promise<void> {
  const found = await hooks()
  if (!found?.has('SubagentStart')) return
  await found.fire({ name: 'SubagentStart', agentType: type.name, ...(agentId !== undefined && { agentId }) }, signal)
}

export async function afterAgent(
  hooks: Hooks,
  { agentId, type }: AgentScope,
  { text, ended, stopHookActive }: AgentOutcome & { readonly stopHookActive: boolean },
  signal: AbortSignal,
): Promise<StopReply> {
  const name = type === mainAgent ? 'Stop' : 'SubagentStop'
  const found = await hooks()
  // An agent that has used up what it had cannot go on.
  if (ended !== 'completed' || !found?.has(name)) return {}
  const common = { stopHookActive, lastAssistantMessage: text, agentType: type.name }
  const outcome = await found.fire({ name, ...common, ...(agentId !== undefined && { agentId }) }, signal)
  return outcome.decision === 'block' ? { continueWith: outcome.reason ?? 'A hook wants you to go on' } : {}
}
