// What went wrong with a call, read off whatever the SDK, fetch or the provider gave: a text, a status, and whether to try again.
// Texts are raw here; safe-text.ts cleans them before anyone sees them.

import { isSystemError, messageOf, SkillcellError } from '../errors.ts'

export interface Fault {
  readonly text: string
  /** HTTP status, or the one that a provider's error inside of a stream stands for. */
  readonly status?: number
  readonly isRetryable: boolean
}

/** The answer as it came over the wire, as far as it came. */
export interface Answer {
  status?: number
  headers?: Headers
}

/** Words by which providers name an error inside of a stream, where there is no HTTP status. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** A fault of ours that travels through the SDK. */
export function modelFault(text: string, isRetryable: boolean): SkillcellError {
  return new SkillcellError('MODEL_FAILED', text, { details: { isRetryable } })
}

/** An answer that ended before its end. */
export const cutOff = 'the connection was cut before the answer was whole'

/** What a thrown error, or the error part of a stream, means. */
export function faultOf(error: unknown, answer: Answer): Fault {
  // The SDK wraps what breaks while an answer is read.
  const ours = chainOf(error).find(each => each instanceof SkillcellError)
  if (ours instanceof SkillcellError) return { text: ours.message, isRetryable: ours.details.isRetryable === true }
  if (isNamed(error, 'AI_JSONParseError', 'AI_TypeValidationError')) return { text: unreadable(error), isRetryable: false }
  // The SDK's word for a stream that ended without a finish reason, and for a tool call without a name.
  if (isNamed(error, 'AI_InvalidResponseDataError'))
    return field(error, 'data') === undefined ? { text: cutOff, isRetryable: true } : { text: messageOf(error), isRetryable: false }
  if (isNamed(error, 'AI_APICallError') && answer.status !== undefined) return answerFault(error, answer, answer.status)
  if (error instanceof Error) return connectionFault(error)
  return streamedFault(error)
}

function answerFault(error: unknown, answer: Answer, status: number): Fault {
  const body = field(error, 'responseBody')
  if (status >= 200 && status < 300) {
    // An error in the first event of a good answer; without a body: the connection broke while it was read.
    if (typeof body === 'string') return streamedFault(parsed(body))
    return { text: cutOff, isRetryable: !isNamed(chainOf(error).at(-1), 'AI_EmptyResponseBodyError') }
  }
  const text = textOfBody(typeof body === 'string' ? body : '') || messageOf(error)
  // Used up money does not come back by waiting, though it has the status of a rate limit.
  const isUsedUp = typeof body === 'string' && body.includes('insufficient_quota')
  const asked = answer.headers?.get('x-should-retry')
  return { text, status, isRetryable: asked === 'false' ? false : asked === 'true' || (isPassing(status) && !isUsedUp) }
}

function streamedFault(error: unknown): Fault {
  const inner = field(error, 'error') ?? error
  const name = field(inner, 'name')
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') return { text: unreadable(inner), isRetryable: false }
  const code = field(inner, 'code')
  const type = field(inner, 'type')
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : (statusOf(type) ?? statusOf(code))
  const message = field(inner, 'message')
  const text = typeof message === 'string' ? message : typeof inner === 'string' ? inner : 'an error without a message'
  const kind = typeof type === 'string' && type !== 'error' ? `${type}: ` : ''
  return { text: `${kind}${text}`, ...(status !== undefined && { status }), isRetryable: status !== undefined && isPassing(status) }
}

function connectionFault(error: Error): Fault {
  const root = chainOf(error).at(-1) ?? error
  // A wrong certificate stays wrong; so does an address that fetch will not even try.
  const isLasting =
    isSystemError(root, 'ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_CHAR') ||
    (isSystemError(root) && /CERT|TLS|SSL/.test(root.code ?? '')) ||
    root.message === 'bad port'
  const isNetwork = isSystemError(root) || isSystemError(error) || /terminated|fetch failed|other side closed/.test(root.message)
  const code = isSystemError(root) && root.code !== undefined && !root.message.includes(root.code) ? ` (${root.code})` : ''
  return { text: `${root.message || root.name}${code}`, isRetryable: isNetwork && !isLasting }
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function statusOf(word: unknown): number | undefined {
  return typeof word === 'string' && Object.hasOwn(statusOfType, word) ? statusOfType[word] : undefined
}

function unreadable(error: unknown): string {
  const text = field(error, 'text')
  const shown = typeof text === 'string' ? text : (JSON.stringify(field(error, 'value')) ?? '')
  return `the answer holds what is not of its format: ${shown.slice(0, 120)}`
}

/** The message inside of an error body, in the forms that servers use; '' for a page. */
function textOfBody(body: string): string {
  const value = parsed(body)
  const error = field(value, 'error')
  for (const each of [field(error, 'message'), error, field(value, 'message'), field(value, 'detail')])
    if (typeof each === 'string') return each
  return body.trimStart().startsWith('<') ? '' : body.trim()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The error and what caused it, the root last. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && chain.length < 8; each = each.cause) chain.push(each)
  return chain
}

function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}
