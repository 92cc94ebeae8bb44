// A request in the terms of the AI SDK. Pure. What providers refuse is kept from them here: half characters, empty texts, an answer
// without content, an input that is no object.

import { wellFormed } from '../cut-text.ts'
import type { ModelMessage, ModelRequest } from './model.ts'
import { contentOf, objectInput } from './provider-data.ts'
import type { SdkCall, SdkContent, SdkOptions, SdkPrompt } from './sdk.ts'

type Message = SdkPrompt[number]

export interface Wording {
  /** Whose providerData is taken back. */
  readonly provider: string
  readonly providerOptions: SdkOptions
  /** The wire format has a flag for a failed tool call; without one the text says it. */
  readonly hasErrorFlag: boolean
  /** Put on the system text and the newest message: what stands before was sent before, and without it is paid in full each turn. */
  readonly cacheMark?: SdkOptions
}

export function sdkCall(request: ModelRequest, wording: Wording, abortSignal: AbortSignal): SdkCall {
  const mark = wording.cacheMark && { providerOptions: wording.cacheMark }
  const system: Message[] = request.system === '' ? [] : [{ role: 'system', content: wellFormed(request.system), ...mark }]
  const messages = request.messages.flatMap(message => messageOf(message, wording))
  const newest = messages.at(-1)
  return {
    prompt: [...system, ...messages.slice(0, -1), ...(newest === undefined ? [] : [{ ...newest, ...mark }])],
    maxOutputTokens: request.maxOutputTokens,
    tools: request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function' as const,
      name,
      description: wellFormed(description),
      inputSchema,
    })),
    providerOptions: wording.providerOptions,
    abortSignal,
  }
}

function messageOf(message: ModelMessage, wording: Wording): readonly Message[] {
  if (message.role === 'user') return [{ role: 'user', content: [{ type: 'text', text: filled(wellFormed(message.text)) }] }]
  if (message.role === 'assistant') {
    const content = contentOf(message.providerData, wording.provider, message.toolCalls) ?? plainContent(message)
    return content.length === 0 ? [] : [{ role: 'assistant', content: [...content] }]
  }
  if (message.results.length === 0) return []
  return [
    {
      role: 'tool',
      content: message.results.map(({ id, name, output, isError }) => ({
        type: 'tool-result' as const,
        toolCallId: id,
        toolName: name,
        output: resultOf(wellFormed(output), isError, wording.hasErrorFlag),
      })),
    },
  ]
}

function plainContent({ text, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>): readonly SdkContent[] {
  const said: SdkContent[] = text.trim() === '' ? [] : [{ type: 'text', text: wellFormed(text) }]
  const calls = toolCalls.map(({ id, name, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: objectInput(input),
  }))
  return [...said, ...calls]
}

function resultOf(value: string, isError: boolean, hasErrorFlag: boolean): { type: 'text' | 'error-text'; value: string } {
  if (!isError) return { type: 'text', value }
  return { type: 'error-text', value: hasErrorFlag || /^\W*error\b/i.test(value) ? filled(value) : `Error: ${filled(value)}` }
}

function filled(text: string): string {
  return text.trim() === '' ? '(no text)' : text
}
