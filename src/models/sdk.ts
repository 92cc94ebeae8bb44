// The types of the AI SDK's model interface, taken from a provider package so that no further package is needed. Types only: nothing here
// loads the SDK.

import type { AnthropicProvider } from '@ai-sdk/anthropic'

export type SdkModel = ReturnType<AnthropicProvider['languageModel']>
export type SdkCall = Parameters<SdkModel['doStream']>[0]
export type SdkPrompt = SdkCall['prompt']
export type SdkOptions = NonNullable<SdkCall['providerOptions']>
type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream']
export type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never
export type SdkContent = Exclude<Extract<SdkPrompt[number], { role: 'assistant' }>['content'], string>[number]
