// Joins a plan and what its commands printed to the prompt (SPEC R3.1, R4.4, R4.7). Outputs are inert: nothing is read again.

import { type DialectName, dialects } from '../dialect.ts'
import type { CommandOutcome, ExpansionPlan } from './plan.ts'

interface RenderOptions {
  /** Only a skill names its folder. */
  readonly kind: 'skill' | 'command' | 'agent'
  /** Absolute. */
  readonly baseDir: string
  readonly dialect: DialectName
}

/** The prompt. `outcomes` stand in the order of `plan.commands`, one for each. */
export function renderPlan(plan: ExpansionPlan, outcomes: readonly CommandOutcome[], { kind, baseDir, dialect }: RenderOptions): string {
  const parts = plan.segments.map(segment => (segment.type === 'text' ? segment.text : renderOutcome(outcomes[segment.index], dialect)))
  // Blank lines between the frontmatter and the text are the file's, not the prompt's.
  if (plan.segments[0]?.type === 'text') parts[0] = plan.segments[0].text.replace(/^\n+/, '')
  const body = parts.join('')
  return kind === 'skill' ? `Base directory for this skill: ${baseDir}\n\n${body}` : body
}

function renderOutcome(outcome: CommandOutcome | undefined, dialect: DialectName): string {
  if (!outcome || outcome.status === 'disabled')
    return outcome?.why === undefined ? '[shell command execution disabled by policy]' : `[shell command not run: ${outcome.why}]`
  if (outcome.status === 'ok') return trimOutput(outcome.output, dialect)
  return `<error>Command failed (exit code ${outcome.exitCode}): ${outcome.output}</error>`
}

function trimOutput(output: string, dialect: DialectName): string {
  return dialects[dialect].outputTrim === 'both-ends' ? output.trim() : withoutTrailingNewlines(output)
}

function withoutTrailingNewlines(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}
