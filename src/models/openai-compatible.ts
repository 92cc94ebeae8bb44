// Any server with OpenAI's chat completions: its own, and the many that speak the same.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { connectionName } from './connection.ts'
import { openaiEffort } from './effort.ts'
import { endpointOf, type ServerConnection } from './endpoint.ts'
import type { Model } from './model.ts'
import { createSdkModel } from './sdk-model.ts'
import type { ModelSettings } from './settings.ts'

/** The name that the SDK files its options and data under. */
const name = 'openai'

export function createOpenaiModel(connection: ServerConnection, settings: ModelSettings): Model {
  const { baseUrl, apiKey } = endpointOf(connection)
  // Its reasoning models refuse `max_tokens`; other servers know nothing else.
  const isOpenai = new URL(baseUrl).hostname === 'api.openai.com'
  return createSdkModel(
    {
      name: connectionName(connection),
      provider: 'openai',
      apiKey,
      open: fetch =>
        createOpenAICompatible({
          name,
          baseURL: baseUrl,
          ...(apiKey !== undefined && { apiKey }),
          fetch,
          includeUsage: true,
          ...(isOpenai && { transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }) }),
        }).languageModel(connection.modelId),
      wording: ({ effort }, withEffort) => ({
        provider: name,
        hasErrorFlag: false,
        providerOptions: { [name]: withEffort && effort !== undefined ? { reasoningEffort: openaiEffort(effort) } : {} },
      }),
    },
    settings,
  )
}
