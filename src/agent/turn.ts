// One turn of a model: streams it, hands on the text as it comes, and gives the whole. It goes no faster than the host reads.

import { SkillcellError } from '../errors.ts'
import type { Model, ModelPart, ModelRequest, ModelUsage, ToolCall } from '../models/model.ts'
import type { AgentEvent } from '../protocol/agent-task.ts'

export interface Turn {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly reason: 'end' | 'tool-calls' | 'max-tokens' | 'refusal' | 'other'
  readonly usage: ModelUsage
  readonly providerData?: unknown
  /** Only where the turn is recorded. */
  readonly parts: readonly ModelPart[]
}

export interface TurnOptions {
  readonly agentId?: string
  readonly isRecording: boolean
  readonly emit: (event: AgentEvent) => Promise<void> | undefined
  /** For texts of a provider. */
  readonly hideKey: (text: string) => string
}

/** @throws {SkillcellError} what the model throws, MODEL_FAILED for a turn without its end; the reason of the request's signal. */
export async function streamTurn(model: Model, request: ModelRequest, options: TurnOptions): Promise<Turn> {
  const { isRecording, emit, hideKey } = options
  const from = options.agentId === undefined ? {} : { agentId: options.agentId }
  const parts: ModelPart[] = []
  const toolCalls: ToolCall[] = []
  const texts: string[] = []
  let finish: Extract<ModelPart, { type: 'finish' }> | undefined
  for await (const part of model.stream(request)) {
    request.signal.throwIfAborted()
    if (isRecording) parts.push(part)
    let told: Promise<void> | undefined
    if (part.type === 'text') {
      if (part.text === '') continue
      texts.push(part.text)
      told = emit({ type: 'text.delta', ...from, text: part.text })
    } else if (part.type === 'tool-call') toolCalls.push(part.call)
    else if (part.type === 'retry') {
      const { attempt, delayMs, reason } = part
      told = emit({ type: 'model.retried', ...from, attempt, delayMs, reason: hideKey(reason) })
    } else finish = part
    if (told) await told
  }
  request.signal.throwIfAborted()
  if (!finish) throw new SkillcellError('MODEL_FAILED', `Cannot use the answer of ${model.name}: it broke off without an end`)
  const { reason, usage, providerData } = finish
  return { text: texts.join(''), toolCalls, reason, usage, ...(providerData !== undefined && { providerData }), parts }
}
