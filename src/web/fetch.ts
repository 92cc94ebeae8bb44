// WebFetch: a page of the public web as text, bounded in size, time and redirects. The first URL was decided by the caller; each one that
// a server sends us to is decided anew before anything is asked of it (SPEC R17.13).

import { cutText } from '../cut-text.ts'
import { SkillcellError } from '../errors.ts'
import type { AddressRules } from './address.ts'
import { isTextType, pageText } from './page-text.ts'
import { requestPinned, shown, type WebResponse, webUrl } from './request.ts'

export interface FetchRequest extends AddressRules {
  /** Allowed already. */
  readonly url: string
  /** Why a redirect must not be followed, for the model; undefined when it may. */
  readonly decide: (url: string) => Promise<string | undefined>
  readonly signal?: AbortSignal
  readonly limits?: Partial<FetchLimits>
}

interface FetchLimits {
  /** Of the body, decompressed. */
  readonly maxBytes: number
  readonly maxChars: number
  readonly maxRedirects: number
  readonly connectTimeoutMs: number
  /** Of all requests together. */
  readonly timeoutMs: number
}

const fetchLimits: FetchLimits = {
  maxBytes: 5 * 1024 * 1024,
  maxChars: 100_000,
  maxRedirects: 5,
  connectTimeoutMs: 10_000,
  timeoutMs: 30_000,
}

export interface FetchedPage {
  /** Where it was in the end. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly notes: readonly string[]
}

/** @throws {SkillcellError} TOOL_FAILED with what to do instead; the reason of `signal` */
export async function fetchPage(request: FetchRequest): Promise<FetchedPage> {
  const limits = { ...fetchLimits, ...request.limits }
  const late = new SkillcellError('TOOL_FAILED', `Cannot fetch "${shown(request.url)}": it took longer than ${count(limits.timeoutMs)} ms`)
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(late), limits.timeoutMs)
  try {
    const signal = request.signal ? AbortSignal.any([request.signal, clock.signal]) : clock.signal
    const { url, response } = await follow(request, limits, signal)
    return pageOf(url, response, limits)
  } finally {
    clearTimeout(timer)
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

async function follow(request: FetchRequest, limits: FetchLimits, signal: AbortSignal): Promise<{ url: URL; response: WebResponse }> {
  let url = webUrl(request.url)
  for (let hops = 0; ; hops++) {
    const response = await requestPinned({
      ...request,
      url,
      method: 'GET',
      headers: { accept: 'text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1', 'user-agent': 'skillcell' },
      maxBytes: limits.maxBytes,
      connectTimeoutMs: limits.connectTimeoutMs,
      wantsBody: (status, headers) => !redirects.has(status) && isTextType(headers['content-type'] ?? ''),
      signal,
    })
    const { location } = response.headers
    if (!redirects.has(response.status) || location === undefined) return { url, response }
    const fail = (why: string) => new SkillcellError('TOOL_FAILED', `Cannot fetch "${shown(request.url)}": ${why}`)
    if (hops === limits.maxRedirects) throw fail(`it is redirected more than ${limits.maxRedirects} times`)
    const next = webUrl(location, url)
    if (url.protocol === 'https:' && next.protocol === 'http:') throw fail(`it is redirected from https to "${shown(next.href)}"`)
    const refusal = await request.decide(next.href)
    signal.throwIfAborted()
    if (refusal !== undefined) throw fail(`it is redirected to "${shown(next.href)}", which is not allowed: ${refusal}`)
    url = next
  }
}

const maxErrorChars = 500

function pageOf(url: URL, { status, statusText, headers, body, truncated }: WebResponse, limits: FetchLimits): FetchedPage {
  const contentType = headers['content-type'] ?? ''
  const fail = (why: string) => new SkillcellError('TOOL_FAILED', `Cannot fetch "${shown(url.href)}": ${why}`)
  const page = isTextType(contentType) ? pageText(body, contentType) : undefined
  if (status < 200 || status > 299) {
    const said = page?.text.trim().slice(0, maxErrorChars) ?? ''
    throw fail(`the server answered ${[status, statusText].join(' ').trim()}${said === '' ? '' : `: ${said}`}`)
  }
  if (!isTextType(contentType)) throw fail(`it is "${contentType.slice(0, 100)}", and only text, JSON and XML are fetched`)
  if (!page) throw fail('it is no text: it holds NUL characters')
  const cut = cutText(page.text, limits.maxChars)
  return {
    url: url.href,
    status,
    contentType,
    text: cut,
    notes: [
      ...page.notes,
      ...(truncated ? [`Only the first ${count(limits.maxBytes)} bytes were read`] : []),
      ...(page.text.length > limits.maxChars ? [`The first ${count(limits.maxChars)} of ${count(page.text.length)} characters`] : []),
    ],
  }
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
