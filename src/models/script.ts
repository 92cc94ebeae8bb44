// A model that says what a file tells it to (SPEC R16.7; the format is in script-file.ts). Strict: a request that is not the expected one,
// or one more than the script has turns for, is MODEL_MISMATCH with both sides. Text comes in small pieces, so that streaming is real.

import { cutText } from '../cut-text.ts'
import { SkillcellError } from '../errors.ts'
import { connectionName, type ModelConnection } from './connection.ts'
import type { Model, ModelPart, ModelRequest } from './model.ts'
import { delay } from './patience.ts'
import { differenceOf } from './script-difference.ts'
import { type NumberedTurn, parseScript, type Reply, type ScriptTurn } from './script-file.ts'

/** Short enough that a word is two pieces; a long text has at most as many pieces as this. */
const pieceChars = 12
const maxPieces = 250

/** @throws {SkillcellError} MODEL_UNAVAILABLE for a file that is not a script. */
export function createScriptModel(connection: Extract<ModelConnection, { provider: 'script' }>): Model {
  const turns = parseScript(connection.content, connection.file)
  const name = connectionName(connection)
  let next = 0
  return {
    name,
    unusedTurns: () => turns.length - next,
    async *stream(request) {
      request.signal.throwIfAborted()
      const found = turns[next]
      const difference = found === undefined ? `it has ${countOf(turns)} and is asked for one more` : differenceOf(found.turn, request)
      if (found === undefined || difference !== undefined) throw mismatch(name, found, difference ?? '')
      next++
      yield* speak(found, name, request)
    },
  }
}

async function* speak({ turn, line }: NumberedTurn, name: string, { signal }: ModelRequest): AsyncGenerator<ModelPart> {
  if (turn.delayMs !== undefined) await delay(turn.delayMs, signal)
  const replies = turn.reply ?? []
  let calls = 0
  for (const reply of replies) {
    for (const part of partsOf(reply, `call_${line}_${calls + 1}`)) {
      // Lets the world turn between two pieces, as a server would: an abort comes through.
      await new Promise(resolve => setImmediate(resolve))
      signal.throwIfAborted()
      if (part.type === 'tool-call') calls++
      yield part
    }
  }
  signal.throwIfAborted()
  if (turn.error !== undefined) throw failure(turn.error, name)
  yield {
    type: 'finish',
    reason: turn.finish ?? (calls > 0 ? 'tool-calls' : 'end'),
    usage: turn.usage ?? { inputTokens: 0, outputTokens: 0 },
  }
}

function partsOf(reply: Reply, id: string): readonly ModelPart[] {
  if ('toolCall' in reply) return [{ type: 'tool-call', call: { id, name: reply.toolCall.name, input: reply.toolCall.input } }]
  return piecesOf(reply.text).map(text => ({ type: 'text', text }))
}

function piecesOf(text: string): readonly string[] {
  // One more, since a cut between characters may give one less.
  const size = Math.max(pieceChars, Math.ceil(text.length / maxPieces) + 1)
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? size) pieces.push(cutText(text.slice(from), size))
  return pieces
}

function failure({ message, status }: NonNullable<ScriptTurn['error']>, name: string): SkillcellError {
  const said = status === undefined ? message : `status ${status}: ${message}`
  return new SkillcellError('MODEL_FAILED', `Cannot get an answer of "${name}": ${said}`, {
    details: { provider: 'script', model: name, attempts: 1, ...(status !== undefined && { status }) },
  })
}

function mismatch(name: string, found: NumberedTurn | undefined, difference: string): SkillcellError {
  const where = found === undefined ? '' : ` at line ${found.line}`
  return new SkillcellError('MODEL_MISMATCH', `Cannot go on with "${name}"${where}: ${difference}`, {
    details: { model: name, ...(found !== undefined && { line: found.line }) },
  })
}

function countOf(turns: readonly unknown[]): string {
  return turns.length === 1 ? '1 turn' : `${turns.length} turns`
}
