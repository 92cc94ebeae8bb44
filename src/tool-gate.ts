// The choke point of every effect: decides all commands of a skill before the first one runs and each call of an agent's tool, asks a
// person where the policy asks, and records each decision before its act. It starts nothing; what the policy says is the policy room's.

import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OnAsk } from './ask.ts'
import type { AuditAsked } from './audit/audit-entry.ts'
import { type Diagnostic, SkillcellError } from './errors.ts'
import type { PlannedCommand } from './expansion/plan.ts'
import { isInside } from './inside.ts'
import { askPermission } from './permission-question.ts'
import { type DecisionContext, decideCommand } from './policy/decide.ts'
import type { Decision, DecisionKind } from './policy/decision.ts'
import { grantsOf } from './policy/grants.ts'
import type { Policy } from './policy/load.ts'
import { proposeRules, proposeToolRules } from './policy/propose.ts'
import type { Rule } from './policy/rule.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { decideTool, type ToolRequest, type TurnTools, turnProblem } from './policy/tool-decision.ts'
import { decisionContext } from './policy-setup.ts'
import { askedCommand, type Decided, type RunAudit } from './run-audit.ts'
import type { Setup } from './setup.ts'
import { type InvokedFile, skillQuestion } from './skill-question.ts'
import type { Skill } from './skills/skill.ts'

