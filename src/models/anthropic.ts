// The Anthropic Messages API, and whatever else speaks it. All that the SDK would look up in the environment is given to it.

import { createAnthropic } from '@ai-sdk/anthropic'
import { connectionName } from './connection.ts'
import { anthropicEffort } from './effort.ts'
import { endpointOf, type ServerConnection } from './endpoint.ts'
import type { Model } from './model.ts'
import type { SdkPart } from './sdk.ts'
import { createSdkModel } from './sdk-model.ts'
import type { ModelSettings } from './settings.ts'
import type { Fetch } from './wire.ts'

const eventTypes: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
])

export function createAnthropicModel(connection: ServerConnection, settings: ModelSettings): Model {
  const { baseUrl, apiKey } = endpointOf(connection)
  return createSdkModel(
    {
      name: connectionName(connection),
      provider: 'anthropic',
      apiKey,
      open: fetch =>
        // An empty key, and not none: without one the SDK reads the environment.
        createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch: apiKey === undefined ? withoutKey(fetch) : fetch }).languageModel(
          connection.modelId,
        ),
      wording: ({ effort }, withEffort) => ({
        provider: 'anthropic',
        hasErrorFlag: true,
        cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
        providerOptions: {
          anthropic: {
            // Inputs come checked as JSON, and servers that only speak the format refuse the setting.
            toolStreaming: false,
            ...(withEffort && effort !== undefined && anthropicEffort(effort, connection.modelId)),
          },
        },
      }),
      isHarmless,
    },
    settings,
  )
}

/** The format may gain events, and asks its readers to leave out those that they do not know. */
function isHarmless(part: SdkPart): boolean {
  if (part.type !== 'error' || !(part.error instanceof Error) || part.error.name !== 'AI_TypeValidationError') return false
  const value: unknown = Reflect.get(part.error, 'value')
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  return typeof value.type === 'string' && !eventTypes.has(value.type)
}

function withoutKey(fetch: Fetch): Fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('x-api-key')
    return fetch(input, { ...init, headers })
  }
}
