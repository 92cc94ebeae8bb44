// Answers what the agents of one run ask of the host: hooks, then policy, then the audit, then the act (SPEC R8.2). What goes wrong with a
// call is a text for the model; only an abort or a fault of ours ends the run.

import { randomUUID } from 'node:crypto'
import { messageOf, SkillcellError } from '../errors.ts'
import type { RunEventBody } from '../events.ts'
import type { Invoked } from '../invocation.ts'
import type { AgentTask, ToolReply, ToolRequest } from '../protocol/agent-task.ts'
import type { RunAudit } from '../run-audit.ts'
import type { RunHooks } from '../run-hooks.ts'
import { createShownTexts, type ShownTexts } from '../shown-texts.ts'
import { askedCall, type ToolGate, type Verdict } from '../tool-gate.ts'
import { allTools } from '../tools/all-tools.ts'
import type { Act, DecidedCall } from './act.ts'
import { afterCall, beforeCall } from './call-hooks.ts'
import { gatedCall } from './gated-call.ts'
import type { RunSpill } from './run-spill.ts'
import { type AgentScope, maxAgentDepth, withInlineSkill } from './scope.ts'

export interface AgentCallsOptions {
  readonly root: AgentScope
  readonly workspace: string
  readonly toolRestriction: 'turn' | 'none'
  readonly gate: ToolGate
  readonly audit: Pick<RunAudit, 'finishedTool'>
  readonly act: Act
  readonly spill: RunSpill
  /** Expands a skill that a model asked for. @throws {SkillcellError} as an invocation does */
  readonly invoke: (name: string, args: string, signal: AbortSignal) => Promise<Invoked>
  /** The task of a fork inside the run, and the scope of its agent. @throws {SkillcellError} AGENT_NOT_FOUND, MODEL_UNAVAILABLE */
  readonly fork: (
    invoked: Invoked,
    parent: AgentScope,
    agentId: string,
  ) => Promise<{ readonly task: AgentTask; readonly scope: AgentScope }>
  /** The hooks of the session, if there are any by now. */
  readonly hooks: () => Promise<RunHooks | undefined>
  readonly emit: (event: RunEventBody) => void
}

export interface AgentCalls {
  /** Never rejects but with the reason of `signal`. */
  answer(request: ToolRequest, signal: AbortSignal): Promise<ToolReply>
  /** @param agentId undefined for the agent of the run */
  scopeOf(agentId: string | undefined): AgentScope
}

