// The agent of a run, host side: chooses its type, its model and its tools, hands the task to a thread, answers what the thread asks,
// and reports what came of it. A fork has a budget of its own; forks inside it draw on the same one (SPEC R8.4).

import { agentSummary } from '../agent-summary.ts'
import type { Diagnostic } from '../errors.ts'
import { SkillcellError } from '../errors.ts'
import type { AgentReport, RunEventBody } from '../events.ts'
import type { Invoked } from '../invocation.ts'
import type { ModelConnection } from '../models/connection.ts'
import { connectionName } from '../models/connection.ts'
import { turnProblem } from '../policy/tool-decision.ts'
import type { AgentOutcome, AgentTask } from '../protocol/agent-task.ts'
import type { AgentHost } from '../protocol/channel-host.ts'
import type { RunAudit } from '../run-audit.ts'
import type { RunHooks } from '../run-hooks.ts'
import type { Setup } from '../setup.ts'
import type { Skill } from '../skills/skill.ts'
import type { ToolGate } from '../tool-gate.ts'
import { allTools } from '../tools/all-tools.ts'
import type { Act } from './act.ts'
import { createAgentCalls, type InvokeNested } from './agent-calls.ts'
import { afterAgent, beforeAgent } from './agent-hooks.ts'
import { type AgentFile, type AgentType, defaultAgentType, findAgentType, mainAgent } from './agent-types.ts'
import { textOf } from './result-text.ts'
import type { RunSpill } from './run-spill.ts'
import { type AgentScope, openScope, withInlineSkill } from './scope.ts'

export interface AgentRooms {
  readonly setup: Pick<Setup, 'workspace' | 'realWorkspace' | 'limits' | 'dialectOf'>
  readonly gate: ToolGate
  readonly audit: RunAudit
  readonly spill: RunSpill
  readonly act: Act
  readonly agentFiles: () => Promise<readonly AgentFile[]>
  /** What the model is told of the skills there are; '' when there are none. */
  readonly skillListing: () => Promise<string>
  /** The hooks of the session, if there are any by now. */
  readonly hooks: () => Promise<RunHooks | undefined>
  readonly invoke: InvokeNested
  /** @throws {SkillcellError} MODEL_UNAVAILABLE */
  readonly connect: (skillModel: string | undefined, agentModel: string | undefined) => ModelConnection
  readonly runAgent: (task: AgentTask, host: AgentHost, signal: AbortSignal) => Promise<AgentOutcome>
  /** Takes the turns of a conversation, to be played again; undefined when nobody wants them. */
  readonly record?: (line: string) => void
}

/** Whether a run needs an agent: a fork always, an inline skill when there is a model to run it. */
export function needsAgent({ context }: Skill, hasModel: boolean): boolean {
  return context === 'fork' || hasModel
}

/** Before anything of a fork runs: its agent type and its model are there. @throws {SkillcellError} AGENT_NOT_FOUND, MODEL_UNAVAILABLE */
export async function checkFork(skill: Skill, { agentFiles, connect }: Pick<AgentRooms, 'agentFiles' | 'connect'>): Promise<void> {
  if (skill.context !== 'fork') return
  const type = await findAgentType(skill.agent ?? defaultAgentType, await agentFiles(), () => {})
  connect(skill.model, type.model)
}

/** @throws {SkillcellError} AGENT_NOT_FOUND, MODEL_*, WORKER_*, COMMAND_DENIED for an agent type that a rule refuses; the reason of `signal`. */
export async function performAgent(
  invoked: Invoked,
  /** Skills that were typed in the same line; their rights come to those of the first, their limits too. */
  others: readonly Invoked[],
  rooms: AgentRooms,
  signal: AbortSignal,
  emit: (event: RunEventBody) => void,
): Promise<AgentReport> {
  const tell = (diagnostic: Diagnostic): void => emit({ type: 'diagnostic', diagnostic })
  const prepare = (given: Invoked, parent?: AgentScope, agentId?: string): Promise<Prepared> =>
    prepareAgent(given, parent ? [] : others, { rooms, tell, ...(parent && { parent }), ...(agentId !== undefined && { agentId }) }, signal)
  const { skill } = invoked.loaded
  const { task, scope, connection } = await prepare(invoked)
  const calls = createAgentCalls({
    root: scope,
    dialectOf: rooms.setup.dialectOf,
    workspace: rooms.setup.realWorkspace,
    gate: rooms.gate,
    audit: rooms.audit,
    act: rooms.act,
    spill: rooms.spill,
    invoke: rooms.invoke,
    fork: prepare,
    hooks: rooms.hooks,
    emit,
  })
  // Agents that a hook made go on: it is told, so that it does not do so for ever.
  const continued = new Set<string | undefined>()
  const clock = startClock(rooms.setup.limits.agentTimeoutMs, skill.id)
  const outcome = await rooms
    .runAgent(
      task,
      {
        callTool: calls.answer,
        onStop: async (agentId, ended, stopSignal) => {
          const reply = await afterAgent(
            rooms.hooks,
            calls.scopeOf(agentId),
            { ...ended, stopHookActive: continued.has(agentId) },
            stopSignal,
          )
          if (reply.continueWith !== undefined) continued.add(agentId)
          return reply
        },
        onNestedEnd: calls.answerNested,
        onEvent: event => {
          if (event.type === 'turn.recorded') rooms.record?.(event.line)
          else emit(event)
        },
      },
      AbortSignal.any([signal, clock.signal]),
    )
    .finally(clock.stop)
  const { text, truncated, spillPath } = rooms.spill.keep(textOf(outcome))
  return {
    agentType: scope.type.name,
    model: connectionName(connection),
    text,
    summary: agentSummary(skill.id, outcome.toolCalls, outcome.inputTokens + outcome.outputTokens),
    ended: outcome.ended,
    turns: outcome.turns,
    toolCalls: outcome.toolCalls,
    inputTokens: outcome.inputTokens,
    outputTokens: outcome.outputTokens,
    truncated,
    ...(spillPath !== undefined && { spillPath }),
  }
}

