// A sealed line: one JSON object whose last member is a hash over the bytes before it. Lines and checkpoints are made so.
// The hash is over the bytes as written, not over what they mean, so that no change of spelling goes unseen.

import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { isRecord } from '../is-record.ts'

/** Hex characters of SHA-256. */
const hashChars = 64

/** SHA-256 in hex, keyed (HMAC) when there is a key. */
export function digest(bytes: string | Uint8Array, key?: Uint8Array): string {
  return key === undefined ? hash('sha256', bytes, 'hex') : createHmac('sha256', key).update(bytes).digest('hex')
}

/** `{…,"<member>":"<digest>"}` without a newline, and the digest. */
export function seal(value: object, member: string, key?: Uint8Array): { readonly text: string; readonly hash: string } {
  const body = JSON.stringify(value)
  const sum = digest(body, key)
  return { text: `${body.slice(0, -1)},"${member}":"${sum}"}`, hash: sum }
}

/** The object and its seal; undefined when the bytes are not what was sealed. */
export function unseal(
  line: Uint8Array,
  member: string,
  key?: Uint8Array,
): { readonly value: Readonly<Record<string, unknown>>; readonly hash: string } | undefined {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
  const tailLength = hashChars + member.length + 7
  const tail = bytes.subarray(-tailLength).toString('latin1')
  const sum = tail.slice(-hashChars - 2, -2)
  if (bytes.length <= tailLength || tail !== `,"${member}":"${sum}"}`) return undefined
  const body = Buffer.concat([bytes.subarray(0, -tailLength), closingBrace])
  const wanted = Buffer.from(digest(body, key))
  const found = Buffer.from(sum, 'latin1')
  if (found.length !== wanted.length || !timingSafeEqual(found, wanted)) return undefined
  const value = parseObject(body.toString('utf8'))
  return value && { value, hash: sum }
}

const closingBrace = Buffer.from('}')

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
