// A server on loopback that answers each request by the next of its answers (the last one again and again) and keeps what it was asked.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Fields } from './fields.ts'

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Fields
}

export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>

export interface ModelServer {
  readonly url: string
  readonly requests: readonly Asked[]
  /** Resolves when request `count` (from 1) is there. */
  asked(count: number): Promise<void>
  /** Resolves when the connection of a request has ended before its answer. */
  readonly hungUp: Promise<void>
}

export async function startServer(...answers: readonly Answer[]): Promise<ModelServer> {
  const requests: Asked[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  let hangUp = (): void => {}
  const hungUp = new Promise<void>(resolve => {
    hangUp = resolve
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = { path: request.url ?? '', headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) as Fields }
    requests.push(asked)
    response.on('close', () => {
      if (!response.writableEnded) hangUp()
    })
    for (const each of waiting) if (each.count <= requests.length) each.resolve()
    await answers[Math.min(requests.length, answers.length) - 1]?.(response, asked)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    hungUp,
    asked: count =>
      new Promise(resolve => {
        if (requests.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** A whole stream of events. */
export function events(frames: readonly string[]): Answer {
  return response => {
    response.writeHead(200, eventStream)
    response.end(frames.join(''))
  }
}

/** The bytes of a stream in pieces of this size, each in a packet of its own. */
export function inPieces(frames: readonly string[], size: number): Answer {
  return async response => {
    response.socket?.setNoDelay(true)
    response.writeHead(200, eventStream)
    const bytes = Buffer.from(frames.join(''))
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await new Promise(resolve => setImmediate(resolve))
    }
    response.end()
  }
}

/** Part of a stream, then nothing more. */
export function silentAfter(frames: readonly string[]): Answer {
  return response => {
    response.writeHead(200, eventStream)
    response.flushHeaders()
    response.write(frames.join(''))
  }
}

/** Not even headers. */
export const silent: Answer = () => {}

/** Part of a stream, then the connection breaks. */
export function cutAfter(frames: readonly string[]): Answer {
  return response => {
    response.writeHead(200, eventStream)
    response.flushHeaders()
    response.write(frames.join(''), () => setImmediate(() => response.destroy()))
  }
}

/** The connection breaks before any answer. */
export const cut: Answer = response => {
  response.destroy()
}

export function status(code: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return response => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** An address where nobody listens any more. */
export async function startServerThatIsGone(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
