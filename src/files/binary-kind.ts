// Whether the beginning of a file is no text, and what it is then, for people. The end of the file is not looked at.

import { createDecoder, encodingOf } from './text-encoding.ts'

/** How much of a file is enough to tell. */
export const headBytes = 8_192

const kinds: readonly (readonly [kind: string, magic: string, at?: number])[] = [
  ['a PNG image', '\x89PNG'],
  ['a JPEG image', '\xff\xd8\xff'],
  ['a GIF image', 'GIF8'],
  ['a WebP image', 'WEBP', 8],
  ['a BMP image', 'BM'],
  ['a TIFF image', 'II*\0'],
  ['a TIFF image', 'MM\0*'],
  ['an icon', '\0\0\x01\0'],
  ['an AVIF image', 'ftypavif', 4],
  ['a HEIC image', 'ftyphei', 4],
  ['a video', 'ftyp', 4],
  ['a PDF document', '%PDF-'],
  ['a ZIP archive or an office document', 'PK\x03\x04'],
  ['a gzip archive', '\x1f\x8b'],
  ['a bzip2 archive', 'BZh'],
  ['an xz archive', '\xfd7zXZ\0'],
  ['a 7z archive', '7z\xbc\xaf'],
  ['a zstd archive', '\x28\xb5\x2f\xfd'],
  ['a program', '\x7fELF'],
  ['a WebAssembly module', '\0asm'],
  ['a SQLite database', 'SQLite format 3\0'],
]

/** Undefined for text. */
export function binaryKind(head: Buffer): string | undefined {
  const bytes = head.toString('latin1')
  const named = kinds.find(([, magic, at = 0]) => bytes.startsWith(magic, at))?.[0]
  if (named === undefined) return isText(head) ? undefined : 'a binary file'
  // A text may begin with BM or GIF8; the formats hold bytes that no text does. A PDF may hold none for long.
  return named === 'a PDF document' || !isText(head) ? named : undefined
}

const maxStrangeShare = 0.1

function isText(head: Buffer): boolean {
  const text = createDecoder(encodingOf(head)).decode(head, { stream: true })
  if (text.includes('\0')) return false
  const strange = text.match(/[\u0001-\u0007\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0
  return strange <= text.length * maxStrangeShare
}
