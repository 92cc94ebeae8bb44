// A web server on the loopback of this machine, reached under made-up names.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type FetchedPage, type FetchRequest, fetchPage } from '../../src/web/fetch.ts'

export interface TestServer {
  readonly port: number
  /** Paths that were asked for, with their host. */
  readonly asked: string[]
  /** Fetches a path of `a.test`, or a whole URL; every name leads to this server, which alone is allowed. */
  fetch(target: string, request?: Partial<FetchRequest>): Promise<FetchedPage>
}

export async function testServer(listener: RequestListener): Promise<TestServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${request.url}`)
    listener(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    asked,
    fetch: (target, request) =>
      fetchPage({
        url: target.startsWith('/') ? `http://a.test:${port}${target}` : target,
        decide: async () => undefined,
        resolveHost: async () => ['127.0.0.1'],
        allowedAddresses: ['127.0.0.1'],
        ...request,
      }),
  }
}

export function failing(message: RegExp): unknown {
  return expect.objectContaining({ code: 'TOOL_FAILED', message: expect.stringMatching(message) })
}
