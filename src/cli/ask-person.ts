// The question on a terminal: what would run, and once, always, or no. It speaks to stderr, since stdout carries the prompt.

import type { AskAnswer, AskRequest, OnAsk } from '../ask.ts'
import { visibleText } from '../visible-text.ts'
import { oneLine } from './output.ts'

/** Nobody is asked where nobody can see the question, or with --no-input. */
export function askPerson(input: boolean): OnAsk | undefined {
  if (!input || !process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return ask
}

async function ask({ command, simpleCommands, proposedRules, source, reason, signal }: AskRequest): Promise<AskAnswer> {
  const { isCancel, note, select } = await import('@clack/prompts')
  const output = process.stderr
  // Shown to the last character: a newline ends a command.
  const lines = [visibleText(command), '', `asked by ${oneLine(source)}`, `because  ${oneLine(reason)}`]
  if (simpleCommands.length > 1) lines.push('', ...simpleCommands.map(each => `· ${visibleText(each)}`))
  note(lines.join('\n'), 'A skill wants to run a command', { output })
  const always =
    proposedRules.length > 0 ? [{ value: 'always' as const, label: `Always: ${proposedRules.map(visibleText).join(', ')}` }] : []
  const answer = await select({
    message: 'Allow it?',
    options: [{ value: 'once' as const, label: 'Once' }, ...always, { value: 'deny' as const, label: 'No' }],
    initialValue: 'deny' as const,
    output,
    signal,
  })
  return { answer: isCancel(answer) ? 'deny' : answer }
}
