// One question to a person, whatever it is about: asks in time, records the answer, saves the rules that come with it.
// Without anybody to ask the answer is no (SPEC R5.2).

import { askInTime, type OnAsk } from './ask.ts'
import type { AuditAsked } from './audit/audit-entry.ts'
import type { SavedRules } from './policy/saved-rules.ts'
import type { RunAudit } from './run-audit.ts'
import type { Setup } from './setup.ts'
import type { Skill } from './skills/skill.ts'

export interface QuestionRooms {
  readonly setup: Pick<Setup, 'limits'>
  readonly savedRules: Pick<SavedRules, 'add'>
  readonly audit: Pick<RunAudit, 'asked'>
  readonly onAsk?: OnAsk
}

export interface PermissionQuestion {
  readonly skill: Pick<Skill, 'id' | 'path'>
  readonly asked: AuditAsked
  /** What a person is shown: the command as written, or the tool and what it would touch. */
  readonly command: string
  readonly simpleCommands: readonly string[]
  readonly proposedRules: readonly string[]
  readonly reason: string
}

/** Undefined when it may be done; else why not, for the one who wanted it. Rejects with the reason of `signal`. */
export async function askPermission(
  { setup, savedRules, audit, onAsk }: QuestionRooms,
  { skill, asked, command, simpleCommands, proposedRules, reason }: PermissionQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!onAsk) {
    audit.asked(skill.id, asked, 'nobody', [])
    return `${reason}, and there is nobody to ask${helpOf(proposedRules)}`
  }
  const request = { command, simpleCommands, proposedRules, source: `${skill.id} (${skill.path})`, reason }
  const given = await askInTime(onAsk, request, setup.limits.askTimeoutMs, signal)
  const rules = given.answer === 'always' ? (given.rules ?? proposedRules) : given.answer === 'deny' ? (given.rules ?? []) : []
  audit.asked(skill.id, asked, given.answer === 'unasked' ? 'nobody' : given.answer, rules)
  if (rules.length > 0) savedRules.add(given.answer === 'always' ? 'allow' : 'deny', rules)
  if (given.answer === 'timed-out') return 'the question was not answered in time'
  if (given.answer === 'unasked') return 'the question could not be asked: whoever should have asked it failed'
  return given.answer === 'deny' ? 'it was refused when asked' : undefined
}

/** What a person could have given beforehand. */
function helpOf(rules: readonly string[]): string {
  return rules.length === 0 ? '' : `; ${rules.map(rule => `--allow "${rule}"`).join(' ')} would allow it`
}
