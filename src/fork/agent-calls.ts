// Answers what the agents of one run ask of the host: hooks, then policy, then the audit, then the act (SPEC R8.2). What goes wrong with a
// call is a text for the model; only an abort, a hook that ends the run or a fault of ours ends it.

import { randomUUID } from 'node:crypto'
import type { DialectOf } from '../dialect.ts'
import { messageOf, SkillcellError } from '../errors.ts'
import type { RunEventBody } from '../events.ts'
import type { Invoked } from '../invocation.ts'
import { turnProblem } from '../policy/tool-decision.ts'
import type { AgentOutcome, AgentTask, TextReply, ToolReply, ToolRequest } from '../protocol/agent-task.ts'
import type { RunAudit } from '../run-audit.ts'
import type { RunHooks } from '../run-hooks.ts'
import { createShownTexts, type ShownTexts } from '../shown-texts.ts'
import { askedCall, type NestedDemands, type ToolGate, type Verdict } from '../tool-gate.ts'
import { allTools } from '../tools/all-tools.ts'
import { skillTool } from '../tools/skill.ts'
import { inputProblem, type Tool, unknownTool } from '../tools/tool.ts'
import type { Act, DecidedCall } from './act.ts'
import { afterCall, beforeCall } from './call-hooks.ts'
import { gatedCall } from './gated-call.ts'
import { nestedTextOf } from './result-text.ts'
import type { RunSpill } from './run-spill.ts'
import { type AgentScope, maxAgentDepth, withInlineSkill } from './scope.ts'

/** Expands a skill that a model asked for. @throws {SkillcellError} as an invocation does */
export type InvokeNested = (
  name: string,
  args: string,
  demands: Pick<NestedDemands, 'denials' | 'atLeast'>,
  signal: AbortSignal,
) => Promise<Invoked>

export interface AgentCallsOptions {
  readonly root: AgentScope
  readonly workspace: string
  readonly dialectOf: DialectOf
  readonly gate: ToolGate
  readonly audit: Pick<RunAudit, 'finishedTool'>
  readonly act: Act
  readonly spill: RunSpill
  readonly invoke: InvokeNested
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
  /** Never rejects but with the reason of `signal` or what ends the run. */
  answer(request: ToolRequest, signal: AbortSignal): Promise<ToolReply>
  /** The fork that a call became has ended: what the calling model reads. */
  answerNested(agentId: string, outcome: AgentOutcome, signal: AbortSignal): Promise<TextReply>
  /** @param agentId undefined for the agent of the run */
  scopeOf(agentId: string | undefined): AgentScope
}

/** A call on its way: what it is, who makes it, what its hooks said before. */
interface OpenCall {
  readonly call: DecidedCall
  readonly atLeast: 'ask' | undefined
  readonly context: string | undefined
  readonly startedAt: number
}

/** What ends the run and is no result of a call. */
const ofTheRun: ReadonlySet<string> = new Set(['INTERNAL', 'AUDIT_FAILED', 'HOOK_STOPPED'])