export interface GrantedTools {
  readonly rules: readonly Rule[]
  /** As texts, for the host of an expansion. */
  readonly allowedTools: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The rights of the one who calls a tool: they are those of its skill, and only for its turn (SPEC R5.7). */
export interface CallRights {
  readonly skill: Skill
  readonly grants: readonly Rule[]
  readonly denials: readonly Rule[]
  /** Folders of the skills in use, for reading (SPEC R5.6). */
  readonly readable: readonly string[]
  readonly turn: TurnTools
}

/** A call as the policy sees it, and as a person is shown it. */
export type GatedCall = ToolRequest | { readonly tool: 'Bash'; readonly command: string }

/** `realPath`: of a file tool, the path that was decided and no other is touched. `reason`: for the model. */
export type Verdict = { readonly allowed: true; readonly realPath?: string } | { readonly allowed: false; readonly reason: string }

export interface ToolGate {
  /** False: commands are switched off and none has to be decided (SPEC R4.7). */
  readonly shellExecution: boolean
  grantsOf(skill: Skill): GrantedTools
  /**
   * Resolves when a model may call the skill; a name that a user typed is the user's own word (SPEC R5.9).
   * @throws {SkillcellError} SKILL_NOT_INVOCABLE
   */
  decideSkill(loaded: InvokedFile, as: 'user' | 'model', signal: AbortSignal, atLeast?: 'ask'): Promise<void>
  /**
   * Resolves when every command may run.
   * @throws {SkillcellError} COMMAND_DENIED for the first, in document order, that may not. Ask is deny where nobody can be asked.
   */
  decideAll(
    commands: readonly PlannedCommand[],
    skill: Skill,
    granted: GrantedTools,
    signal: AbortSignal,
    denials?: readonly Rule[],
  ): Promise<void>
  /**
   * May the call be done? Rejects with the reason of `signal`.
   * @param atLeast `ask`: a hook wants a person's word whatever the rules allow
   */
  decideCall(call: GatedCall, rights: CallRights, signal: AbortSignal, atLeast?: 'ask'): Promise<Verdict>
  /** May a file be shown to whoever has these rights; asks nobody and records nothing: for the many files of a search. */
  mayRead(path: string, rights: CallRights): boolean
}

export interface ToolGateOptions {
  readonly policy: Policy
  readonly setup: Setup
  readonly savedRules: SavedRules
  readonly audit: Pick<RunAudit, 'decided' | 'asked'>
  readonly onAsk?: OnAsk
  /** Skills that a person said yes to in this session. */
  readonly answeredSkills: Set<string>
}

export function createToolGate(options: ToolGateOptions): ToolGate {
  const { policy, setup, savedRules, audit, answeredSkills } = options
  const ask = async (command: PlannedCommand, decision: Decision, skill: Skill, signal: AbortSignal): Promise<void> => {
    const { simpleCommands, rules: proposedRules } = proposeRules(decision)
    const question = {
      skill,
      asked: askedCommand(command),
      command: command.source,
      simpleCommands,
      proposedRules,
      reason: decision.reason,
    }
    const problem = await askPermission(options, question, signal)
    if (problem !== undefined) throw denied(command, problem, decision)
  }
  // Read anew for each decision: "always" may have added a rule that covers the next.
  const contextOf = ({ grants, denials, readable }: Omit<CallRights, 'skill' | 'turn'>): DecisionContext =>
    decisionContext(setup, {
      extraReadDirectories: readable,
      grants: [...grants, ...savedRules.allow],
      denials: [...denials, ...savedRules.deny],
    })
  const decideOne = (call: GatedCall, rights: CallRights): Decision => {
    if (!('command' in call)) return decideTool(policy, call, contextOf(rights), rights.turn)
    const limited = turnProblem('Bash', rights.turn)
    if (limited !== undefined) return { decision: 'deny', reason: limited, source: 'tools of the turn', commands: [] }
    if (!policy.scalars.shellExecution) return { decision: 'deny', reason: switchedOff, source: 'policy', commands: [] }
    return decideCommand(policy, call.command, contextOf(rights))
  }

  return {
    shellExecution: policy.scalars.shellExecution,
    grantsOf: skill => {
      const { rules, diagnostics } = grantsOf(policy, skill)
      return { rules, diagnostics, allowedTools: rules.map(rule => rule.text) }
    },
    decideSkill: async (loaded, as, signal, atLeast) => {
      if (as === 'model') await skillQuestion({ ...options, answered: answeredSkills }, loaded, signal, atLeast)
    },
    decideAll: async (commands, skill, granted, signal, denials = []) => {
      const rights = { ...rightsOf(skill, granted), denials }
      // Recorded in one piece: before the first command runs, and before a person is asked or a refusal told.
      const decided: Decided[] = []
      const record = (): void => {
        if (decided.length > 0) audit.decided(skill.id, ...decided.splice(0))
      }
      try {
        for (const command of commands) {
          if (!policy.scalars.shellExecution) throw denied(command, switchedOff, { decision: 'deny', reason: switchedOff, commands: [] })
          const { decision, withValues } = decideStrictly(policy, command, contextOf(rights))
          decided.push({ asked: askedCommand(command), decision, withValues })
          if (decision.decision === 'deny') throw denied(command, decision.reason, decision)
          if (decision.decision === 'ask' || decided.length === maxRecordedAtOnce) record()
          if (decision.decision === 'ask') await ask(command, decision, skill, signal)
        }
      } finally {
        record()
      }
    },
    decideCall: async (call, rights, signal, atLeast) => {
      const found = decideOne(call, rights)
      const decision: Decision =
        atLeast === 'ask' && found.decision === 'allow' ? { ...found, decision: 'ask', reason: 'a hook wants a person to decide' } : found
      const asked = askedCall(call)
      audit.decided(rights.skill.id, { asked, decision, withValues: false })
      const allowed: Verdict = { allowed: true, ...(decision.realPath !== undefined && { realPath: decision.realPath }) }
      if (decision.decision === 'allow') return allowed
      if (decision.decision === 'deny') return { allowed: false, reason: decision.reason }
      const { simpleCommands, rules: proposedRules } =
        'command' in call ? proposeRules(decision) : { simpleCommands: [], rules: proposeToolRules(call) }
      const question = { skill: rights.skill, asked, command: shownCall(call), simpleCommands, proposedRules, reason: decision.reason }
      const problem = await askPermission(options, question, signal)
      return problem === undefined ? allowed : { allowed: false, reason: problem }
    },
    mayRead: (path, rights) => decideTool(policy, { tool: 'Read', path }, contextOf(rights)).decision === 'allow',
  }
}

/** The rights that a skill has of itself, limited by nobody. */
export function rightsOf(skill: Skill, granted: GrantedTools): CallRights {
  return { skill, grants: granted.rules, denials: [], readable: foldersOf(skill), turn: { without: [] } }
}

// So that the lock of the audit is held for a moment only.
const maxRecordedAtOnce = 100

const switchedOff = 'shell command execution is disabled by policy'

export interface NestedDemands {
  readonly startedAtMs: number
  /** Its real path. */
  readonly workspace: string
  /** Of the agent that invokes the skill: they hold for the skill's commands too. */
  readonly denials: readonly Rule[]
  /** A hook wants a person's word for the call. */
  readonly atLeast: 'ask' | undefined
}

/**
 * The gate for a skill that is invoked after others of its run have acted. What was made, changed or moved into its place since the run began
 * grants nothing, since the run itself may have done it (SPEC R17.10). A new file in a folder on its way counts too: moving a folder in
 * and writing into it look alike.
 */
export function gateForNested(gate: ToolGate, { startedAtMs, workspace, denials, atLeast }: NestedDemands): ToolGate {
  return {
    ...gate,
    decideSkill: (loaded, as, signal) => gate.decideSkill(loaded, as, signal, atLeast),
    decideAll: (commands, skill, granted, signal) => gate.decideAll(commands, skill, granted, signal, denials),
    grantsOf: skill => {
      const granted = gate.grantsOf(skill)
      if (granted.rules.length === 0 || !hasChanged(skill, startedAtMs, workspace)) return granted
      const message = `The grants of "${skill.id}" do not hold in this run: its file was changed after the run began`
      return { rules: [], allowedTools: [], diagnostics: [{ code: 'GRANT_CUT', severity: 'warning', message, path: skill.path }] }
    },
  }
}

// The clock of the disk stands still for some ms at a time.
const diskClockMs = 20

/** By the times of the last change of its file and of each folder and link on the way from the workspace: the kernel's, nobody can set them. */
function hasChanged({ path, realPath, source }: Skill, startedAtMs: number, workspace: string): boolean {
  if (source === 'bundled') return false
  const places = new Set([path, realPath].flatMap(each => placesOnTheWay(each, workspace)))
  return [...places].some(place => {
    const changedAtMs = lstatSync(place, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY
    return changedAtMs >= startedAtMs - diskClockMs
  })
}

/** The workspace itself is left out: whatever is made in it changes it. Outside of it a skill is its file. */
function placesOnTheWay(path: string, workspace: string): string[] {
  const places = [path]
  if (!isInside(path, workspace)) return places
  for (let folder = dirname(path); folder !== workspace && isInside(folder, workspace); folder = dirname(folder)) places.push(folder)
  return places
}

/** The folder of an invoked skill and its plugin root may be read until the run ends (SPEC R5.6). */
export function foldersOf({ baseDir, pluginRoot }: Skill): readonly string[] {
  return pluginRoot === undefined ? [baseDir] : [baseDir, pluginRoot]
}

/** A call as the audit keeps it: values that a model made up are the author's text here. */
export function askedCall(call: GatedCall): AuditAsked {
  const { tool } = call
  if ('command' in call) return { tool, command: call.command }
  return {
    tool,
    ...('path' in call && call.path !== undefined && { path: call.path }),
    ...('url' in call && call.url !== undefined && { url: call.url }),
    ...('name' in call && call.name !== undefined && { name: call.name }),
  }
}

function shownCall(call: GatedCall): string {
  const { tool, ...what } = askedCall(call)
  return call.tool === 'Bash' && what.command !== undefined ? what.command : `${tool} ${what.path ?? what.url ?? what.name ?? ''}`.trimEnd()
}

const strictness: Readonly<Record<DecisionKind, number>> = { allow: 0, ask: 1, deny: 2 }

/** As template and with its values; the stricter answer holds (SPEC R17.6). A refusal of the expansion is a deny. */
function decideStrictly(policy: Policy, command: PlannedCommand, context: DecisionContext): { decision: Decision; withValues: boolean } {
  if (command.refusal !== undefined) return { decision: { decision: 'deny', reason: command.refusal, commands: [] }, withValues: false }
  const [template, ...valued] = command.decisionTexts.map(text => decideCommand(policy, text, context))
  if (!template) return { decision: { decision: 'deny', reason: 'there is no text to decide', commands: [] }, withValues: false }
  const worst = valued.find(each => strictness[each.decision] > strictness[template.decision])
  return { decision: worst ?? template, withValues: worst !== undefined }
}

function denied(command: PlannedCommand, reason: string, { decision, rule, source }: Decision): SkillcellError {
  return new SkillcellError('COMMAND_DENIED', `Shell command permission check failed for pattern "${command.source}": ${reason}`, {
    details: { pattern: command.source, line: command.line, column: command.column, reason, decision, rule, source },
  })
}
