// The choke point of every effect: decides all commands of a skill before the first one runs, asks a person where the policy asks,
// and records each decision before its act. It starts nothing; what the policy says is the policy room's.

import { askInTime, type OnAsk } from './ask.ts'
import { type Diagnostic, SkillcellError } from './errors.ts'
import type { PlannedCommand } from './expansion/plan.ts'
import { type DecisionContext, decideCommand } from './policy/decide.ts'
import type { Decision, DecisionKind } from './policy/decision.ts'
import { grantsOf } from './policy/grants.ts'
import type { Policy } from './policy/load.ts'
import { proposeRules } from './policy/propose.ts'
import type { Rule } from './policy/rule.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { decisionContext } from './policy-setup.ts'
import { askedCommand, type RunAudit } from './run-audit.ts'
import type { Setup } from './setup.ts'
import { skillQuestion } from './skill-question.ts'
import type { Skill } from './skills/skill.ts'

export interface GrantedTools {
  readonly rules: readonly Rule[]
  /** As texts, for the host of an expansion. */
  readonly allowedTools: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface ToolGate {
  /** False: commands are switched off and none has to be decided (SPEC R4.7). */
  readonly shellExecution: boolean
  grantsOf(skill: Skill): GrantedTools
  /**
   * Resolves when a model may call the skill; a name that a user typed is the user's own word (SPEC R5.9).
   * @throws {SkillcellError} SKILL_NOT_INVOCABLE
   */
  decideSkill(skill: Skill, as: 'user' | 'model', signal: AbortSignal): Promise<void>
  /**
   * Resolves when every command may run.
   * @throws {SkillcellError} COMMAND_DENIED for the first, in document order, that may not. Ask is deny where nobody can be asked.
   */
  decideAll(commands: readonly PlannedCommand[], skill: Skill, granted: GrantedTools, signal: AbortSignal): Promise<void>
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

export function createToolGate({ policy, setup, savedRules, audit, onAsk, answeredSkills }: ToolGateOptions): ToolGate {
  const ask = async (command: PlannedCommand, decision: Decision, skill: Skill, signal: AbortSignal): Promise<void> => {
    if (!onAsk) {
      audit.asked(skill.id, askedCommand(command), 'nobody', [])
      throw denied(command, `${decision.reason}, and there is nobody to ask`, decision)
    }
    const { simpleCommands, rules: proposedRules } = proposeRules(decision)
    const request = {
      command: command.source,
      simpleCommands,
      proposedRules,
      source: `${skill.id} (${skill.path})`,
      reason: decision.reason,
    }
    const answered = await askInTime(onAsk, request, setup.limits.askTimeoutMs, signal)
    const rules = answered.answer === 'always' ? (answered.rules ?? proposedRules) : []
    audit.asked(skill.id, askedCommand(command), answered.answer, rules)
    if (rules.length > 0) savedRules.add('allow', rules)
    if (answered.answer === 'timed-out') throw denied(command, 'the question was not answered in time', decision)
    if (answered.answer === 'deny') throw denied(command, 'it was refused when asked', decision)
  }

  return {
    shellExecution: policy.scalars.shellExecution,
    grantsOf: skill => {
      const { rules, diagnostics } = grantsOf(policy, skill)
      return { rules, diagnostics, allowedTools: rules.map(rule => rule.text) }
    },
    decideSkill: async (skill, as, signal) => {
      if (as === 'model')
        await skillQuestion({ policy, setup, savedRules, audit, answered: answeredSkills, ...(onAsk && { onAsk }) }, skill, signal)
    },
    decideAll: async (commands, skill, granted, signal) => {
      // The folder of the invoked skill and its plugin root may be read until the run ends (SPEC R5.6).
      const extraReadDirectories = [skill.baseDir, ...(skill.pluginRoot === undefined ? [] : [skill.pluginRoot])]
      for (const command of commands) {
        // Read anew for each: "always" may have added a rule that covers the next.
        const context = decisionContext(setup, {
          extraReadDirectories,
          grants: [...granted.rules, ...savedRules.allow],
          denials: savedRules.deny,
        })
        const { decision, withValues } = decideStrictly(policy, command, context)
        audit.decided(skill.id, askedCommand(command), decision, withValues)
        if (decision.decision === 'deny') throw denied(command, decision.reason, decision)
        if (decision.decision === 'ask') await ask(command, decision, skill, signal)
      }
    },
  }
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
