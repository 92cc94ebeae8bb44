// From the name that a skill, an agent type or the configuration gives to what the thread needs to reach that model.

import { SkillcellError } from '../errors.ts'
import type { ModelConnection } from '../models/connection.ts'
import { aliasOf, parseModelName, resolveModel } from '../models/model-name.ts'
import { readPlainFile } from '../plain-file.ts'
import type { ModelSettings } from '../setup.ts'
import { reasonOf } from '../skills/read-file.ts'

export interface ModelWish {
  readonly skillModel: string | undefined
  readonly agentModel: string | undefined
  /** Of the run, else of the configuration. */
  readonly defaultModel: string | undefined
  readonly settings: ModelSettings
}

const maxScriptBytes = 64 * 1024 * 1024

/** @throws {SkillcellError} MODEL_UNAVAILABLE that lists what is configured, or names the script that cannot be read */
export function connectModel({ skillModel, agentModel, defaultModel, settings }: ModelWish): ModelConnection {
  const { aliases, allowed, providers } = settings
  const name = resolveModel({
    ...(skillModel !== undefined && { asked: skillModel }),
    from: 'skill',
    ...(agentModel !== undefined && { agentModel }),
    ...(defaultModel !== undefined && { defaultName: defaultModel }),
    aliases,
    ...(allowed.length > 0 && { allowed }),
    configured: Object.keys(providers),
  })
  const parsed = parseModelName(name)
  if (parsed?.type !== 'full') throw new SkillcellError('INTERNAL', `Cannot reach the model "${name}": it names no provider`)
  const { provider, id } = parsed
  if (provider === 'script') return { provider, file: id, content: readScript(id) }
  const { baseUrl, apiKey } = providers[provider] ?? {}
  return { provider, modelId: id, ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) }
}

/** The file of a default model that is a script, by its own name or by an alias. */
export function scriptFileOf(name: string, aliases: ModelSettings['aliases']): string | undefined {
  const parsed = parseModelName(aliasOf(name, aliases) ?? name)
  return parsed?.type === 'full' && parsed.provider === 'script' ? parsed.id : undefined
}

function readScript(file: string): string {
  try {
    return readPlainFile(file, maxScriptBytes)
  } catch (cause) {
    throw new SkillcellError('MODEL_UNAVAILABLE', `Cannot use the script "${file}": ${reasonOf(cause)}`, { cause })
  }
}
