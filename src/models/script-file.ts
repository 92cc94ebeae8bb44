// The format of a `script:` file (SPEC R16.7): JSON lines, one turn of the model each, strict. A line is an object:
//
//   expect.lastUserIncludes  text that the newest user message must hold; a list: all of them
//   expect.toolResults       the results that came in since the last turn, all of them and in order; [] for none. Each is a text that the
//                            result must hold, or {name?, includes?, equals?, isError?}: whatever is given must be so
//   reply                    what the model says, in order: {text} or {toolCall: {name, input}}
//   usage                    {inputTokens, outputTokens}; without it the turn counts nothing
//   finish                   why it ended; without it "tool-calls" when there are calls, else "end"
//   delayMs                  wait before the first word, at most 60,000
//   error                    {message, status?}: after what is in `reply`, the turn fails
//
// One of `reply` and `error` must be there. Blank lines say nothing and are passed over; there are no comments, as in all JSON.

import { z } from 'zod'
import { messageOf, SkillcellError } from '../errors.ts'

export interface ExpectedResult {
  readonly name?: string | undefined
  readonly includes?: string | undefined
  readonly equals?: string | undefined
  readonly isError?: boolean | undefined
}

export type Reply = { readonly text: string } | { readonly toolCall: { readonly name: string; readonly input?: unknown } }

export interface ScriptTurn {
  readonly expect?:
    | {
        readonly lastUserIncludes?: string | readonly string[] | undefined
        readonly toolResults?: readonly (string | ExpectedResult)[] | undefined
      }
    | undefined
  readonly reply?: readonly Reply[] | undefined
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined
  readonly finish?: 'end' | 'tool-calls' | 'max-tokens' | 'refusal' | 'other' | undefined
  readonly delayMs?: number | undefined
  readonly error?: { readonly message: string; readonly status?: number | undefined } | undefined
}

/** A turn and the line that it stands in, counted from 1. */
export interface NumberedTurn {
  readonly line: number
  readonly turn: ScriptTurn
}

const text = z.string()
const count = z.number().int().min(0)

const turnSchema: z.ZodType<ScriptTurn> = z
  .strictObject({
    expect: z
      .strictObject({
        lastUserIncludes: z.union([text, z.array(text)]).optional(),
        toolResults: z
          .array(
            z.union([
              text,
              z.strictObject({
                name: text.optional(),
                includes: text.optional(),
                equals: text.optional(),
                isError: z.boolean().optional(),
              }),
            ]),
          )
          .optional(),
      })
      .optional(),
    reply: z
      .array(z.union([z.strictObject({ text }), z.strictObject({ toolCall: z.strictObject({ name: text.min(1), input: z.unknown() }) })]))
      .optional(),
    usage: z.strictObject({ inputTokens: count, outputTokens: count }).optional(),
    finish: z.enum(['end', 'tool-calls', 'max-tokens', 'refusal', 'other']).optional(),
    delayMs: count.max(60_000).optional(),
    error: z.strictObject({ message: text, status: z.number().int().min(400).max(599).optional() }).optional(),
  })
  .refine(turn => turn.reply !== undefined || turn.error !== undefined, 'Needs "reply" or "error"')

/** @throws {SkillcellError} MODEL_UNAVAILABLE that names the file, the line and what is wrong there. */
export function parseScript(content: string, file: string): readonly NumberedTurn[] {
  const turns: NumberedTurn[] = []
  for (const [at, line] of content
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() !== '') turns.push({ line: at + 1, turn: parseTurn(line, file, at + 1) })
  }
  return turns
}

function parseTurn(line: string, file: string, number: number): ScriptTurn {
  const refuse = (why: string): SkillcellError =>
    new SkillcellError('MODEL_UNAVAILABLE', `Cannot use the script "${file}": line ${number} ${why}`, { details: { file, line: number } })
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw refuse(`is not JSON (${messageOf(error)})${/^\s*(#|\/\/)/.test(line) ? '; a script holds no comments' : ''}`)
  }
  const parsed = turnSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw refuse(`is not a turn: ${z.prettifyError(parsed.error).replaceAll('\n', ' ').replaceAll('✖ ', '')}`)
}
