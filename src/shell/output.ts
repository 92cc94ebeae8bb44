// Bytes that a command printed → the text that stands in a prompt (SPEC R4.4, R4.5). Streaming: memory stays bounded whatever the size.
// Counts and cuts in UTF-16 units and never splits a character; invalid UTF-8 becomes U+FFFD, nothing else is changed.

import { isUtf8 } from 'node:buffer'
import { fstatSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { cutText } from '../cut-text.ts'
import type { OutputTrim } from './command.ts'

export interface TextLimits {
  readonly maxOutputChars: number
  readonly previewChars: number
  readonly trim: OutputTrim
}

export interface CappedText {
  /** The whole text, or its preview when `truncated`. */
  readonly text: string
  /** UTF-16 units after trimming, before the cap. */
  readonly chars: number
  readonly truncated: boolean
}

/** Reads files one after the other as one text. Positions are explicit, so it does not matter where a command left the offset. */
export async function readCapped(descriptors: readonly number[], limits: TextLimits): Promise<CappedText> {
  const cap = createTextCap(limits)
  const sizes = descriptors.map(descriptor => fstatSync(descriptor).size)
  // A byte more than the longest, so that one read sees its end.
  const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, Math.max(0, ...sizes) + 1))
  for (const [index, descriptor] of descriptors.entries()) {
    if (sizes[index] === 0) continue
    // One decoder per file: half a character at the end of one is not completed by the next.
    let decoder: InstanceType<typeof TextDecoder> | undefined
    let position = 0
    for (let chunks = 1; ; chunks++) {
      const length = readSync(descriptor, chunk, 0, chunk.length, position)
      if (length === 0) break
      const piece = chunk.subarray(0, length)
      // Nearly all outputs; a decoder costs more than all the rest.
      if (position === 0 && length === sizes[index] && isUtf8(piece)) {
        cap.push(piece.toString('utf8'))
        break
      }
      position += length
      decoder ??= new TextDecoder('utf-8', { ignoreBOM: true })
      cap.push(decoder.decode(piece, { stream: true }))
      // Let the others run now and then: 64 MiB take a tenth of a second.
      if (chunks % 16 === 0) await setImmediate()
    }
    if (decoder !== undefined) cap.push(decoder.decode())
  }
  return cap.finish()
}

export interface TextCap {
  push(text: string): void
  finish(): CappedText
}

/** Takes a text in pieces and keeps of it no more than the limit. */
export function createTextCap({ maxOutputChars, previewChars, trim }: TextLimits): TextCap {
  const endsAt = trim === 'both-ends' ? (text: string) => text.trimEnd().length : lengthWithoutNewlines
  // One more than can be shown, so that a cut always sees whether it splits a pair.
  const keepChars = Math.max(maxOutputChars, previewChars) + 1
  let kept = ''
  let total = 0
  /** Units at the end that are cut if nothing follows them. */
  let trailing = 0
  return {
    push(piece) {
      const text = trim === 'both-ends' && total === 0 ? piece.trimStart() : piece
      const end = endsAt(text)
      total += text.length
      trailing = end === 0 ? trailing + text.length : text.length - end
      if (kept.length < keepChars) kept += text.slice(0, keepChars - kept.length)
    },
    finish() {
      const chars = total - trailing
      if (chars <= maxOutputChars) return { text: kept.slice(0, chars), chars, truncated: false }
      return { text: cutText(kept, previewChars), chars, truncated: true }
    },
  }
}

function lengthWithoutNewlines(text: string): number {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--
  return end
}
