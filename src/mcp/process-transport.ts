// The transport of a server that is a program: one JSON message a line. Bounded: a line without an end, a flood of lines or of nonsense
// closes the connection. It starts nothing itself; whoever may start processes hands it in.

import type { Readable, Writable } from 'node:stream'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { untilAborted } from '../until-aborted.ts'

/** A running program, as the room that starts processes gives it. */
export interface ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  kill(): Promise<void>
}

export const maxLineBytes: number = 8 * 1024 * 1024
export const maxConnectionBytes: number = 64 * 1024 * 1024
const maxBadLines = 100
const keptErrorChars = 500
// From the end of its input to its own end.
const endMs = 500

interface ProcessTransport extends Transport {
  /** Why the connection ended, with the last of what the program wrote to its error output. */
  readonly problem: () => string
}

export function createProcessTransport(start: () => Promise<ServerProcess>): ProcessTransport {
  const buffer = new ReadBuffer({ maxBufferSize: maxLineBytes })
  let server: ServerProcess | undefined
  let problem = ''
  let errorOutput = ''
  let bytes = 0
  let badLines = 0
  let closed: Promise<void> | undefined

  const end = (why: string): void => {
    problem ||= why
    void transport.close()
  }
  const receive = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > maxConnectionBytes) end(`it sent more than ${maxConnectionBytes} bytes`)
    else if (append(chunk)) deliver()
  }
  const append = (chunk: Buffer): boolean => {
    try {
      buffer.append(chunk)
      return true
    } catch {
      end(`it sent a line of more than ${maxLineBytes} bytes`)
      return false
    }
  }
  const deliver = (): void => {
    while (closed === undefined) {
      let message: JSONRPCMessage | null
      try {
        message = buffer.readMessage()
      } catch {
        // A server may print what is no message, once or twice: many do.
        badLines += 1
        if (badLines > maxBadLines) end(`it sent more than ${maxBadLines} lines that are no message`)
        continue
      }
      if (message === null) return
      transport.onmessage?.(message)
    }
  }
  const transport: ProcessTransport = {
    problem: () => [problem, errorOutput.trim() === '' ? '' : `it said: ${errorOutput.trim()}`].filter(part => part !== '').join('; '),
    start: async () => {
      const started = await start()
      server = started
      // Closed while it was being started.
      if (closed !== undefined) return started.kill()
      started.stdout.on('data', receive)
      started.stderr.on('data', (chunk: Buffer) => {
        errorOutput = (errorOutput + chunk.toString('utf8')).slice(-keptErrorChars)
      })
      void started.exited.then(({ code, signal }) => {
        problem ||= signal === null ? `its program ended with exit code ${code}` : `its program was ended by ${signal}`
        return transport.close()
      })
    },
    send: message =>
      new Promise((resolve, reject) => {
        if (server === undefined || closed !== undefined) return reject(new Error(problem || 'the connection is closed'))
        const { stdin, exited } = server
        stdin.write(serializeMessage(message), error => {
          if (!error) return resolve()
          // Nobody reads any more, mostly since it has ended: how is told a moment later, and says more.
          const given = AbortSignal.timeout(endMs)
          const tell = (): void => reject(new Error(problem || 'it reads its input no more'))
          untilAborted(exited, given).then(tell, tell)
        })
      }),
    close: () => {
      closed ??= (async () => {
        buffer.clear()
        transport.onclose?.()
        await server?.kill()
      })()
      return closed
    },
  }
  return transport
}
