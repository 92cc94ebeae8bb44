// May a model call this skill (SPEC R5.9)? Rules first; a skill without grants, hooks and fork is text and runs freely; else a person
// is asked at its first call: yes holds for the session, always and a saved no become rules.

import { SkillcellError } from './errors.ts'
import { askPermission, type QuestionRooms } from './permission-question.ts'
import type { Policy } from './policy/load.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import { decideTool } from './policy/tool-decision.ts'
import { decisionContext } from './policy-setup.ts'
import type { RunAudit } from './run-audit.ts'
import type { Setup } from './setup.ts'
import type { LoadedSkill, Skill } from './skills/skill.ts'

export interface SkillQuestionOptions extends QuestionRooms {
  readonly policy: Policy
  readonly setup: Setup
  readonly savedRules: SavedRules
  readonly audit: Pick<RunAudit, 'decided' | 'asked'>
  /** Skills that were said yes to in this session, by what they were then. */
  readonly answered: Set<string>
}

/** A skill as it was read for this invocation, and the name that it was asked for by. */
export interface InvokedFile extends Pick<LoadedSkill, 'skill' | 'contentHash'> {
  readonly askedAs?: string
}

/** @throws {SkillcellError} SKILL_NOT_INVOCABLE */
export async function skillQuestion(
  options: SkillQuestionOptions,
  { skill, contentHash, askedAs }: InvokedFile,
  signal: AbortSignal,
  atLeast?: 'ask',
): Promise<void> {
  const { policy, setup, savedRules, audit, answered } = options
  const carries = skill.allowedTools.length > 0 || skill.hooks !== undefined || skill.context === 'fork'
  const context = decisionContext(setup, { extraReadDirectories: [], grants: savedRules.allow, denials: savedRules.deny })
  const asked = { tool: 'Skill', name: skill.id }
  // A yes is for what a person saw: another file of that name is asked for again.
  const identity = `${skill.id}\0${skill.realPath}\0${contentHash}`
  const aliases = [...skill.aliases, ...(askedAs === undefined ? [] : [askedAs])]
  const decided = decideTool(policy, { tool: 'Skill', name: skill.id, aliases, carries }, context)
  audit.decided(skill.id, { asked, decision: decided, withValues: false })
  const isWanted = atLeast === 'ask' && decided.decision === 'allow'
  const { decision, reason } = isWanted ? { decision: 'ask' as const, reason: 'a hook wants a person to decide' } : decided
  if (decision === 'allow' || (decision === 'ask' && !isWanted && answered.has(identity))) return
  if (decision === 'deny') throw refused(skill, reason)
  const question = {
    skill,
    asked,
    command: `Execute skill: ${skill.id}`,
    simpleCommands: [],
    proposedRules: [`Skill(${skill.id})`],
    reason,
  }
  const problem = await askPermission(options, question, signal)
  if (problem !== undefined) throw refused(skill, problem)
  answered.add(identity)
}

function refused(skill: Skill, reason: string): SkillcellError {
  return new SkillcellError('SKILL_NOT_INVOCABLE', `Cannot invoke "${skill.id}" for a model: ${reason}`)
}
