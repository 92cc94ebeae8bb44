// Checks how a model is reached, strictly, when a task has come into the thread. The text of a fault names fields, never what stands in them:
// one of them is the key.

import { z } from 'zod'
import { SkillcellError } from '../errors.ts'
import type { ModelConnection } from '../models/connection.ts'
import type { Effort } from '../models/model.ts'

const connectionSchema: z.ZodType<ModelConnection> = z.union([
  z.strictObject({
    provider: z.enum(['anthropic', 'openai']),
    modelId: z.string().min(1),
    baseUrl: z.string().optional(),
    apiKey: z.string().optional(),
  }),
  z.strictObject({ provider: z.literal('script'), file: z.string(), content: z.string() }),
])

/** @throws {SkillcellError} INTERNAL, since the host made it. */
export function readConnection(value: unknown): ModelConnection {
  const parsed = connectionSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new SkillcellError('INTERNAL', 'Cannot reach a model: the task of the agent does not say how')
}

const efforts: ReadonlySet<string> = new Set<Effort>(['low', 'medium', 'high', 'xhigh', 'max'])

/** A level, or thinking tokens (SPEC R8.7); what is neither says nothing. */
export function readEffort(text: string | undefined): Effort | number | undefined {
  if (text === undefined) return undefined
  if (efforts.has(text)) return text as Effort
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

const minKeyChars = 6

/** Hides a key wherever it stands in a text: the last guard before a fault leaves the thread. */
export function keyHider(connection: ModelConnection): (text: string) => string {
  const key = connection.provider === 'script' ? undefined : connection.apiKey
  // Shorter ones are stand-ins of a test or a local server, and are parts of words.
  return text => (key && key.length >= minKeyChars ? text.replaceAll(key, '[key]') : text)
}
