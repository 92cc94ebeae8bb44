// The choke point of every effect: answers whether the commands of a skill may run. All are decided before the first one runs.
// It decides and starts nothing; what the policy says is the policy room's.

import { type Diagnostic, SkillcellError } from './errors.ts'
import type { PlannedCommand } from './expansion/plan.ts'
import { decideCommand } from './policy/decide.ts'
import type { Decision, DecisionKind } from './policy/decision.ts'
import { grantsOf } from './policy/grants.ts'
import type { Policy } from './policy/load.ts'
import type { Rule } from './policy/rule.ts'
import { decisionContext } from './policy-setup.ts'
import type { Setup } from './setup.ts'
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
   * Resolves when every command may run.
   * @throws {SkillcellError} COMMAND_DENIED for the first, in document order, that may not. Ask is deny: there is nobody to ask.
   */
  decideAll(commands: readonly PlannedCommand[], skill: Skill, granted: GrantedTools): void
}

export function createToolGate(policy: Policy, setup: Setup): ToolGate {
  return {
    shellExecution: policy.scalars.shellExecution,
    grantsOf: skill => {
      const { rules, diagnostics } = grantsOf(policy, skill)
      return { rules, diagnostics, allowedTools: rules.map(rule => rule.text) }
    },
    decideAll: (commands, skill, granted) => {
      // The folder of the invoked skill and its plugin root may be read until the run ends (SPEC R5.6).
      const extraReadDirectories = [skill.baseDir, ...(skill.pluginRoot === undefined ? [] : [skill.pluginRoot])]
      const context = decisionContext(setup, { extraReadDirectories, grants: granted.rules })
      for (const command of commands) {
        if (command.refusal !== undefined) throw denied(command, command.refusal)
        const decision = strictest(command.decisionTexts.map(text => decideCommand(policy, text, context)))
        if (decision.decision !== 'allow') throw denied(command, decision.reason, decision)
      }
    },
  }
}

const strictness: Readonly<Record<DecisionKind, number>> = { allow: 0, ask: 1, deny: 2 }

/** A command is decided as template and with its values; the stricter answer holds (SPEC R17.6). */
function strictest(decisions: readonly Decision[]): Decision {
  const nothing: Decision = { decision: 'deny', reason: 'there is no text to decide', commands: [] }
  return decisions.reduce((worst, each) => (strictness[each.decision] > strictness[worst.decision] ? each : worst), decisions[0] ?? nothing)
}

function denied(command: PlannedCommand, reason: string, decision?: Decision): SkillcellError {
  const asked = decision?.decision === 'ask' ? `${reason}, and there is nobody to ask` : reason
  return new SkillcellError('COMMAND_DENIED', `Shell command permission check failed for pattern "${command.source}": ${asked}`, {
    details: {
      pattern: command.source,
      line: command.line,
      column: command.column,
      reason,
      ...(decision && { decision: decision.decision, rule: decision.rule, source: decision.source }),
    },
  })
}
