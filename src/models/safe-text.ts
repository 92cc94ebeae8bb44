// Text of a provider, before a person reads it: one line, no control characters, bounded, and nothing of a key.
// A server may give back what it was sent, whole or in part, in any spelling; so each long enough piece of the key is looked for.

import { shorten } from '../cut-text.ts'

const maxMessageChars = 500
/** No more is looked at: an error body may be a whole page. */
const maxReadChars = 8_000
/** Pieces of a key shorter than this tell nothing and would blot out ordinary words. */
const pieceChars = 8
const mark = '[redacted]'

/** One line of at most 500 characters. */
export function safeText(text: string, key: string | undefined): string {
  const line = text
    .slice(0, maxReadChars)
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, ' ')
    .trim()
  return shorten(withoutCredentials(withoutKey(line, key)), maxMessageChars)
}

function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text
  const spellings = [key, encodeURIComponent(key), Buffer.from(key).toString('base64').replace(/=+$/, '')]
  return spellings.reduce(withoutPieces, text)
}

/** Blots out every stretch of the text that is made of pieces of the secret; letter case is no disguise. */
function withoutPieces(text: string, secret: string): string {
  const size = Math.min(pieceChars, secret.length)
  const pieces = new Set<string>()
  for (let at = 0; at + size <= secret.length; at++) pieces.add(lower(secret.slice(at, at + size)))
  let result = ''
  let hiddenTo = 0
  for (let at = 0; at < text.length; at++) {
    if (pieces.has(lower(text.slice(at, at + size)))) {
      if (at >= hiddenTo) result += mark
      hiddenTo = at + size
    } else if (at >= hiddenTo) result += text[at]
  }
  return result
}

/** ASCII only: toLowerCase() may change the length of other text. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** What looks like a credential, whosever it is. */
function withoutCredentials(text: string): string {
  return text
    .replace(/\b(authorization|x-api-key|api[-_]?key)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;}]+/gi, `$1$2${mark}`)
    .replace(/\b(bearer|basic)\s+(?!\[redacted\])[^\s"',;}]{6,}/gi, `$1 ${mark}`)
    .replace(/\bsk-[\w*.-]{4,}/g, mark)
}
