// What host and expansion thread say to each other: one request, one answer, both checked on arrival.
// A message of another version is refused, not guessed at: an old thread may outlive an update of the files.

import { z } from 'zod'
import { type DialectName, dialects } from '../dialect.ts'
import type { Diagnostic } from '../errors.ts'
import { SkillcellError } from '../errors.ts'
import type { ExpansionPlan, ExpansionRequest } from '../expansion/plan.ts'
import { isErrorCode, type WireError } from './wire-error.ts'

export const protocolVersion = 1

export interface PlanMessage {
  readonly version: typeof protocolVersion
  readonly type: 'expansion.plan'
  readonly request: ExpansionRequest
}

export type PlanReply =
  | { readonly version: typeof protocolVersion; readonly type: 'expansion.planned'; readonly plan: ExpansionPlan }
  | { readonly version: typeof protocolVersion; readonly type: 'expansion.failed'; readonly error: WireError }

const version = z.literal(protocolVersion)
const texts = z.array(z.string())
const textMap = z.record(z.string(), z.string())
const count = z.number().int().min(0)

const requestSchema: z.ZodType<ExpansionRequest> = z.strictObject({
  body: z.string(),
  bodyLine: count,
  path: z.string(),
  kind: z.enum(['skill', 'command', 'agent']),
  argumentsText: z.string(),
  argumentsFile: z.string(),
  argumentNames: texts,
  hasArgumentHint: z.boolean(),
  argumentsBase: z.literal(0).optional(),
  skillDir: z.string(),
  pluginRoot: z.string().optional(),
  projectDir: z.string(),
  sessionId: z.string(),
  effort: z.string().optional(),
  dialect: z.enum(Object.keys(dialects) as [DialectName, ...DialectName[]]),
  maxExportedBytes: count,
})

const diagnosticSchema: z.ZodType<Diagnostic> = z.strictObject({
  code: z.string(),
  severity: z.enum(['note', 'warning', 'error']),
  message: z.string(),
  path: z.string().optional(),
  line: z.number().optional(),
  column: z.number().optional(),
})

const planSchema: z.ZodType<ExpansionPlan> = z.strictObject({
  segments: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: z.string() }),
      z.strictObject({ type: z.literal('command'), index: count }),
    ]),
  ),
  commands: z.array(
    z.strictObject({
      source: z.string(),
      script: z.string(),
      parameters: texts,
      variables: textMap,
      environment: textMap,
      decisionTexts: texts,
      refusal: z.string().optional(),
      line: count,
      column: count,
    }),
  ),
  diagnostics: z.array(diagnosticSchema),
})

const planMessageSchema: z.ZodType<PlanMessage> = z.strictObject({ version, type: z.literal('expansion.plan'), request: requestSchema })

const planReplySchema: z.ZodType<PlanReply> = z.discriminatedUnion('type', [
  z.strictObject({ version, type: z.literal('expansion.planned'), plan: planSchema }),
  z.strictObject({
    version,
    type: z.literal('expansion.failed'),
    error: z.strictObject({
      code: z.custom<WireError['code']>(isErrorCode),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  }),
])

/** @throws {SkillcellError} INTERNAL, since both ends are ours. */
export function parsePlanMessage(value: unknown): PlanMessage {
  return parse(planMessageSchema, value, 'the request of an expansion')
}

/** @throws {SkillcellError} INTERNAL, since both ends are ours. */
export function parsePlanReply(value: unknown): PlanReply {
  return parse(planReplySchema, value, 'the answer of an expansion thread')
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // The values stay out of the text: they are the user's.
  throw new SkillcellError('INTERNAL', `Cannot read ${what}: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}`)
}
