// One turn as a line of a `script:` file: what was said, and what a later request must still be like. Replaying it gives the same texts,
// calls, usage and end. Thinking is not kept, nor what a provider wants back of it.

import type { ModelPart, ModelRequest } from './model.ts'
import { expectedResult, stablePieces } from './record-expectation.ts'
import { lastUserText, newResults } from './script-difference.ts'
import type { Reply, ScriptTurn } from './script-file.ts'

/** JSON without a newline. A turn that did not come to its end is recorded as one that fails. */
export function recordTurn(request: ModelRequest, parts: readonly ModelPart[]): string {
  const pieces = stablePieces(lastUserText(request) ?? '')
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
    expect: { ...(pieces.length > 0 && { lastUserIncludes: pieces }), toolResults: newResults(request).map(expectedResult) },
    reply,
    ...(finish === undefined ? { error: { message: 'The recorded turn did not come to its end' } } : endOf(finish, reply)),
  }
  return JSON.stringify(turn)
}

function endOf({ usage, reason }: Extract<ModelPart, { type: 'finish' }>, reply: readonly Reply[]): Partial<ScriptTurn> {
  const usual = reply.some(each => 'toolCall' in each) ? 'tool-calls' : 'end'
  return { usage, ...(reason !== usual && { finish: reason }) }
}
