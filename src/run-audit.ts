// What one run writes to the audit: each entry before its act, fsynced before the run's last event. Values never stand in it.

import type { Answered } from './ask.ts'
import type { Audit } from './audit/audit.ts'
import { type AuditActor, type AuditAsked, hashed } from './audit/audit-entry.ts'
import type { RunError, RunFinishReason, RunTrigger } from './events.ts'
import type { PlannedCommand } from './expansion/plan.ts'
import type { Decision } from './policy/decision.ts'
import type { CommandResult } from './shell/command.ts'

export interface RunAudit {
  started(skill: string, trigger: RunTrigger, argumentsText: string): void
  /** `withValues`: it was decided by the text that holds the values, so its reason may quote them and is left out. */
  decided(skill: string, asked: AuditAsked, decision: Decision, withValues: boolean): void
  asked(skill: string, asked: AuditAsked, answer: Answered['answer'] | 'nobody', rules: readonly string[]): void
  finishedCommand(skill: string, command: PlannedCommand, result: CommandResult): void
  /** Resolves when everything of the run is on the disk. */
  finished(skill: string, reason: RunFinishReason, error: RunError | undefined): Promise<void>
}

/** A command as its author wrote it. */
export function askedCommand(command: PlannedCommand): AuditAsked {
  return { tool: 'Bash', command: command.source }
}

export function createRunAudit(audit: Audit, runId: string, who: AuditActor): RunAudit {
  const subject = (skill: string): { runId: string; who: AuditActor; skill: string } => ({ runId, who, skill })
  return {
    started: (skill, trigger, argumentsText) =>
      audit.append({ type: 'run.started', ...subject(skill), trigger, arguments: hashed(argumentsText) }),
    decided: (skill, asked, { decision, rule, source, reason }, withValues) =>
      audit.append({
        type: 'decision',
        ...subject(skill),
        asked,
        decision,
        ...(rule === undefined ? {} : { rule }),
        ...(source === undefined ? {} : { source }),
        reason: withValues ? 'decided with the values of the arguments' : reason,
      }),
    asked: (skill, asked, answer, rules) =>
      audit.append({ type: 'permission.asked', ...subject(skill), asked, answer, ...(rules.length > 0 ? { rules } : {}) }),
    finishedCommand: (skill, command, { reason, sandbox, signal, durationMs, exitCode, outputBytes }) =>
      audit.append({
        type: 'command.finished',
        ...subject(skill),
        asked: askedCommand(command),
        ran: { reason, sandbox, durationMs, ...(signal === undefined ? {} : { signal }) },
        exitCode,
        bytes: outputBytes,
      }),
    finished: (skill, reason, error) => {
      audit.append({ type: 'run.finished', ...subject(skill), reason, ...(error ? { error: error.code } : {}) })
      return audit.flush()
    },
  }
}
