// The body of an answer → text: which types are text, in which character set, and HTML as plain text. Pure.

import { TextDecoder } from 'node:util'
import { htmlToText } from './html.ts'

interface PageText {
  readonly text: string
  readonly notes: readonly string[]
}

const textTypes =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:x-)?(?:json5?|ndjson|jsonlines|javascript|ecmascript|typescript|yaml|toml|sh|sql|graphql|ld\+json)|application\/[^/]+\+(?:json|xml|yaml)|message\/.+|image\/svg\+xml)$/

/** Whether a content type is one that can be given as text. None at all may be. */
export function isTextType(contentType: string): boolean {
  const type = mediaType(contentType)
  return type === '' || textTypes.test(type)
}

/** Undefined when the bytes are no text after all. */
export function pageText(body: Buffer, contentType: string): PageText | undefined {
  const type = mediaType(contentType)
  const { text, isKnown } = decoded(body, contentType)
  if (text.includes('\0')) return undefined
  const notes = isKnown ? [] : ['The character set of the page is not known here; it was read as UTF-8']
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && /^\s*<(?:!doctype html|html)\b/i.test(text))
  if (!isHtml) return { text, notes }
  const page = htmlToText(text)
  return { text: page.text, notes: page.truncated ? [...notes, 'The page is very long; only its beginning was turned into text'] : notes }
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** A mark at the beginning wins, then the header, then what the page says of itself. */
function decoded(body: Buffer, contentType: string): { text: string; isKnown: boolean } {
  const head = body.subarray(0, 1_024).toString('latin1')
  const label =
    markOf(body) ??
    /charset\s*=\s*"?([\w:.-]{1,40})/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head)?.[1] ??
    'utf-8'
  try {
    return { text: new TextDecoder(label).decode(body), isKnown: true }
  } catch {
    return { text: new TextDecoder().decode(body), isKnown: false }
  }
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined
}
