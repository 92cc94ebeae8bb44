// The work of one run, wired from the rooms: the skill becomes its prompt and, for a fork or with a model, an agent works on it.
// It owns what lives as long as the run: its gate, its audit, its argument files, the recording of its conversation.

import { join } from 'node:path'
import { type ArgumentFiles, argumentsText } from './argument-file.ts'
import { SkillcellError } from './errors.ts'
import type { RunEventBody, RunResult, RunTrigger } from './events.ts'
import type { AgentRooms } from './fork/fork.ts'
import type { Invocation, InvocationRooms, Invoked } from './invocation.ts'
import type { LateRooms } from './late-rooms.ts'
import type { Policy } from './policy/load.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { createRunAudit, type RunAudit } from './run-audit.ts'
import type { RunHooks } from './run-hooks.ts'
import type { Session, Sessions } from './sessions.ts'
import { checkedSession, type Setup, shellProblem } from './setup.ts'
import { listingForModel } from './skills/listing.ts'
import type { Skill } from './skills/skill.ts'
import { mergedExpansion, stackedSkills } from './stacked-skills.ts'
import { localTenant } from './state.ts'
import { gateForNested, type ToolGate } from './tool-gate.ts'

/** What all runs of a runtime share. */
export interface SharedRooms {
  readonly setup: Setup
  readonly policy: Policy
  readonly rooms: LateRooms
  readonly savedRules: SavedRules
  readonly files: ArgumentFiles
  readonly sessions: Sessions
}

export interface RunRequest extends Invocation {
  readonly trigger: RunTrigger
  /** An expansion makes the prompt and no more; its argument file outlives it. */
  readonly expandOnly: boolean
  /** Instead of the model of the options. */
  readonly model?: string
  /** A file that takes the conversation, to be played again by `script:FILE`. */
  readonly record?: string
}

export interface RunWork {
  perform(signal: AbortSignal, emit: Emit): Promise<RunResult>
  /** The audit, from the moment on that the run is in it. */
  readonly audit: RunAudit | undefined
  /** Removes what only this run needed; does not reject. */
  release(): Promise<void>
}

type Emit = (event: RunEventBody) => void

export function createRunWork(request: RunRequest, shared: SharedRooms): RunWork {
  const { rooms, files, sessions, setup } = shared
  const { runId, name, args, sessionId, as } = request
  const fileIds: string[] = []
  let giveBackSession = (): void => {}
  let audit: RunAudit | undefined

  return {
    get audit() {
      return audit
    },
    perform: async (signal, emit) => {
      if (name === '') throw new SkillcellError('USAGE', 'Cannot run that: a run is `/name arguments`')
      checkedSession(sessionId)
      void files.sweep()
      // The thread starts while the files are read; a thread that cannot start is told when the plan needs it.
      rooms.pool().catch(() => {})
      const [{ performInvocation }, { createToolGate }] = await Promise.all([import('./invocation.ts'), import('./tool-gate.ts')])
      const runAudit = createRunAudit(await rooms.audit(), runId, { tenant: localTenant, as, sessionId })
      audit = runAudit
      runAudit.started(name, request.trigger, argumentsText(args))
      const startedAtMs = Date.now()
      const { session, giveBack } = sessions.lease(sessionId)
      giveBackSession = giveBack
      const openGate = (gateAudit: RunAudit): ToolGate =>
        createToolGate({
          ...shared,
          audit: gateAudit,
          answeredSkills: session.answeredSkills,
          ...(setup.onAsk && { onAsk: setup.onAsk }),
        })
      const gate = openGate(runAudit)
      let hooks: RunHooks | undefined
      const hooksOf = async (skill?: Skill): Promise<RunHooks | undefined> => {
        if (!hooks && (skill?.hooks !== undefined || session.hooked)) {
          const { openHooks } = await import('./open-hooks.ts')
          hooks = await openHooks({ session, sessionId, runId, audit: runAudit, openGate, emit }, shared)
        }
        return hooks
      }
      const roomsOf = (fileId: string): InvocationRooms => {
        fileIds.push(fileId)
        return { ...invocationRooms(fileId, gate, runAudit, session, shared), hooks: hooksOf }
      }
      if (request.expandOnly) return (await performInvocation(request, roomsOf(runId), signal, emit)).expansion

      const { checkFork, needsAgent, performAgent } = await import('./fork/fork.ts')
      const model = request.model ?? setup.models.name
      const invoke: AgentRooms['invoke'] = async (wanted, text, demands, callSignal) => {
        const call = { runId, name: wanted, args: text, sessionId, as: 'model' as const }
        const own = roomsOf(`${runId}-${fileIds.length}`)
        return performInvocation(
          call,
          { ...own, gate: gateForNested(gate, { startedAtMs, workspace: setup.realWorkspace, ...demands }) },
          callSignal,
          emit,
        )
      }
      const agentRooms = await prepareAgentRooms({ model, gate, audit: runAudit, invoke, hooks: hooksOf, session, runId, emit }, shared)
      const checkFirst: InvocationRooms['checkFirst'] = skill => checkFork(skill, agentRooms)
      const stacked = await stackedSkills(name, typeof args === 'string' ? args : '', session.catalog)
      const invokeTyped = (typed: string, fileId: string, typedGate: ToolGate): Promise<Invoked> => {
        const call = { ...request, name: typed, args: stacked.names.length === 1 ? args : stacked.args }
        return performInvocation(call, { ...roomsOf(fileId), gate: typedGate, checkFirst }, signal, emit)
      }
      const first = await invokeTyped(name, runId, gate)
      const others: Invoked[] = []
      // Commands of those before may have written those that follow.
      const later = gateForNested(gate, { startedAtMs, workspace: setup.realWorkspace, denials: [], atLeast: undefined })
      for (const typed of stacked.names.slice(1)) others.push(await invokeTyped(typed, `${runId}-${fileIds.length}`, later))
      const invoked: Invoked = { ...first, expansion: mergedExpansion([first, ...others]) }
      if (!needsAgent(invoked.loaded.skill, model !== undefined)) return invoked.expansion
      const { openRecording } = await import('./fork/recording.ts')
      const recording = request.record === undefined ? undefined : openRecording(request.record)
      try {
        const agent = await performAgent(invoked, others, { ...agentRooms, ...(recording && { record: recording.add }) }, signal, emit)
        return { ...invoked.expansion, agent }
      } finally {
        recording?.close()
      }
    },
    release: async () => {
      giveBackSession()
      // A file that stays behind goes with close(), or at the next start.
      if (!request.expandOnly) await Promise.all(fileIds.map(id => files.remove(id).catch(() => {})))
    },
  }
}

