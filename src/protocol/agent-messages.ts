// What host and agent thread say to each other, both ways: checked on arrival, versioned, plain data. A message that does not fit is refused
// and ends the run; nothing is guessed at. What the data means is in agent-task.ts, who waits for whom in channel.ts.

import { z } from 'zod'
import { SkillcellError } from '../errors.ts'
import type { AgentEvent, AgentOutcome, AgentTask, StopReply, TextReply, ToolReply, ToolRequest } from './agent-task.ts'
import { protocolVersion } from './messages.ts'
import { isErrorCode, type WireError } from './wire-error.ts'

interface Versioned {
  readonly version: typeof protocolVersion
}

/** What the thread asks of the host. `agentId` absent: the root's. */
export type AgentCall =
  | { readonly method: 'tool'; readonly request: ToolRequest }
  | { readonly method: 'stop'; readonly agentId?: string; readonly outcome: AgentOutcome }
  /** A fork inside the fork has ended: the host makes of it what the calling model reads. */
  | { readonly method: 'nested'; readonly agentId: string; readonly outcome: AgentOutcome }

export type AgentReply =
  | { readonly method: 'tool'; readonly value: ToolReply }
  | { readonly method: 'stop'; readonly value: StopReply }
  | { readonly method: 'nested'; readonly value: TextReply }

export type HostMessage = Versioned &
  (
    | { readonly type: 'agent.start'; readonly task: AgentTask }
    | { readonly type: 'agent.abort'; readonly error: WireError }
    | { readonly type: 'call.reply'; readonly id: number; readonly reply: AgentReply }
    | { readonly type: 'call.failed'; readonly id: number; readonly error: WireError }
    /** So many more lists of events may be sent. */
    | { readonly type: 'credit'; readonly count: number }
  )

export type ThreadMessage = Versioned &
  (
    | { readonly type: 'agent.event'; readonly events: readonly AgentEvent[] }
    | { readonly type: 'call.request'; readonly id: number; readonly call: AgentCall }
    /** Nobody waits for the answer any more: the act may be stopped. */
    | { readonly type: 'call.cancel'; readonly id: number }
    | { readonly type: 'agent.finished'; readonly outcome: AgentOutcome }
    | { readonly type: 'agent.failed'; readonly error: WireError }
  )

/** How many lists of events may be on their way before the host has handled one. */
export const eventCredit = 16

const version = z.literal(protocolVersion)
const count = z.number().int().min(0)
const tokens = z.number().min(0)
const agentId = z.string().optional()
const ended = z.enum(['completed', 'max-turns', 'max-tokens', 'max-output-tokens', 'refusal'])

const wireErrorSchema: z.ZodType<WireError> = z.strictObject({
  code: z.custom<WireError['code']>(isErrorCode),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
})

const taskSchema: z.ZodType<AgentTask> = z.strictObject({
  agentId: z.string().min(1),
  agentType: z.string(),
  skill: z.string(),
  system: z.string(),
  prompt: z.string(),
  tools: z.array(z.string()),
  skillListing: z.string(),
  // Its fields are the models': agent/connection.ts checks them, strictly, before one is called.
  model: z.record(z.string(), z.unknown()),
  effort: z.string().optional(),
  budget: z.strictObject({ maxTurns: count, maxTokens: count, maxOutputTokens: z.number().int().min(1) }),
  isRecording: z.boolean(),
})

const outcomeSchema: z.ZodType<AgentOutcome> = z.strictObject({
  text: z.string(),
  ended,
  turns: count,
  toolCalls: count,
  inputTokens: tokens,
  outputTokens: tokens,
})

const eventSchema: z.ZodType<AgentEvent> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('agent.started'), agentId, agentType: z.string(), skill: z.string(), model: z.string() }),
  z.strictObject({ type: z.literal('text.delta'), agentId, text: z.string() }),
  z.strictObject({ type: z.literal('tool.started'), agentId, callId: z.string(), tool: z.string(), parameter: z.string() }),
  z.strictObject({
    type: z.literal('tool.finished'),
    agentId,
    callId: z.string(),
    tool: z.string(),
    isError: z.boolean(),
    reason: z.string().max(200).optional(),
    outputChars: count,
    durationMs: z.number().min(0),
  }),
  z.strictObject({
    type: z.literal('usage'),
    agentId,
    inputTokens: tokens,
    outputTokens: tokens,
    totalTokens: tokens,
    totalToolCalls: count,
  }),
  z.strictObject({ type: z.literal('model.retried'), agentId, attempt: count, delayMs: z.number().min(0), reason: z.string() }),
  z.strictObject({ type: z.literal('agent.finished'), agentId, ended, turns: count }),
  z.strictObject({ type: z.literal('turn.recorded'), line: z.string() }),
])

const callSchema: z.ZodType<AgentCall> = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('tool'),
    request: z.strictObject({ agentId, callId: z.string().min(1), tool: z.string(), input: z.unknown() }),
  }),
  z.strictObject({ method: z.literal('stop'), agentId, outcome: outcomeSchema }),
  z.strictObject({ method: z.literal('nested'), agentId: z.string().min(1), outcome: outcomeSchema }),
])

const textSchema: z.ZodType<TextReply> = z.strictObject({ type: z.literal('text'), output: z.string(), isError: z.boolean() })

const replySchema: z.ZodType<AgentReply> = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('tool'),
    value: z.union([textSchema, z.strictObject({ type: z.literal('agent'), task: taskSchema })]),
  }),
  z.strictObject({ method: z.literal('stop'), value: z.strictObject({ continueWith: z.string().optional() }) }),
  z.strictObject({ method: z.literal('nested'), value: textSchema }),
])

const hostMessageSchema: z.ZodType<HostMessage> = z.discriminatedUnion('type', [
  z.strictObject({ version, type: z.literal('agent.start'), task: taskSchema }),
  z.strictObject({ version, type: z.literal('agent.abort'), error: wireErrorSchema }),
  z.strictObject({ version, type: z.literal('call.reply'), id: count, reply: replySchema }),
  z.strictObject({ version, type: z.literal('call.failed'), id: count, error: wireErrorSchema }),
  z.strictObject({ version, type: z.literal('credit'), count: z.number().int().min(1).max(eventCredit) }),
])

const threadMessageSchema: z.ZodType<ThreadMessage> = z.discriminatedUnion('type', [
  z.strictObject({ version, type: z.literal('agent.event'), events: z.array(eventSchema).min(1) }),
  z.strictObject({ version, type: z.literal('call.request'), id: count, call: callSchema }),
  z.strictObject({ version, type: z.literal('call.cancel'), id: count }),
  z.strictObject({ version, type: z.literal('agent.finished'), outcome: outcomeSchema }),
  z.strictObject({ version, type: z.literal('agent.failed'), error: wireErrorSchema }),
])

/** @throws {SkillcellError} INTERNAL, since both ends are ours. */
export function parseHostMessage(value: unknown): HostMessage {
  return parse(hostMessageSchema, value, 'a message to an agent thread')
}

/** @throws {SkillcellError} INTERNAL, since both ends are ours. */
export function parseThreadMessage(value: unknown): ThreadMessage {
  return parse(threadMessageSchema, value, 'a message of an agent thread')
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // Where it is wrong, never what stands there: prompts and keys cross here.
  const places = parsed.error.issues.map(({ path, code }) => `${path.map(String).join('.') || 'message'}: ${code}`)
  throw new SkillcellError('INTERNAL', `Cannot read ${what}: ${places.slice(0, 5).join('; ')}`)
}
