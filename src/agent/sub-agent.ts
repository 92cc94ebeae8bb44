// A fork inside a fork: a fresh conversation in the same thread and the same budget (SPEC R7.2, R8.4). Its last text is what the calling
// model reads.

import type { AgentOutcome, AgentTask } from '../protocol/agent-task.ts'

export const maxDepth = 3

/** What a fork without a last text gives (SPEC R8.1). */
export const noOutput = '(Skill produced no output)'

const maxResultChars = 32_000

export interface NestedResult {
  readonly output: string
  readonly isError: boolean
}

/**
 * Runs the task with `run`, unless it stands too deep or does not belong to its parent; the host refuses that before.
 * Faults and aborts of the run go on to the caller.
 */
export async function runNested(
  task: AgentTask,
  parent: Pick<AgentTask, 'depth' | 'agentId'>,
  run: (task: AgentTask) => Promise<AgentOutcome>,
): Promise<NestedResult> {
  if (task.depth > maxDepth || task.depth !== parent.depth + 1)
    return { output: `Cannot fork "${task.skill}": forks nest at most ${maxDepth} deep`, isError: true }
  if (task.agentId === parent.agentId) return { output: `Cannot fork "${task.skill}": it has no id of its own`, isError: true }
  return { output: resultText(await run(task)), isError: false }
}

/** The text for the calling model: bounded, and it says when a budget ended the agent. */
export function resultText({ text, ended }: Pick<AgentOutcome, 'text' | 'ended'>): string {
  const output = text.trim() === '' ? noOutput : bounded(text)
  return ended === 'completed' ? output : `${output}\n\n[The agent ended early: ${ended}]`
}

function bounded(text: string): string {
  if (text.length <= maxResultChars) return text
  // Not between the two halves of one character.
  const kept = text.slice(0, maxResultChars).replace(/[\ud800-\udbff]$/, '')
  return `${kept}\n\n[Output truncated (${text.length} chars)]`
}
