// What a test needs of a stream format, so that one table covers both.

import type { ModelConnection } from '../../src/models/connection.ts'
import { createModel } from '../../src/models/create-model.ts'
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts'
import type { ModelSettings } from '../../src/models/settings.ts'
import { type Answer, type ModelServer, startServer } from './model-server.ts'

export interface CallInPieces {
  readonly id: string
  readonly name: string
  /** Of the input's JSON. */
  readonly pieces: readonly string[]
}

export interface Wire {
  readonly name: 'anthropic' | 'openai'
  readonly path: string
  /** As `end()` tells it. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
  connection(url: string, apiKey?: string): ModelConnection
  start(): readonly string[]
  text(pieces: readonly string[]): readonly string[]
  calls(calls: readonly CallInPieces[]): readonly string[]
  end(reason: 'end' | 'calls' | 'length' | 'refusal'): readonly string[]
  alive(): readonly string[]
  malformed(): readonly string[]
  errorEvent(type: 'passing' | 'lasting', message: string): readonly string[]
  errorBody(message: string): object
}

export const testKey = 'key-4f9d2c7b81e6a35d'

/** No real waits. */
const quick: Partial<ModelSettings> = { backoffMs: 1, maxBackoffMs: 2 }

export interface Opened {
  readonly model: Model
  readonly server: ModelServer
}

export async function open(wire: Wire, answers: readonly Answer[], settings: Partial<ModelSettings> = {}): Promise<Opened> {
  const server = await startServer(...answers)
  return { server, model: await createModel(wire.connection(server.url, testKey), { ...quick, ...settings }) }
}

export function ask(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are a test.',
    messages: [{ role: 'user', text: 'Say hello' }],
    tools: [],
    maxOutputTokens: 1_000,
    signal: new AbortController().signal,
    ...fields,
  }
}

export interface Heard {
  readonly parts: readonly ModelPart[]
  readonly text: string
  readonly error?: unknown
}

/** Reads a turn to its end, whichever end that is. */
export async function hear(model: Model, request: ModelRequest = ask()): Promise<Heard> {
  const parts: ModelPart[] = []
  const heard = (): Heard => ({ parts, text: parts.map(part => (part.type === 'text' ? part.text : '')).join('') })
  try {
    for await (const part of model.stream(request)) parts.push(part)
  } catch (error) {
    return { ...heard(), error }
  }
  return heard()
}

/** A short whole turn. */
export function turnOf(wire: Wire, ...pieces: readonly string[]): readonly string[] {
  return [...wire.start(), ...wire.text(pieces), ...wire.end('end')]
}
