// The transport of a server at an address. Follows no redirect, since the configured headers are meant for that address alone, and reads
// no more than a connection may send.

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { maxConnectionBytes } from './process-transport.ts'

export interface HttpServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export function createHttpTransport({ url, headers = {} }: HttpServer): StreamableHTTPClientTransport {
  let bytes = 0
  const boundedFetch = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(address, { ...init, redirect: 'error' })
    if (response.body === null) return response
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxConnectionBytes) controller.error(new Error(`it sent more than ${maxConnectionBytes} bytes`))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText } = response
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers: response.headers })
  }
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 10_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
  })
}
