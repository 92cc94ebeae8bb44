// Whether one rule fits a call of a tool, by the matcher that decides: as a deny rule would, behind wrappers and through links.

import { type DecisionContext, decideCommand } from './decide.ts'
import type { Policy } from './load.ts'
import { readRule } from './rule.ts'
import { decideTool, type ToolRequest } from './tool-decision.ts'

/** A rule that cannot be read fits everything: whoever asks wants to forbid. */
export function matchesCall(
  policy: Policy,
  text: string,
  call: ToolRequest | { readonly tool: 'Bash'; readonly command: string },
  context: Omit<DecisionContext, 'grants' | 'denials'>,
): boolean {
  const read = readRule([text], { source: 'if', root: context.workspace })
  if ('problem' in read) return true
  const only = { ...policy, rules: { ...policy.rules, allow: [], ask: [], deny: [read.rule] } }
  const decided =
    'command' in call ? decideCommand(only, call.command, { ...context, grants: [] }) : decideTool(only, call, { ...context, grants: [] })
  return decided.decision === 'deny' && decided.rule !== undefined
}
