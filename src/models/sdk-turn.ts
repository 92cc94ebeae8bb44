// Reads the stream of one call and says it as our parts. Text goes on as it comes; calls wait for the end of the turn, so that an answer
// that is cut off never starts a tool. Throws what the stream holds as an error.

import { wellFormed } from '../cut-text.ts'
import { cutOff, modelFault } from './fault.ts'
import type { ModelPart, ModelUsage, ToolCall } from './model.ts'
import { providerDataOf, type TurnContent } from './provider-data.ts'
import type { SdkOptions, SdkPart } from './sdk.ts'

type Finish = Extract<SdkPart, { type: 'finish' }>

/** An error that the stream gave as a part. */
export class StreamedError extends Error {
  readonly given: unknown

  constructor(given: unknown) {
    super('The stream holds an error')
    this.given = given
  }
}

interface TurnReaderOptions {
  readonly provider: string
  /** Where the server counts nothing: a budget of tokens must still end some day. */
  readonly estimateInputTokens: () => number
}

interface TurnReader {
  /** The parts that one part of the SDK stands for; often none. */
  take(part: SdkPart): readonly ModelPart[]
  /** The last parts. @throws when the stream ended before its end. */
  finish(): readonly ModelPart[]
}

export function createTurnReader({ provider, estimateInputTokens }: TurnReaderOptions): TurnReader {
  const content: TurnContent[] = []
  const open = new Map<string, TurnContent>()
  const calls: ToolCall[] = []
  let end: Finish | undefined

  const block = (key: string, make: () => TurnContent): TurnContent => {
    const known = open.get(key)
    if (known !== undefined) return known
    const made = make()
    open.set(key, made)
    content.push(made)
    return made
  }
  const thinking = (id: string, delta: string, metadata: SdkOptions | undefined): void => {
    const part = block(`reasoning ${id}`, () => ({ type: 'reasoning', text: '' }))
    if (part.type !== 'reasoning') return
    part.text += delta
    if (metadata !== undefined) part.providerOptions = merged(part.providerOptions, metadata)
  }

  return {
    take(part) {
      if (part.type === 'error') throw part.error instanceof Error ? part.error : new StreamedError(part.error)
      if (part.type === 'text-delta' && part.delta !== '') {
        const said = block(`text ${part.id}`, () => ({ type: 'text', text: '' }))
        if (said.type === 'text') said.text += part.delta
        return [{ type: 'text', text: part.delta }]
      }
      if (part.type === 'reasoning-start') thinking(part.id, '', part.providerMetadata)
      if (part.type === 'reasoning-delta') thinking(part.id, part.delta, part.providerMetadata)
      if (part.type === 'reasoning-end') thinking(part.id, '', part.providerMetadata)
      // A server may use one id again for the next block.
      if (part.type === 'text-end') open.delete(`text ${part.id}`)
      if (part.type === 'reasoning-end') open.delete(`reasoning ${part.id}`)
      if (part.type === 'tool-call') {
        const call = { id: part.toolCallId, name: part.toolName, input: parsedInput(part.input) }
        if (call.id === '' || calls.some(({ id }) => id === call.id)) call.id = `call_${calls.length + 1}_${crypto.randomUUID()}`
        calls.push(call)
        const providerOptions = part.providerMetadata && merged(undefined, part.providerMetadata)
        content.push({
          type: 'tool-call',
          toolCallId: call.id,
          toolName: call.name,
          input: call.input,
          ...(providerOptions && { providerOptions }),
        })
      }
      if (part.type === 'finish') end = part
      return []
    },
    finish() {
      if (end === undefined) throw modelFault(cutOff, true)
      const providerData = providerDataOf(provider, content)
      return [
        ...calls.map(call => ({ type: 'tool-call' as const, call })),
        {
          type: 'finish',
          reason: reasonOf(end, calls.length),
          usage: usageOf(end, content, estimateInputTokens),
          ...(providerData !== undefined && { providerData }),
        },
      ]
    },
  }
}

function reasonOf({ finishReason }: Finish, calls: number): Extract<ModelPart, { type: 'finish' }>['reason'] {
  if (finishReason.unified === 'length') return 'max-tokens'
  if (finishReason.unified === 'content-filter') return 'refusal'
  // Many servers say "stop" though there are calls, and some "tool_calls" though there are none.
  if (calls > 0) return 'tool-calls'
  return finishReason.unified === 'stop' || finishReason.unified === 'tool-calls' ? 'end' : 'other'
}

/** Cached tokens are input too: they fill the same window. */
function usageOf({ usage }: Finish, content: readonly TurnContent[], estimateInputTokens: () => number): ModelUsage {
  return {
    inputTokens: usage.inputTokens.total ?? estimateInputTokens(),
    outputTokens: usage.outputTokens.total ?? estimateTokens(content),
  }
}

/** About four characters a token. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4)
}

/** As JSON; no text at all is a call without parameters; what is no JSON stays the text that it is. */
function parsedInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? wellFormed(value) : value))
  } catch {
    return text
  }
}

function merged(known: SdkOptions | undefined, more: SdkOptions): SdkOptions {
  const result = { ...known }
  for (const [name, values] of Object.entries(more)) result[name] = { ...result[name], ...values }
  return result
}
