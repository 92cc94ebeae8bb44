// All configured servers as one source of prompts (SPEC R1.1, R16.6). One that is down, slow or lies is a diagnostic, and the others
// are listed all the same. Nothing is started or connected before the first question.

import { type Diagnostic, messageOf } from '../errors.ts'
import type { McpServer } from '../source-options.ts'
import { type Connection, createConnection, type ListedPrompt } from './connection.ts'
import { createHttpTransport } from './http-transport.ts'
import { createProcessTransport, type ServerProcess } from './process-transport.ts'

/** Starts a program; the room that may do so has it. */
type StartProcess = (request: {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal: AbortSignal
}) => Promise<ServerProcess>

export interface PromptSourceOptions {
  readonly servers: Readonly<Record<string, McpServer>>
  readonly startProcess: StartProcess
  /** Programs start here. */
  readonly cwd: string
  /** To connect and list, and to get one prompt. Default 10,000. */
  readonly timeoutMs?: number
  /** A server that failed is left alone for so long. Default 30,000. */
  readonly retryMs?: number
}

export interface PromptSource {
  list(): Promise<{
    readonly prompts: readonly (ListedPrompt & { readonly server: string })[]
    readonly diagnostics: readonly Diagnostic[]
  }>
  /** @throws {Error} that says what the server did */
  render(server: string, name: string, values: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>
  /** Ends connections and programs. */
  close(): Promise<void>
}

export function createPromptSource({
  servers,
  startProcess,
  cwd,
  timeoutMs = 10_000,
  retryMs = 30_000,
}: PromptSourceOptions): PromptSource {
  const connections = new Map<string, Connection>(
    Object.entries(servers).map(([name, server]) => [
      name,
      createConnection({
        timeoutMs,
        retryMs,
        open: signal => {
          if ('url' in server) return createHttpTransport(server)
          const { command, args = [], env = {} } = server
          return createProcessTransport(() => startProcess({ command, args, env, cwd, signal }))
        },
      }),
    ]),
  )
  return {
    list: async () => {
      const answers = await Promise.all([...connections].map(([server, connection]) => listOne(server, connection)))
      return { prompts: answers.flatMap(({ prompts }) => prompts), diagnostics: answers.flatMap(({ diagnostics }) => diagnostics) }
    },
    render: async (server, name, values, signal) => {
      const connection = connections.get(server)
      if (connection === undefined) throw new Error(`there is no server "${server}"`)
      return connection.render(name, values, signal)
    },
    close: async () => {
      await Promise.all([...connections.values()].map(connection => connection.close()))
    },
  }
}

async function listOne(server: string, connection: Connection): Promise<Awaited<ReturnType<PromptSource['list']>>> {
  const tell = (message: string): Diagnostic => ({ code: 'MCP_SERVER', severity: 'warning', message, path: `mcp:${server}` })
  try {
    const { prompts, problems } = await connection.list()
    return {
      prompts: prompts.map(prompt => ({ ...prompt, server })),
      diagnostics: problems.map(problem => tell(`The MCP server "${server}": ${problem}`)),
    }
  } catch (error) {
    return {
      prompts: [],
      diagnostics: [tell(`Cannot list the prompts of the MCP server "${server}": ${messageOf(error).slice(0, 1_000)}`)],
    }
  }
}
