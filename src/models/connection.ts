// How a model is reached: plain data that crosses to the thread that calls it, and to no other place. The key stands in it, so it is never
// part of an event, an error, the audit or a log.

export type ModelConnection =
  | {
      readonly provider: 'anthropic' | 'openai'
      readonly modelId: string
      /** Default: the provider's own address. */
      readonly baseUrl?: string
      readonly apiKey?: string
    }
  | {
      readonly provider: 'script'
      /** Path, for messages. */
      readonly file: string
      /** Its JSON lines: the thread opens no file. */
      readonly content: string
    }

/** `anthropic:ID`, `openai:ID`, `script:FILE`: what people see. */
export function connectionName(connection: ModelConnection): string {
  return connection.provider === 'script' ? `script:${connection.file}` : `${connection.provider}:${connection.modelId}`
}