/** The wall time of the agent (SPEC R8.4). */
function startClock(timeoutMs: number, skill: string): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const late = (): void =>
    controller.abort(new SkillcellError('TIMED_OUT', `Cannot finish "${skill}": its agent worked longer than ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

interface Prepared {
  readonly task: AgentTask
  readonly scope: AgentScope
  readonly connection: ModelConnection
}

interface Preparing {
  readonly rooms: AgentRooms
  readonly tell: (diagnostic: Diagnostic) => void
  readonly parent?: AgentScope
  readonly agentId?: string
}

async function prepareAgent(
  { loaded: { skill }, expansion, granted }: Invoked,
  others: readonly Invoked[],
  { rooms, tell, parent, agentId }: Preparing,
  signal: AbortSignal,
): Promise<Prepared> {
  const { setup, gate } = rooms
  const { limits } = setup
  const type = skill.context === 'fork' ? await findAgentType(skill.agent ?? defaultAgentType, await rooms.agentFiles(), tell) : mainAgent
  const skillListing = await rooms.skillListing()
  const tools = [...allTools.keys()].filter(name => (name !== 'Skill' || skillListing !== '') && (name !== 'Bash' || gate.shellExecution))
  const opened = openScope({
    ...(agentId !== undefined && { agentId }),
    type,
    skill,
    granted,
    ...(parent && { parent }),
    dialectOf: setup.dialectOf,
    workspace: setup.realWorkspace,
    tools,
  })
  const scope = others.reduce(
    (before, other) => withInlineSkill(before, other.loaded.skill, other.granted, setup.dialectOf, setup.realWorkspace),
    opened,
  )
  if (skill.context === 'fork') await checkAgentType(gate, type, scope, signal)
  if (skill.context === 'fork') await beforeAgent(rooms.hooks, scope, signal)
  const connection = rooms.connect(skill.model, type.model)
  const effort = skill.effort ?? type.effort
  const task: AgentTask = {
    agentId: agentId ?? 'root',
    agentType: type.name,
    skill: skill.id,
    system: `${type.system}\n\nThe workspace is ${setup.workspace}. Paths that do not begin with / count from it.`,
    prompt: expansion.prompt,
    tools: [...scope.offered].filter(name => turnProblem(name, scope.rights.turn) === undefined),
    skillListing: scope.offered.has('Skill') ? skillListing : '',
    model: connection,
    ...(effort !== undefined && { effort }),
    budget: {
      maxTurns: Math.min(type.maxTurns ?? limits.maxAgentTurns, limits.maxAgentTurns),
      maxTokens: limits.maxAgentTokens,
      maxOutputTokens: limits.maxAgentOutputTokens,
    },
    isRecording: rooms.record !== undefined,
  }
  return { task, scope, connection }
}

/** A rule may forbid a type of agent or ask first; one that no rule names needs no leave, since the skill was decided. */
async function checkAgentType(gate: ToolGate, type: AgentType, scope: AgentScope, signal: AbortSignal): Promise<void> {
  const verdict = await gate.decideCall({ tool: 'Agent', name: type.name }, { ...scope.rights, turn: { without: [] } }, signal)
  if (!verdict.allowed)
    throw new SkillcellError('COMMAND_DENIED', `Cannot start the agent "${type.name}" for "${scope.rights.skill.id}": ${verdict.reason}`)
}
