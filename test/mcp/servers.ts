// Real servers for the tests of this room: a program over stdio, and one at a loopback address.

import { readFileSync } from 'node:fs'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { createPromptSource, type PromptSource, type PromptSourceOptions } from '../../src/mcp/prompt-source.ts'
import { startTransportProcess } from '../../src/shell/transport-process.ts'
import type { McpServer } from '../../src/source-options.ts'

const program = fileURLToPath(new URL('../fixtures/mcp/prompt-server.mjs', import.meta.url))

export function programServer(mode: string, env: Readonly<Record<string, string>> = {}): McpServer {
  return { command: process.execPath, args: [program, mode], env }
}

/** Closed after the test. Processes that it started are kept in `started`. */
export function sourceOf(
  servers: Readonly<Record<string, McpServer>>,
  more: Partial<PromptSourceOptions> = {},
): PromptSource & { readonly started: { readonly exited: Promise<unknown> }[] } {
  const started: { readonly exited: Promise<unknown> }[] = []
  const source = createPromptSource({
    servers,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    startProcess: async request => {
      const child = await startTransportProcess({ ...request, graceMs: 200 })
      started.push(child)
      return child
    },
    ...more,
  })
  onTestFinished(() => source.close())
  return { ...source, started }
}

/** A server that answers as an HTTP program would; `intercept` may answer in its place. */
export async function listen(intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false): Promise<string> {
  const http: HttpServer = createServer(async (request, response) => {
    if (intercept(request, response)) return
    const server = new Server({ name: 'http', version: '1' }, { capabilities: { prompts: {} } })
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'ask', description: 'Asks.' }] }))
    server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${params.name} ${request.headers.authorization}` } }],
    }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => void transport.close())
    await server.connect(transport)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return `http://127.0.0.1:${address.port}/mcp`
}

/** A dead one that nobody has collected yet does not run. */
export function isRunning(id: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${id}/stat`, 'latin1'))
  } catch {
    return false
  }
}
