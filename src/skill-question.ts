// May a model call this skill (SPEC R5.9)? Rules first; a skill without grants, hooks and fork is text and runs freely; else a person
// is asked at its first call: yes holds for the session, always and a saved no become rules.

import { askInTime, type OnAsk } from './ask.ts'
import { SkillcellError } from './errors.ts'
import type { Policy } from './policy/load.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { decideTool } from './policy/tool-decision.ts'
import { decisionContext } from './policy-setup.ts'
import type { RunAudit } from './run-audit.ts'
import type { Setup } from './setup.ts'
import type { Skill } from './skills/skill.ts'

export interface SkillQuestionOptions {
  readonly policy: Policy
  readonly setup: Setup
  readonly savedRules: SavedRules
  readonly audit: Pick<RunAudit, 'decided' | 'asked'>
  readonly answered: Set<string>
  readonly onAsk?: OnAsk
}

/** @throws {SkillcellError} SKILL_NOT_INVOCABLE */
export async function skillQuestion(
  { policy, setup, savedRules, audit, answered, onAsk }: SkillQuestionOptions,
  skill: Skill,
  signal: AbortSignal,
): Promise<void> {
  const carries = skill.allowedTools.length > 0 || skill.hooks !== undefined || skill.context === 'fork'
  const context = decisionContext(setup, { extraReadDirectories: [], grants: savedRules.allow, denials: savedRules.deny })
  const asked = { tool: 'Skill', name: skill.id }
  const decided = decideTool(policy, { tool: 'Skill', name: skill.id, carries }, context)
  audit.decided(skill.id, asked, decided, false)
  const { decision, reason } = decided
  if (decision === 'allow' || (decision === 'ask' && answered.has(skill.id))) return
  if (decision === 'deny') throw refused(skill, reason)
  if (!onAsk) {
    audit.asked(skill.id, asked, 'nobody', [])
    throw refused(skill, `${reason}, and there is nobody to ask`)
  }
  const rule = `Skill(${skill.id})`
  const command = `Execute skill: ${skill.id}`
  const request = { command, simpleCommands: [], proposedRules: [rule], source: `${skill.id} (${skill.path})`, reason }
  const given = await askInTime(onAsk, request, setup.limits.askTimeoutMs, signal)
  const rules = given.answer === 'always' ? (given.rules ?? [rule]) : given.answer === 'deny' ? (given.rules ?? []) : []
  audit.asked(skill.id, asked, given.answer, rules)
  if (rules.length > 0) savedRules.add(given.answer === 'always' ? 'allow' : 'deny', rules)
  if (given.answer === 'deny') throw refused(skill, 'it was refused when asked')
  if (given.answer === 'timed-out') throw refused(skill, 'the question was not answered in time')
  answered.add(skill.id)
}

function refused(skill: Skill, reason: string): SkillcellError {
  return new SkillcellError('SKILL_NOT_INVOCABLE', `Cannot invoke "${skill.id}" for a model: ${reason}`)
}
