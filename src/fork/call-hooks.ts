// The hooks around one call of a tool: before it is decided they may forbid it, want a person's word or write its input anew; afterwards
// they may tell the model something. They widen nothing: what they let pass, and what they wrote, is decided all the same (SPEC R17.13).

import type { RunHooks } from '../run-hooks.ts'
import { allTools } from '../tools/all-tools.ts'
import type { DecidedCall } from './act.ts'
import type { AgentScope } from './scope.ts'

export type BeforeCall =
  | { readonly refusal: string }
  | {
      /** Written by a hook, checked by the tool's schema. */
      readonly input?: unknown
      readonly atLeast: 'ask' | undefined
      readonly context: string | undefined
    }

export async function beforeCall(
  hooks: RunHooks | undefined,
  call: DecidedCall,
  scope: AgentScope,
  signal: AbortSignal,
): Promise<BeforeCall> {
  if (!hooks?.has('PreToolUse')) return { atLeast: undefined, context: undefined }
  const outcome = await hooks.fire({ name: 'PreToolUse', ...eventOf(call, scope) }, signal)
  const by = outcome.decidedBy.join(', ')
  if (outcome.decision === 'block') return { refusal: `A hook of ${by} forbids it: ${outcome.reason ?? 'it gave no reason'}` }
  const { updatedInput: input } = outcome
  if (input !== undefined && !allTools.get(call.name)?.input.safeParse(input).success)
    return { refusal: `A hook of ${by || 'this session'} changed the input to one that ${call.name} does not take` }
  return {
    ...(input !== undefined && { input }),
    atLeast: outcome.decision === 'ask' ? 'ask' : undefined,
    context: outcome.additionalContext,
  }
}

/** What the hooks want the model to know of the call that was done. */
export async function afterCall(
  hooks: RunHooks | undefined,
  call: DecidedCall,
  scope: AgentScope,
  { output, isError, durationMs }: { readonly output: string; readonly isError: boolean; readonly durationMs: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = isError ? 'PostToolUseFailure' : 'PostToolUse'
  if (!hooks?.has(name)) return undefined
  const common = { ...eventOf(call, scope), durationMs: Math.round(durationMs) }
  const outcome = await hooks.fire(
    isError ? { name: 'PostToolUseFailure', ...common, error: output } : { name: 'PostToolUse', ...common, toolResponse: output },
    signal,
  )
  const objection = outcome.decision === 'block' ? `A hook of ${outcome.decidedBy.join(', ')} says: ${outcome.reason ?? ''}` : undefined
  const said = [objection, outcome.additionalContext].filter(text => text !== undefined)
  return said.length === 0 ? undefined : said.join('\n\n')
}

function eventOf(
  { name, input, callId, agentId }: DecidedCall,
  scope: AgentScope,
): { toolName: string; toolInput: unknown; toolUseId: string; agentId?: string; agentType: string } {
  return { toolName: name, toolInput: input, toolUseId: callId, ...(agentId !== undefined && { agentId }), agentType: scope.type.name }
}
