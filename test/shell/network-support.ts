// What the tests of the network share: servers on loopback that play the world, names that lead to them, and a broker with an allowlist.

import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type LimitName, type Limits, resolveLimits } from '../../src/limits.ts'
import { type Broker, createBroker } from '../../src/shell/broker.ts'
import type { CommandRequest, CommandResult } from '../../src/shell/command.ts'
import { parseNetworkHosts } from '../../src/shell/network/door.ts'
import { createNetworkProxy, type NetworkProxy, type NetworkRequest } from '../../src/shell/network/proxy.ts'
import { commandRequest, temporaryFolder } from './support.ts'

export interface TestServer {
  readonly port: number
  /** Connections so far. */
  readonly sockets: readonly Socket[]
}

/** A server on 127.0.0.1 for one test, with whatever answers. */
export async function tcpServer(onSocket: (socket: Socket) => void): Promise<TestServer> {
  return started(createServer({ allowHalfOpen: true }, onSocket))
}

export async function httpServer(onRequest: RequestListener): Promise<TestServer> {
  return started(createHttpServer(onRequest))
}

async function started(server: Server): Promise<TestServer> {
  const sockets: Socket[] = []
  server.on('connection', socket => {
    sockets.push(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

export interface NetworkBroker {
  readonly broker: Broker
  readonly cwd: string
  /** All that the proxy told of, in order. */
  readonly told: NetworkRequest[]
  run(script: string, request?: Partial<CommandRequest>): Promise<CommandResult>
}

export interface NetworkBrokerOptions {
  readonly hosts: readonly string[]
  /** Name → addresses; other names have none. */
  readonly names?: Readonly<Record<string, readonly string[]>>
  readonly limits?: Partial<Record<LimitName, number>>
  readonly cwd?: string
}

export function networkBroker({ hosts, names = {}, limits = {}, cwd = temporaryFolder() }: NetworkBrokerOptions): NetworkBroker {
  const told: NetworkRequest[] = []
  const broker = createBroker({
    sandbox: 'required',
    network: 'allowlist',
    networkHosts: hosts,
    resolveHost: async host => names[host] ?? [],
    stateDirectory: temporaryFolder(),
    limits: resolveLimits({ killGraceMs: 300, ...limits }, 'skillcell'),
    env: process.env,
  })
  onTestFinished(() => broker.close())
  return {
    broker,
    cwd,
    told,
    run: (script, request) => broker.run(commandRequest(script, { cwd, onNetworkRequest: each => told.push(each), ...request })),
  }
}

export interface TestProxy {
  readonly proxy: NetworkProxy
  readonly told: NetworkRequest[]
  /** A connection to it. */
  dial(): Promise<Socket>
  /** Sends, and gives all that comes until the proxy ends the connection. */
  ask(text: string): Promise<string>
}

export async function testProxy(
  server: TestServer,
  limits: Partial<Limits> = {},
  tell?: (request: NetworkRequest) => void,
): Promise<TestProxy> {
  const told: NetworkRequest[] = []
  const proxy = createNetworkProxy({
    hosts: parseNetworkHosts([`api.example.test:${server.port}`, `127.0.0.1:${server.port}`]),
    limits: resolveLimits(limits, 'skillcell'),
    resolveHost: async host => (host === 'api.example.test' ? ['127.0.0.1'] : []),
    tell: tell ?? (request => told.push(request)),
  })
  const socket = createServer()
  await new Promise<void>(resolve => socket.listen(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  proxy.listen(socket)
  onTestFinished(() => proxy.close())
  const dial = async () => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('error', () => undefined)
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    return client
  }
  return {
    proxy,
    told,
    dial,
    async ask(text) {
      const client = await dial()
      client.write(text, 'latin1')
      return await all(client)
    },
  }
}

export async function all(client: Socket): Promise<string> {
  let text = ''
  client.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  await Promise.race([once(client, 'end'), once(client, 'close')])
  return text
}

/** The other side has ended it. */
export async function ended(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.destroyed || socket.readableEnded) return
  await Promise.race([once(socket.resume(), 'end'), once(socket, 'close')]).catch(() => undefined)
}

export const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`

/** Says what it was sent. */
export const echo = () =>
  httpServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
  })
