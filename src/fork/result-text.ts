// The text that an agent gives to whoever invoked it (SPEC R8.1, R8.4).

import type { AgentOutcome } from '../protocol/agent-task.ts'

export function textOf({ text }: Pick<AgentOutcome, 'text'>): string {
  return text.trim() === '' ? '(Skill produced no output)' : text
}

/** For the model that called it: it should know when a budget ended the work. */
export function nestedTextOf(outcome: Pick<AgentOutcome, 'text' | 'ended'>): string {
  return outcome.ended === 'completed' ? textOf(outcome) : `${textOf(outcome)}\n\n[The agent ended early: ${outcome.ended}]`
}
