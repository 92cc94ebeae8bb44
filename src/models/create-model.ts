// Opens the model of a connection. A provider's SDK is loaded only when that provider is asked for: a fork over a script loads none.
// Works in a thread without environment: all that is needed comes in the connection.

import type { ModelConnection } from './connection.ts'
import type { Model } from './model.ts'
import { type ModelSettings, modelSettings } from './settings.ts'

/** @throws {SkillcellError} MODEL_UNAVAILABLE when key, address or script cannot be used. Nothing is asked of a server yet. */
export async function createModel(connection: ModelConnection, settings: Partial<ModelSettings> = {}): Promise<Model> {
  const allSettings = { ...modelSettings, ...settings }
  if (connection.provider === 'script') {
    const { createScriptModel } = await import('./script.ts')
    return createScriptModel(connection)
  }
  if (connection.provider === 'anthropic') {
    const { createAnthropicModel } = await import('./anthropic.ts')
    return createAnthropicModel(connection, allSettings)
  }
  const { createOpenaiModel } = await import('./openai-compatible.ts')
  return createOpenaiModel(connection, allSettings)
}
