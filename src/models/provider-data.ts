// A turn as its provider wants to hear it again: thinking with its signature, in its order between texts and tool calls. Kept only where
// the plain text and calls would not do, and taken back only from the provider that made it and for the same calls.

import { z } from 'zod'
import { isRecord } from '../is-record.ts'
import type { ToolCall } from './model.ts'
import type { SdkContent, SdkOptions } from './sdk.ts'

export type TurnContent =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'reasoning'; text: string; providerOptions?: SdkOptions }
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly providerOptions?: SdkOptions
    }

const text = z.string()
const providerOptions = z.record(text, z.record(text, z.json())).optional()
const contentSchema: z.ZodType<TurnContent> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({ type: z.literal('reasoning'), text, providerOptions }),
  z.strictObject({ type: z.literal('tool-call'), toolCallId: text, toolName: text, input: z.unknown(), providerOptions }),
])
const dataSchema: z.ZodType<{ provider: string; content: TurnContent[] }> = z.strictObject({
  provider: text,
  content: z.array(contentSchema),
})

/** Undefined when text and calls say it all. */
export function providerDataOf(provider: string, content: readonly TurnContent[]): unknown {
  const isPlain = content.every(part => part.type === 'text' || (part.type === 'tool-call' && part.providerOptions === undefined))
  return isPlain ? undefined : { provider, content }
}

/** The content to say again, or undefined when the data is none of ours or does not belong to these calls. */
export function contentOf(providerData: unknown, provider: string, calls: readonly ToolCall[]): readonly SdkContent[] | undefined {
  const parsed = dataSchema.safeParse(providerData)
  if (!parsed.success || parsed.data.provider !== provider) return undefined
  // Compatible servers want their thinking back only around calls; some refuse it elsewhere.
  if (provider === 'openai' && calls.length === 0) return undefined
  const { content } = parsed.data
  const ids = content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))
  // An answer that lacks a call, or has one more, is refused by every provider.
  if (ids.length !== calls.length || ids.some((id, at) => id !== calls[at]?.id)) return undefined
  return content.map(part => {
    if (part.type !== 'tool-call') return part
    // The SDK gives Gemini's signature of a call under its own name, and looks for it under Google's.
    const signature = part.providerOptions?.[provider]?.thoughtSignature
    const google: SdkOptions = signature === undefined ? {} : { google: { thoughtSignature: signature } }
    return { ...part, input: objectInput(part.input), providerOptions: { ...part.providerOptions, ...google } }
  })
}

/** Providers take only objects as the input of a call; what a model gave instead is shown to it inside of one. */
export function objectInput(input: unknown): Readonly<Record<string, unknown>> {
  return isRecord(input) ? input : { input: input ?? null }
}
