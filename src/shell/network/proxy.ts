// The one way out of a cell whose network is an allowlist: an HTTP proxy in our process, which accepts on a socket of the cell's own network
// space (SPEC R6.2). CONNECT opens a tunnel, which is not looked into; plain HTTP is written anew, so what was decided is what a server reads.
// Promises: a request is decided, then told, then done; after `close` no socket, listener or timer of it is left.

import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as startRequest } from 'node:http'
import type { Server, Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { isSystemError } from '../../errors.ts'
import type { Limits } from '../../limits.ts'
import type { ResolveHost } from '../../network-address.ts'
import type { NetworkHost } from '../../network-hosts.ts'
import { decideTarget } from './gate.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { authorityText, connectTarget, plainTarget, type Target } from './target.ts'
import { connectFirst, tunnel } from './upstream.ts'

/** What a command asked of the network, told before anything is connected. */
export interface NetworkRequest {
  /** Canonical; as sent (cut, any characters) where it cannot be read. */
  readonly host: string
  /** 0 where it cannot be read. */
  readonly port: number
  readonly decision: 'allowed' | 'refused'
  /** Why it was refused, or what failed. */
  readonly reason?: string
  /** The inside address that a listed name led to. */
  readonly detail?: string
}

export interface NetworkProxyOptions {
  readonly hosts: readonly NetworkHost[]
  readonly limits: Pick<Limits, 'networkConnections' | 'networkIdleMs' | 'networkConnectMs' | 'networkHeaderBytes'>
  readonly resolveHost: ResolveHost
  /** If it throws the request is refused: what cannot be recorded is not done. */
  readonly tell: (request: NetworkRequest) => void
}

export interface NetworkProxy {
  /** Accepts on it from now on and owns it. Does not hold the process. */
  listen(socket: Server): void
  /** Ends all connections, and keeps accepting. */
  endConnections(): void
  close(): void
}

interface Refusal {
  readonly status: number
  readonly text: string
}

const unreadable = 'it is no HTTP, too long or too slow'
const statusTexts: Readonly<Record<number, string>> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' }
// A client that does not read its refusal does not hold its place.
const refusalMs = 1_000

export function createNetworkProxy({ hosts, limits, resolveHost, tell }: NetworkProxyOptions): NetworkProxy {
  const sockets = new Set<Socket>()
  let stop = stopper()

  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket)).on('error', () => undefined)
  }

  /** A connection to what was asked for, or why there is none. Ends early when the client goes. */
  const reach = async (target: Target | string, asked: string, client: Socket): Promise<Socket | Refusal> => {
    const { signal, release } = deadline(stop.signal, client, limits.networkConnectMs)
    try {
      if (typeof target === 'string') {
        tell({ host: asked.slice(0, 300), port: 0, decision: 'refused', reason: target })
        return { status: 400, text: `Cannot take this request: ${target}` }
      }
      const verdict = await decideTarget(target, hosts, resolveHost, signal)
      if (verdict.type === 'refused') {
        const { reason, detail } = verdict
        tell({ ...place(target), decision: 'refused', reason, ...(detail === undefined ? {} : { detail }) })
        return { status: 403, text: `Cannot connect to "${authorityText(target)}": ${reason}` }
      }
      if (verdict.type === 'not-found') {
        tell({ ...place(target), decision: 'allowed', reason: verdict.reason })
        return { status: 502, text: verdict.reason }
      }
      tell({ ...place(target), decision: 'allowed' })
      signal.throwIfAborted()
      return track(await connectFirst(verdict.addresses, target.port, signal))
    } catch {
      const what = typeof target === 'string' ? '' : ` to "${authorityText(target)}"`
      return {
        status: 502,
        text: `Cannot connect${what}: it does not answer within ${limits.networkConnectMs} ms, refuses, or cannot be recorded`,
      }
    } finally {
      release()
    }
  }

  /** It is refused anyway, and there is nobody to hand a failure to. */
  const tellUnread = (reason: string) => {
    try {
      tell({ host: '', port: 0, decision: 'refused', reason })
    } catch {}
  }

  const server = createServer({
    maxHeaderSize: limits.networkHeaderBytes,
    headersTimeout: limits.networkConnectMs,
    // How long a body may take is the idle limit's affair.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, limits.networkConnectMs),
    insecureHTTPParser: false,
  })
  server.maxConnections = limits.networkConnections
  // One request for each connection: the limit of connections is then one of requests as well, pipelined ones too.
  server.maxRequestsPerSocket = 1
  server.timeout = limits.networkIdleMs
  server.unref()
  server.on('connection', track)
  server.on('drop', () => tellUnread('networkConnections are open already'))
  server.on('clientError', (error, socket: Socket) => {
    if (isSystemError(error, 'ECONNRESET', 'EPIPE')) return void socket.destroy()
    tellUnread(unreadable)
    if (socket.bytesWritten > 0) socket.destroy()
    else answer(socket, { status: 400, text: `Cannot take this request: ${unreadable}` })
  })
  server.on('connect', async (request, client: Socket, head) => {
    track(client)
    const authority = request.url ?? ''
    const upstream = await reach(connectTarget(authority), authority, client)
    if ('status' in upstream) return answer(client, upstream)
    if (client.destroyed || upstream.destroyed) return void [client, upstream].map(socket => socket.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    tunnel(client, upstream, head, limits.networkIdleMs)
  })
  server.on('request', async (request, response) => {
    const target = plainTarget(request)
    const upstream = await reach(target, request.url ?? '', request.socket)
    if ('status' in upstream) {
      response.writeHead(upstream.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${upstream.text}\n`)
    } else if (typeof target === 'string' || request.socket.destroyed) upstream.destroy()
    else
      forward(
        request,
        response,
        upstream.setTimeout(limits.networkIdleMs, () => upstream.destroy()),
        target,
      )
  })

  let closed = false
  const endConnections = () => {
    stop.abort(new Error('the command has ended'))
    stop = stopper()
    for (const socket of sockets) socket.destroy()
  }
  return {
    listen: socket => {
      if (closed) return void socket.close()
      server.listen(socket)
      server.unref()
    },
    endConnections,
    close() {
      closed = true
      endConnections()
      server.close()
    },
  }
}

/** Each connection listens to it; that is no leak to warn of. */
function stopper(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

function place({ host, port }: Target): { readonly host: string; readonly port: number } {
  return { host, port }
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Socket,
  target: ReturnType<typeof plainTarget> & object,
): void {
  const fail = (status: number) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(status, { connection: 'close' }).end()
    upstream.destroy()
  }
  response.once('close', () => upstream.destroy())
  try {
    const outgoing = startRequest({
      method: request.method,
      path: target.path,
      headers: requestHeaders(request, authorityText(target, 80)),
      setHost: false,
      // With an agent, also `agent: false`, Node would not use this socket and connect to `host` itself.
      createConnection: () => upstream,
      host: 'nowhere.invalid',
    })
    outgoing.on('error', () => fail(502))
    outgoing.on('response', incoming => {
      try {
        response.sendDate = false
        response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, responseHeaders(incoming.rawHeaders))
      } catch {
        return fail(502)
      }
      pipeline(incoming, response, error => {
        if (error) response.destroy()
      })
    })
    pipeline(request, outgoing, error => {
      if (error) fail(502)
    })
  } catch {
    fail(400)
  }
}

/** Aborts after so long, with the command, and when the client has gone. */
function deadline(command: AbortSignal, client: Socket, milliseconds: number): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('too late'))
  const timer = setTimeout(abort, milliseconds)
  command.addEventListener('abort', abort, { once: true })
  client.once('close', abort)
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      command.removeEventListener('abort', abort)
      client.removeListener('close', abort)
    },
  }
}

/** A refusal where no response object is at hand. */
function answer(socket: Socket, { status, text }: Refusal): void {
  if (socket.destroyed) return
  const body = `${text}\n`
  socket.on('error', () => undefined)
  socket.setTimeout(refusalMs, () => socket.destroy())
  socket.once('end', () => socket.destroy())
  // Read on: what lies unread when a socket is closed makes the system throw the answer away.
  socket.resume()
  socket.end(
    `HTTP/1.1 ${status} ${statusTexts[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
