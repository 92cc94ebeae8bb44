// Bytes ↔ text, so that a file keeps the encoding it has: UTF-8 with or without a mark, UTF-16 with one. Knows nothing of paths.

import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be'

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8-bom', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** By the mark that it begins with. */
export function encodingOf(head: Uint8Array): Encoding {
  return marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0] ?? 'utf-8'
}

/** Takes a text in pieces, without its mark; what cannot be decoded becomes U+FFFD. */
export function createDecoder(encoding: Encoding): TextDecoder {
  return new TextDecoder(encoding === 'utf-8-bom' ? 'utf-8' : encoding)
}

/** A whole file as text. Undefined when bytes of it would be lost, so that it must not be written back. */
export function decodeText(bytes: Buffer, encoding: Encoding): string | undefined {
  if (encoding === 'utf-8' || encoding === 'utf-8-bom') return isUtf8(bytes) ? createDecoder(encoding).decode(bytes) : undefined
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined // half a character
  }
}

export function encodeText(text: string, encoding: Encoding): Buffer {
  const mark = Buffer.from(marks.find(([name]) => name === encoding)?.[1] ?? [])
  if (encoding === 'utf-8' || encoding === 'utf-8-bom') return Buffer.concat([mark, Buffer.from(text)])
  const units = Buffer.from(text, 'utf16le')
  return Buffer.concat([mark, encoding === 'utf-16be' ? units.swap16() : units])
}
