// One HTTP request to a checked address: pinned, limited in time and size, no redirect followed. For WebFetch and hooks alike.
// Leaves to others: whether policy allows the URL.

import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { shorten } from '../cut-text.ts'
import { messageOf, SkillcellError } from '../errors.ts'
import { untilAborted } from '../until-aborted.ts'
import { type AddressQuestion, addressOf, type CheckedAddress } from './address.ts'

interface WebRequest extends AddressQuestion {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Bytes of the body that are kept, after decompression. */
  readonly maxBytes: number
  /** Whether the body is worth reading; else it is left. Default: it is. */
  readonly wantsBody?: (status: number, headers: IncomingMessage['headers']) => boolean
}

export interface WebResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Whether there was more than `maxBytes`. */
  readonly truncated: boolean
}

/**
 * The URL of a text, if it is one that may be asked at all.
 * @throws {SkillcellError} TOOL_FAILED
 */
export function webUrl(text: string, base?: URL): URL {
  const fail = (why: string) => new SkillcellError('TOOL_FAILED', `Cannot fetch "${shown(text)}": ${why}`)
  if (!URL.canParse(text, base?.href)) throw fail('it is no URL; give a whole one, such as https://example.org/page')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw fail(`it begins with ${url.protocol}, and only http and https are fetched`)
  if (url.username !== '' || url.password !== '') throw fail('it holds a user or a password; give it without')
  if (url.hostname === '') throw fail('it names no host')
  url.hash = ''
  return url
}

/** @throws {SkillcellError} TOOL_FAILED; the reason of `signal` */
export async function requestPinned(request: WebRequest): Promise<WebResponse> {
  const { url, signal } = request
  try {
    const address = await untilAborted(addressOf(url.hostname, request), signal)
    const response = await send(request, address)
    const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
    const isWanted = request.wantsBody?.(status, headers) ?? true
    const { body, truncated } = isWanted ? await readBody(response, request.maxBytes, signal) : { body: Buffer.alloc(0), truncated: false }
    response.destroy()
    return { status, statusText, headers, body, truncated }
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    if (cause instanceof SkillcellError) throw cause
    throw new SkillcellError('TOOL_FAILED', `Cannot fetch "${shown(url.href)}": ${messageOf(cause)}`, { cause })
  }
}

function send(
  { url, method, headers, body, connectTimeoutMs, signal }: WebRequest,
  { address, family }: CheckedAddress,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
    signal,
    // A connection of its own: a kept one could lead to an address of an earlier answer.
    agent: false,
    maxHeaderSize: 64 * 1024,
    // The name is not resolved again: what was checked is what is reached.
    lookup: (_host, given, done) => (given.all ? done(null, [{ address, family }]) : done(null, address, family)),
  }
  return new Promise((resolve, reject) => {
    const started = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve)
    const late = () => started.destroy(new Error(`there was no connection in ${connectTimeoutMs.toLocaleString('en-US')} ms`))
    const timer = setTimeout(late, connectTimeoutMs)
    started.once('socket', socket => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer)
        // An address in the URL is connected to without a lookup: it is compared too.
        if (!isSameAddress(socket.remoteAddress, address)) started.destroy(new Error('the connection led to another address'))
      })
    })
    started.once('close', () => clearTimeout(timer))
    // More than one may come, and one that nobody hears ends the process.
    started.on('error', reject)
    // Nothing that a server asks for in between is answered.
    started.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('the server wants another protocol'))
    })
    started.end(body)
  })
}

function isSameAddress(reached: string | undefined, checked: string): boolean {
  if (reached === checked) return true
  return reached !== undefined && isIP(reached) === isIP(checked) && new URL(hostUrl(reached)).host === new URL(hostUrl(checked)).host
}

function hostUrl(address: string): string {
  return isIP(address) === 6 ? `http://[${address}]` : `http://${address}`
}

async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<{ body: Buffer; truncated: boolean }> {
  const stream = decompressed(response)
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of stream) {
      signal.throwIfAborted()
      if (!Buffer.isBuffer(piece)) continue
      pieces.push(piece.subarray(0, maxBytes - length))
      length += piece.length
      if (length > maxBytes) break
    }
  } finally {
    stream.destroy()
    response.destroy()
  }
  return { body: Buffer.concat(pieces), truncated: length > maxBytes }
}

/** What was compressed is counted as it is when it is open: a small answer can open to gigabytes. */
function decompressed(response: IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return response
  const opener =
    coding === 'gzip' || coding === 'x-gzip'
      ? createGunzip()
      : coding === 'deflate'
        ? createInflate()
        : coding === 'br'
          ? createBrotliDecompress()
          : undefined
  if (!opener) throw new Error(`its content is encoded as "${coding}", which cannot be opened`)
  response.once('error', error => opener.destroy(error))
  return response.pipe(opener)
}

/** A URL in a message: not without end, and no password in it. */
export function shown(url: string): string {
  const text = url.replace(/^([a-z][a-z0-9+.-]*:\/*)[^/?#@]*@/i, '$1…@')
  return shorten(text, 300)
}