function invocationRooms(
  fileId: string,
  gate: ToolGate,
  audit: RunAudit,
  { catalog, activation }: Session,
  { setup, rooms, files }: SharedRooms,
): Omit<InvocationRooms, 'hooks'> {
  return {
    workspace: setup.workspace,
    dialectOf: setup.dialectOf,
    limits: setup.limits,
    gate,
    audit,
    find: catalog.find,
    load: catalog.load,
    plan: async (wanted, signal) => (await rooms.pool()).plan(wanted, signal),
    runCommand: commandRunner(rooms, audit),
    argumentsFile: files.pathOf(fileId),
    writeArgumentsFile: content => files.write(fileId, content),
    isActive: activation.isActive,
    shellProblem,
  }
}

/** The broker for one run: what its commands ask of the network is in the audit before anything is connected. */
function commandRunner(rooms: LateRooms, audit: RunAudit): InvocationRooms['runCommand'] {
  return async command => (await rooms.broker()).run({ ...command, onNetworkRequest: audit.network })
}

interface AgentWiring {
  readonly model: string | undefined
  readonly gate: ToolGate
  readonly audit: RunAudit
  readonly invoke: AgentRooms['invoke']
  readonly hooks: AgentRooms['hooks']
  readonly session: Session
  readonly runId: string
  readonly emit: Emit
}

async function prepareAgentRooms(
  { model, gate, audit, invoke, hooks, session: { catalog, activation }, runId, emit }: AgentWiring,
  { setup, rooms }: SharedRooms,
): Promise<AgentRooms> {
  const [{ createRunSpill }, { createAct }, { connectModel }] = await Promise.all([
    import('./fork/run-spill.ts'),
    import('./fork/act.ts'),
    import('./fork/connect-model.ts'),
  ])
  return {
    setup,
    gate,
    audit,
    invoke,
    hooks,
    spill: createRunSpill(join(setup.state, 'spill'), runId, setup.limits),
    act: createAct({
      setup,
      gate,
      audit,
      runCommand: commandRunner(rooms, audit),
      touched: activation.touch,
      emit,
    }),
    agentFiles: async () => {
      const { agents } = await catalog.list()
      return agents.filter(agent => agent.shadowedBy === undefined).map(agent => ({ name: agent.id, load: () => catalog.load(agent) }))
    },
    skillListing: async () => listingForModel((await catalog.list()).skills, setup.limits.listingBudgetChars, activation.isActive).text,
    connect: (skillModel, agentModel) => connectModel({ skillModel, agentModel, defaultModel: model, settings: setup.models }),
    runAgent: async (task, host, signal) => (await rooms.agents()).run(task, host, signal),
  }
}