export function createAgentCalls(options: AgentCallsOptions): AgentCalls {
  const { gate, spill, audit } = options
  const scopes = new Map<string | undefined, AgentScope>([[undefined, options.root]])
  // By agent: each has a conversation of its own.
  const shownTexts = new Map<string | undefined, ShownTexts>()
  // Calls that became forks, by the id of their agent.
  const forked = new Map<string, OpenCall>()

  const scopeOf = (agentId: string | undefined): AgentScope => {
    const scope = scopes.get(agentId)
    if (scope) return scope
    throw new SkillcellError('INTERNAL', `Cannot answer for the unknown agent "${agentId}"`)
  }

  const answer = async ({ agentId, callId, tool: name, input }: ToolRequest, signal: AbortSignal): Promise<ToolReply> => {
    const scope = scopeOf(agentId)
    const tool = allTools.get(name)
    if (!tool || !scope.offered.has(name)) return failed(unknownTool(name, [...scope.offered]))
    const problem = inputProblem(tool, input)
    if (problem !== undefined) return failed(problem)
    const call = { name, input: tool.input.parse(input), callId, ...(agentId !== undefined && { agentId }) }
    const guarded = await beforeCall(await options.hooks(), call, scope, signal)
    if ('refusal' in guarded) return failed(guarded.refusal)
    const decided = guarded.input === undefined ? call : { ...call, input: tool.input.parse(guarded.input) }
    const open = { call: decided, atLeast: guarded.atLeast, context: guarded.context, startedAt: performance.now() }
    const reply = await asReply(() => (name === 'Skill' ? invokeSkill(open, signal) : decideAndAct(tool, open, signal)), signal)
    return reply.type === 'agent' ? reply : finished(open, reply, signal)
  }

  const decideAndAct = async (tool: Tool, { call, atLeast }: OpenCall, signal: AbortSignal): Promise<TextReply> => {
    const scope = scopeOf(call.agentId)
    const gated = gatedCall(tool, call.input)
    // A spill file of this run was shown to this model before, under a name that nothing else has.
    const isOwn = atLeast === undefined && gated.tool === 'Read' && 'path' in gated && gated.path !== undefined
    const ownFile = isOwn ? spill.fileOf(gated.path) : undefined
    const verdict: Verdict =
      ownFile === undefined ? await gate.decideCall(gated, scope.rights, signal, atLeast) : { allowed: true, realPath: ownFile }
    if (!verdict.allowed) return failed(`Permission denied: ${verdict.reason}`)
    signal.throwIfAborted()
    const { output, isError, spillPath } = await options.act(call, verdict.realPath, scope, signal)
    // A command writes its own entry, with its exit and bytes.
    if (tool.name !== 'Bash') audit.finishedTool(scope.rights.skill.id, askedCall(gated), isError, output.length)
    return { type: 'text', output: spill.withToken(output, spillPath), isError }
  }

  const invokeSkill = async (open: OpenCall, signal: AbortSignal): Promise<ToolReply> => {
    const { call, atLeast } = open
    const scope = scopeOf(call.agentId)
    const limited = turnProblem('Skill', scope.rights.turn)
    if (limited !== undefined) return failed(`Permission denied: ${limited}`)
    const { skill_name: name, args = '' } = skillTool.input.parse(call.input)
    const invoked = await options.invoke(name, args, { denials: scope.rights.denials, atLeast }, signal)
    const { skill } = invoked.loaded
    options.emit({
      type: 'skill.invoked',
      skill: skill.id,
      trigger: 'nested-skill',
      ...(call.agentId !== undefined && { agentId: call.agentId }),
    })
    if (skill.context === 'fork') {
      if (scope.depth >= maxAgentDepth)
        return failed(`Cannot fork "${skill.id}": this agent is at depth ${scope.depth}, and ${maxAgentDepth} is the deepest`)
      const child = randomUUID()
      const { task, scope: own } = await options.fork(invoked, scope, child)
      scopes.set(child, own)
      forked.set(child, open)
      return { type: 'agent', task }
    }
    scopes.set(call.agentId, withInlineSkill(scope, skill, invoked.granted, options.dialectOf, options.workspace))
    const shown = shownTexts.get(call.agentId) ?? createShownTexts()
    shownTexts.set(call.agentId, shown)
    return { type: 'text', output: shown.answer(invoked.expansion), isError: false }
  }

  /** After the act: the hooks, and what they want the model to know. */
  const finished = async ({ call, context, startedAt }: OpenCall, reply: TextReply, signal: AbortSignal): Promise<TextReply> => {
    const ended = { ...reply, durationMs: performance.now() - startedAt }
    const said = await afterCall(await options.hooks(), call, scopeOf(call.agentId), ended, signal)
    return { ...reply, output: [reply.output, context, said].filter(text => text !== undefined).join('\n\n') }
  }

  return {
    scopeOf,
    answer: (request, signal) => asOwnFault(() => answer(request, signal), signal),
    answerNested: (agentId, outcome, signal) =>
      asOwnFault(async () => {
        const open = forked.get(agentId)
        if (!open) throw new SkillcellError('INTERNAL', `Cannot answer for the unknown agent "${agentId}"`)
        forked.delete(agentId)
        scopes.delete(agentId)
        const { text, spillPath } = spill.keep(nestedTextOf(outcome))
        return finished(open, { type: 'text', output: spill.withToken(text, spillPath), isError: false }, signal)
      }, signal),
  }
}

/** A fault of an act is a text for the model. */
async function asReply(act: () => Promise<ToolReply>, signal: AbortSignal): Promise<ToolReply> {
  try {
    return await act()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof SkillcellError && !ofTheRun.has(error.code)) return failed(error.message)
    throw error
  }
}

async function asOwnFault<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof SkillcellError ? error : new SkillcellError('INTERNAL', messageOf(error), { cause: error })
  }
}

function failed(output: string): TextReply {
  return { type: 'text', output, isError: true }
}
