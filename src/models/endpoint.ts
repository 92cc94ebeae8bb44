// Address and key of a server, checked before a request is made: what fetch would complain of, it complains of with the key in its text.

import { SkillcellError } from '../errors.ts'
import { connectionName, type ModelConnection } from './connection.ts'

export type ServerConnection = Exclude<ModelConnection, { provider: 'script' }>

interface Endpoint {
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

interface ProviderAddress {
  readonly baseUrl: string
  /** Where the key usually comes from, for the message. */
  readonly keyName: string
  /** Part of the path that is added unless the address ends with it. */
  readonly version: string
}

// ANTHROPIC_BASE_URL is by custom given without the version, OPENAI_BASE_URL with all of the path.
const addresses: Readonly<Record<ServerConnection['provider'], ProviderAddress>> = {
  anthropic: { baseUrl: 'https://api.anthropic.com', keyName: 'ANTHROPIC_API_KEY', version: '/v1' },
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY', version: '' },
}

/** @throws {SkillcellError} MODEL_UNAVAILABLE; address and key stay out of the text, either may hold a secret. */
export function endpointOf(connection: ServerConnection): Endpoint {
  const { baseUrl, keyName, version } = addresses[connection.provider]
  const refuse = (why: string): SkillcellError =>
    new SkillcellError('MODEL_UNAVAILABLE', `Cannot use "${connectionName(connection)}": ${why}`)
  // Keys read from files end with a newline, which no header can carry and which would hide the key from the redaction.
  const apiKey = connection.apiKey?.trim() || undefined
  if (apiKey === undefined && connection.baseUrl === undefined)
    throw refuse(`no key is configured; set ${keyName}, or the address of a server that needs none`)
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) throw refuse('the key holds a character that a header cannot carry')
  const address = connection.baseUrl ?? baseUrl
  if (!URL.canParse(address)) throw refuse('the address is not an http or https URL')
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol)) throw refuse('the address is not an http or https URL')
  if (url.username !== '' || url.password !== '') throw refuse('the address holds a user or a password; give the key apart from it')
  if (url.search !== '' || url.hash !== '') throw refuse('the address holds a query or a fragment; it must end with its path')
  const path = url.pathname.replace(/\/+$/, '')
  return { baseUrl: `${url.origin}${path.endsWith(version) ? path : `${path}${version}`}`, apiKey }
}
