// What one run writes to the audit: each entry before its act, fsynced before the run's last event. Values never stand in it.

import type { Answered } from './ask.ts'
import type { Audit } from './audit/audit.ts'
import { type AuditActor, type AuditAsked, hashed } from './audit/audit-entry.ts'
import type { RunError, RunFinishReason, RunTrigger } from './events.ts'
import type { PlannedCommand } from './expansion/plan.ts'
import type { Decision } from './policy/decision.ts'
import type { CommandResult } from './shell/command.ts'
import type { NetworkRequest } from './shell/network/proxy.ts'

export interface Decided {
  readonly asked: AuditAsked
  readonly decision: Decision
  /** It was decided by the text that holds the values, so its reason may quote them and is left out. */
  readonly withValues: boolean
}

export interface RunAudit {
  started(skill: string, trigger: RunTrigger, argumentsText: string): void
  /** Several at once cost little more than one: all or none of them stand in the audit. */
  decided(skill: string, ...decisions: readonly Decided[]): void
  asked(skill: string, asked: AuditAsked, answer: Answered['answer'] | 'nobody', rules: readonly string[]): void
  finishedCommand(skill: string, asked: AuditAsked, result: CommandResult): void
  /** A tool that is no command: whether it did what it was asked, and how much it gave back. */
  finishedTool(skill: string, asked: AuditAsked, isError: boolean, outputChars: number): void
  /** A request of a command to the network, before it is let through. */
  network(request: NetworkRequest): void
  /** Resolves when everything of the run is on the disk. */
  finished(skill: string, reason: RunFinishReason, error: RunError | undefined): Promise<void>
}

/** A command as its author wrote it. */
export function askedCommand(command: PlannedCommand): AuditAsked {
  return { tool: 'Bash', command: command.source }
}

/** @param runId undefined for what belongs to a session and to no run: its hooks */
export function createRunAudit(audit: Audit, runId: string | undefined, who: AuditActor): RunAudit {
  const subject = (skill: string): { runId?: string; who: AuditActor; skill: string } => ({
    ...(runId !== undefined && { runId }),
    who,
    skill,
  })
  return {
    started: (skill, trigger, argumentsText) =>
      audit.append({ type: 'run.started', ...subject(skill), trigger, arguments: hashed(argumentsText) }),
    decided: (skill, ...decisions) =>
      audit.append(
        ...decisions.map(({ asked, decision: { decision, rule, source, reason }, withValues }) => ({
          type: 'decision' as const,
          ...subject(skill),
          asked,
          decision,
          ...(rule === undefined ? {} : { rule }),
          ...(source === undefined ? {} : { source }),
          reason: withValues ? 'decided with the values of the arguments' : reason,
        })),
      ),
    asked: (skill, asked, answer, rules) =>
      audit.append({ type: 'permission.asked', ...subject(skill), asked, answer, ...(rules.length > 0 ? { rules } : {}) }),
    finishedTool: (skill, asked, isError, outputChars) =>
      audit.append({ type: 'tool.finished', ...subject(skill), asked, isError, outputChars }),
    finishedCommand: (skill, asked, { reason, sandbox, signal, durationMs, exitCode, outputBytes }) =>
      audit.append({
        type: 'command.finished',
        ...subject(skill),
        asked,
        ran: { reason, sandbox, durationMs, ...(signal === undefined ? {} : { signal }) },
        exitCode,
        bytes: outputBytes,
      }),
    network: ({ host, port, decision, reason }) =>
      audit.append({
        type: 'decision',
        ...(runId !== undefined && { runId }),
        who,
        asked: { tool: 'Network', url: `${host}:${port}` },
        decision: decision === 'allowed' ? 'allow' : 'deny',
        ...(reason !== undefined && { reason }),
      }),
    finished: (skill, reason, error) => {
      audit.append({ type: 'run.finished', ...subject(skill), reason, ...(error ? { error: error.code } : {}) })
      return audit.flush()
    },
  }
}
