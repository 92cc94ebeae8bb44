// One turn as a line of a `script:` file: what was said, and what a later request must still be like. Replaying it gives the same texts,
// calls, usage and end. Thinking is not kept, nor what a provider wants back of it.

import type { ModelPart, ModelRequest } from './model.ts'
import { lastUserText, newResults } from './script-difference.ts'
import type { Reply, ScriptTurn } from './script-file.ts'

/** Long enough to tell one prompt from another, short enough to survive an edit elsewhere in it. */
const maxPieceChars = 80
/** A piece is looked for in the head of the prompt: what comes later is mostly output of commands. */
const searchedLines = 40
const searchedChars = 8_000

/** JSON without a newline. A turn that did not come to its end is recorded as one that fails. */
export function recordTurn(request: ModelRequest, parts: readonly ModelPart[]): string {
  const piece = stablePiece(lastUserText(request) ?? '')
  const reply: Reply[] = []
  let text = ''
  const endText = (): void => {
    if (text !== '') reply.push({ text })
    text = ''
  }
  for (const part of parts) {
    if (part.type === 'text') text += part.text
    if (part.type !== 'tool-call') continue
    endText()
    // JSON has no undefined; a call without input is one with no parameters.
    reply.push({ toolCall: { name: part.call.name, input: part.call.input === undefined ? {} : part.call.input } })
  }
  endText()
  const finish = parts.find(part => part.type === 'finish')
  const turn: ScriptTurn = {
    expect: { ...(piece !== '' && { lastUserIncludes: piece }), toolResults: newResults(request).map(({ name }) => ({ name })) },
    reply,
    ...(finish === undefined ? { error: { message: 'The recorded turn did not come to its end' } } : endOf(finish, reply)),
  }
  return JSON.stringify(turn)
}

function endOf({ usage, reason }: Extract<ModelPart, { type: 'finish' }>, reply: readonly Reply[]): Partial<ScriptTurn> {
  const usual = reply.some(each => 'toolCall' in each) ? 'tool-calls' : 'end'
  return { usage, ...(reason !== usual && { finish: reason }) }
}

/**
 * A literal piece of the text that will stand in it on another day and another machine: the longest, from one line, without what looks
 * like a path, an address, a date, a number or an id. '' when there is none.
 */
export function stablePiece(text: string): string {
  const lines = text.slice(0, searchedChars).split(/[\r\n]+/, searchedLines)
  // A word with a slash, a digit or an @ ends a piece.
  const pieces = lines.flatMap(line => line.split(/\S*[\d/\\@~$]\S*/)).map(piece => bounded(piece.trim()).trim())
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '')
}

/** Cut between characters. */
function bounded(text: string): string {
  return text.slice(0, maxPieceChars).replace(/[\ud800-\udbff]$/, '')
}
