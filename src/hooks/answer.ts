// What a hook said: its JSON, checked. A field that could forbid and cannot be read makes the whole answer unreadable;
// a field that has no effect here is noted. Nothing in an answer can allow more: `allow` and `approve` only mean that it does not object.

import { z } from 'zod'
import { cutText } from '../cut-text.ts'
import { messageOf } from '../errors.ts'
import { schemaProblem } from '../schema-problem.ts'
import { type HookEventName, hookEvents } from './hook.ts'

export interface HookAnswer {
  readonly decision: 'pass' | 'ask' | 'block'
  /** Why; of a `pass` it says nothing. */
  readonly reason?: string
  /** Replaces the whole input of the tool. The caller checks and decides it anew. */
  readonly updatedInput?: Readonly<Record<string, unknown>>
  readonly additionalContext?: string
  /** Ends the agent; why. */
  readonly stop?: string
  /** For the user. */
  readonly systemMessage?: string
  /** What of it had no effect, for people. */
  readonly notes: readonly string[]
}

/** Characters (UTF-16 units) that are kept of a text of a hook. */
export const maxAnswerChars = 10_000

const text = z.string().nullish()
const answerSchema = z.looseObject({
  continue: z.boolean().nullish(),
  stopReason: text,
  systemMessage: text,
  decision: z.enum(['approve', 'block']).nullish(),
  reason: text,
  hookSpecificOutput: z
    .looseObject({
      hookEventName: text,
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).nullish(),
      permissionDecisionReason: text,
      updatedInput: z.record(z.string(), z.unknown()).nullish(),
      additionalContext: text,
    })
    .nullish(),
})
const knownKeys = new Set([...Object.keys(answerSchema.shape), 'suppressOutput', 'terminalSequence'])
const knownSpecificKeys = new Set(['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'])

/** Reads the JSON text of an answer. */
export function readAnswer(event: HookEventName, json: string): HookAnswer | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { problem: `its answer is no JSON (${messageOf(error).slice(0, 200)})` }
  }
  const parsed = answerSchema.safeParse(value)
  if (!parsed.success) return { problem: `its answer cannot be used: ${schemaProblem(parsed.error).slice(0, 500)}` }
  const named = parsed.data.hookSpecificOutput?.hookEventName
  if (named !== undefined && named !== null && named !== event)
    return { problem: `its answer is for the event "${named.slice(0, 100)}", and this is ${event}` }
  return answerOf(event, parsed.data)
}

function answerOf(event: HookEventName, answer: z.infer<typeof answerSchema>): HookAnswer {
  const { hookSpecificOutput, systemMessage } = answer
  const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext } = hookSpecificOutput ?? {}
  const isPreTool = event === 'PreToolUse'
  const isAsk = permissionDecision === 'ask' || permissionDecision === 'defer'
  const isBlock = answer.decision === 'block' || permissionDecision === 'deny'
  const notes = [...unknownKeys(answer, knownKeys), ...unknownKeys(hookSpecificOutput ?? {}, knownSpecificKeys)].map(
    key => `"${key}" of its answer has no effect`,
  )
  if (isAsk && !isPreTool) notes.push(`"permissionDecision: ${permissionDecision}" of its answer has no effect: ${event} asks nobody`)
  if (updatedInput && !isPreTool) notes.push(`"updatedInput" of its answer has no effect: ${event} has no input to change`)
  if (isBlock && hookEvents[event].block === 'report') notes.push(`its answer blocks, and nothing can be blocked at ${event}`)
  const decision = isBlock ? 'block' : isAsk && isPreTool ? 'ask' : 'pass'
  const reason =
    (permissionDecision === 'deny' || isAsk ? permissionDecisionReason : undefined) ?? answer.reason ?? permissionDecisionReason
  return {
    decision,
    notes,
    ...(reason && { reason: capped(reason) }),
    ...(updatedInput && isPreTool && { updatedInput }),
    ...(additionalContext && { additionalContext: capped(additionalContext) }),
    ...(answer.continue === false && { stop: capped(answer.stopReason || 'it said that nothing goes on') }),
    ...(systemMessage && { systemMessage: capped(systemMessage) }),
  }
}

function unknownKeys(value: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): string[] {
  return Object.keys(value)
    .filter(key => !known.has(key))
    .slice(0, 20)
    .map(key => key.slice(0, 100))
}

/** The first 10,000 UTF-16 units, or one less where that would split a character, and how many are missing. */
export function capped(value: string): string {
  if (value.length <= maxAnswerChars) return value
  const kept = cutText(value, maxAnswerChars)
  return `${kept}… [+${value.length - kept.length} chars]`
}
