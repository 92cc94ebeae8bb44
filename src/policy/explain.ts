// A decision as a picture in text: the simple commands as a tree, each with its answer, the rule and where the rule stands.

import { visibleText } from '../visible-text.ts'
import type { Decision, DecisionKind, SimpleCommandDecision } from './decision.ts'

const marks: Readonly<Record<DecisionKind, string>> = { allow: 'allow', ask: 'ask  ', deny: 'deny ' }

/** Several lines, no colours, control characters shown escaped. */
export function explainDecision(command: string, decision: Decision): string {
  const lines = [`${decision.decision.toUpperCase()}  ${command}`, `  because ${decision.reason}`]
  if (decision.rule !== undefined) lines.push(`  rule    ${decision.rule}`)
  if (decision.source !== undefined) lines.push(`  from    ${decision.source}`)
  lines.push('')
  addBranches(decision.commands, '', lines)
  return lines.map(visibleText).join('\n')
}

function addBranches(commands: readonly SimpleCommandDecision[], indent: string, lines: string[]): void {
  for (const [index, each] of commands.entries()) {
    const last = index === commands.length - 1
    lines.push(
      `${indent}${last ? '└─' : '├─'} ${marks[each.decision]} ${each.argv.length > 0 ? each.argv.map(quoted).join(' ') : each.text}`,
    )
    const below = `${indent}${last ? '   ' : '│  '}`
    lines.push(
      `${below}      ${each.rule === undefined ? each.reason : `${each.rule}${each.source === undefined ? '' : ` (${each.source})`}${each.decision === 'allow' ? '' : `: ${each.reason}`}`}`,
    )
    if (each.inner) addBranches(each.inner, below, lines)
  }
}

/** As the decision saw it: one word in quotes where a blank or sign stands in it. */
function quoted(word: string): string {
  return /^[\w./:@%+,=~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
