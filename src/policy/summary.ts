// One answer for a whole text from those of its simple commands: deny before ask before allow.

import type { Decision, SimpleCommandDecision } from './decision.ts'

/** `unreadable` is why the text as a whole cannot be read; `unmatched` what a text with no command in it gets. */
export function summarise(commands: readonly SimpleCommandDecision[], unreadable: string | undefined, unmatched: 'ask' | 'deny'): Decision {
  let asked: SimpleCommandDecision | undefined
  let ruled: SimpleCommandDecision | undefined
  for (const command of commands) {
    if (command.decision === 'deny') return from(command, commands)
    if (command.decision === 'ask') asked ??= command
    if (command.rule !== undefined) ruled ??= command
  }
  const deciding = asked ?? ruled ?? commands[0]
  if (deciding) return from(deciding, commands)
  return { decision: unreadable ? 'ask' : unmatched, reason: unreadable ?? 'No command can be found in it', commands }
}

function from({ decision, reason, rule, source }: SimpleCommandDecision, commands: readonly SimpleCommandDecision[]): Decision {
  if (rule !== undefined && source !== undefined) return { decision, reason, rule, source, commands }
  if (rule !== undefined) return { decision, reason, rule, commands }
  return source === undefined ? { decision, reason, commands } : { decision, reason, source, commands }
}
