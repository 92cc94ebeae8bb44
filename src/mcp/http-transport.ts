// The transport of a server at an address. Follows no redirect, since the configured headers are meant for that address alone, and reads
// no more of one answer than a connection may send: then it closes, and whoever uses it may open another.

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { maxConnectionBytes } from './process-transport.ts'

export interface HttpServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

interface HttpTransport extends StreamableHTTPClientTransport {
  /** Why it closed by itself; else ''. */
  readonly problem: () => string
}

/** @param maxResponseBytes of each answer, and of the stream of notifications until it is opened anew */
export function createHttpTransport({ url, headers = {} }: HttpServer, maxResponseBytes: number = maxConnectionBytes): HttpTransport {
  let problem = ''
  const boundedFetch = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(address, { ...init, redirect: 'error' })
    if (response.body === null) return response
    let bytes = 0
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes <= maxResponseBytes) return controller.enqueue(chunk)
        problem = `it sent more than ${maxResponseBytes} bytes`
        controller.error(new Error(problem))
        // An answer as events is otherwise waited for until its time is over.
        void transport.close()
      },
    })
    const { status, statusText } = response
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers: response.headers })
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 10_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
  })
  return Object.assign(transport, { problem: () => problem })
}
