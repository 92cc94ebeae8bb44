// One answer for a whole text from those of its simple commands: deny before ask before allow.

import type { Decision, SimpleCommandDecision } from './decision.ts'

/** `unreadable` is why the text as a whole cannot be read; `unmatched` what a text with no command in it gets. */
export function summarise(commands: readonly SimpleCommandDecision[], unreadable: string | undefined, unmatched: 'ask' | 'deny'): Decision {
  const first = (decision: Decision['decision']): SimpleCommandDecision | undefined =>
    commands.find(command => command.decision === decision)
  const deciding = first('deny') ?? first('ask')
  if (deciding) return { ...pick(deciding), decision: deciding.decision, commands }
  const allowing = commands.find(command => command.rule !== undefined) ?? commands[0]
  if (allowing) return { ...pick(allowing), decision: 'allow', commands }
  return { decision: unreadable ? 'ask' : unmatched, reason: unreadable ?? 'No command can be found in it', commands }
}

function pick({ reason, rule, source }: SimpleCommandDecision): Pick<Decision, 'reason' | 'rule' | 'source'> {
  return { reason, ...(rule === undefined ? {} : { rule }), ...(source === undefined ? {} : { source }) }
}
