// The headers that a proxy passes on: none that concern one connection only, and a length of the body that stands there once. Pure.

import type { IncomingMessage } from 'node:http'
import { headerPairs } from './target.ts'

const ofOneConnection: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // HTTP/2 in the clear would leave the reading of requests to the other side.
  'http2-settings',
])

/** For `http.request`, in one row. @param authority the host that was decided */
export function requestHeaders({ rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>, authority: string): string[] {
  const body = headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked']
  return ['Host', authority, ...passedOn(rawHeaders), ...body, 'Via', '1.1 skillcell', 'Connection', 'close']
}

/** For `writeHead`, in one row. */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  return [...passedOn(rawHeaders), 'Connection', 'close']
}

function passedOn(rawHeaders: readonly string[]): string[] {
  const pairs = headerPairs(rawHeaders)
  const named = pairs.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value.toLowerCase().split(/[\s,]+/) : []))
  // Naming the length in Connection must not take it away: the body would be read as a next request.
  const dropped = new Set([...ofOneConnection, ...named.filter(name => name !== 'content-length')])
  return pairs.flatMap(pair => (dropped.has(pair[0].toLowerCase()) ? [] : pair))
}