export function createAgentCalls(options: AgentCallsOptions): AgentCalls {
  const { root, gate, spill } = options
  const scopes = new Map<string | undefined, AgentScope>([[undefined, root]])

  // By agent: each has a conversation of its own.
  const shownTexts = new Map<string | undefined, ShownTexts>()
  const scopeOf = (agentId: string | undefined): AgentScope => {
    const scope = scopes.get(agentId)
    if (scope) return scope
    throw new SkillcellError('INTERNAL', `Cannot answer for the unknown agent "${agentId}"`)
  }

  const answer = async ({ agentId, callId, tool: name, input: given }: ToolRequest, signal: AbortSignal): Promise<ToolReply> => {
    const scope = scopeOf(agentId)
    const tool = allTools.get(name)
    if (!tool || !scope.offered.has(name))
      return failed(`Cannot call "${name}": no tool has that name; there are ${[...scope.offered].join(', ')}`)
    const parsed = tool.input.safeParse(given)
    if (!parsed.success) return failed(`Cannot call ${name}: ${problemsOf(parsed.error.issues)}`)
    const call = { name, input: parsed.data, callId, ...(agentId !== undefined && { agentId }) }
    const guarded = await beforeCall(await options.hooks(), call, scope, signal)
    if ('refusal' in guarded) return failed(guarded.refusal)
    const input = guarded.input === undefined ? call.input : tool.input.parse(guarded.input)
    const startedAt = performance.now()
    const reply = await decideAndAct({ ...call, input }, scope, guarded.atLeast, signal)
    if (reply.type === 'agent') return reply
    const said = await afterCall(
      await options.hooks(),
      { ...call, input },
      scope,
      { ...reply, durationMs: performance.now() - startedAt },
      signal,
    )
    const context = [guarded.context, said].filter(text => text !== undefined)
    return context.length === 0 ? reply : { ...reply, output: [reply.output, ...context].join('\n\n') }
  }

  const decideAndAct = async (
    call: DecidedCall,
    scope: AgentScope,
    atLeast: 'ask' | undefined,
    signal: AbortSignal,
  ): Promise<ToolReply> => {
    const { name, input } = call
    try {
      if (name === 'Skill') return await invokeSkill(input, scope, call.agentId, signal)
      const gated = gatedCall(name, input)
      // A spill file of this run was shown to this model before, under a name that nothing else has.
      const ownFile = 'path' in gated && gated.path !== undefined && name === 'Read' ? spill.fileOf(gated.path) : undefined
      const verdict: Verdict =
        ownFile === undefined ? await gate.decideCall(gated, scope.rights, signal, atLeast) : { allowed: true, realPath: ownFile }
      if (!verdict.allowed) return failed(`Permission denied: ${verdict.reason}`)
      signal.throwIfAborted()
      const result = await options.act(call, verdict.realPath, scope, signal)
      // A command writes its own entry, with its exit and bytes.
      if (name !== 'Bash') options.audit.finishedTool(scope.rights.skill.id, askedCall(gated), result.isError, result.output.length)
      return acted(result, spill)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof SkillcellError && !ofTheRun.has(error.code)) return failed(error.message)
      throw error
    }
  }

  const invokeSkill = async (input: unknown, scope: AgentScope, agentId: string | undefined, signal: AbortSignal): Promise<ToolReply> => {
    const { skill_name: name, args = '' } = skillInput(input)
    const limited = scope.rights.turn.only && !scope.rights.turn.only.includes('Skill')
    if (limited) return failed('Permission denied: Skill is not among the tools of this turn')
    const invoked = await options.invoke(name, args, signal)
    const { skill } = invoked.loaded
    options.emit({ type: 'skill.invoked', skill: skill.id, trigger: 'nested-skill', ...(agentId !== undefined && { agentId }) })
    if (skill.context === 'fork') {
      if (scope.depth >= maxAgentDepth)
        return failed(`Cannot fork "${skill.id}": this agent is at depth ${scope.depth}, and ${maxAgentDepth} is the deepest`)
      const child = randomUUID()
      const { task, scope: own } = await options.fork(invoked, scope, child)
      scopes.set(child, own)
      return { type: 'agent', task }
    }
    const narrowed = withInlineSkill(scope, skill, invoked.granted, options.toolRestriction, options.workspace)
    scopes.set(agentId, narrowed)
    const shown = shownTexts.get(agentId) ?? createShownTexts()
    shownTexts.set(agentId, shown)
    return { type: 'text', output: shown.answer(invoked.expansion), isError: false }
  }

  return {
    scopeOf,
    answer: async (request, signal) => {
      try {
        return await answer(request, signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw error instanceof SkillcellError ? error : new SkillcellError('INTERNAL', messageOf(error), { cause: error })
      }
    },
  }
}

/** What ends the run and is no result of a call. */
const ofTheRun: ReadonlySet<string> = new Set(['INTERNAL', 'AUDIT_FAILED', 'HOOK_STOPPED'])

function acted({ output, isError, spillPath }: Awaited<ReturnType<Act>>, spill: RunSpill): ToolReply {
  const kept = spill.keep(output)
  const text = spill.withToken(spill.withToken(kept.text, kept.spillPath), spillPath)
  return { type: 'text', output: text, isError }
}

function failed(output: string): ToolReply {
  return { type: 'text', output, isError: true }
}

function problemsOf(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ')
}

function skillInput(input: unknown): { readonly skill_name: string; readonly args?: string } {
  const { skill_name, args } = Object(input)
  return { skill_name: String(skill_name), ...(typeof args === 'string' && { args }) }
}
