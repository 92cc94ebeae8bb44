// Bytes that a command printed → the text that stands in a prompt (SPEC R4.4, R4.5). Streaming: memory stays bounded whatever the size.
// Counts and cuts in UTF-16 units and never splits a character; invalid UTF-8 becomes U+FFFD, nothing else is changed.

import { readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
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
  const chunk = Buffer.allocUnsafe(64 * 1024)
  for (const descriptor of descriptors) {
    // One decoder per file: half a character at the end of one is not completed by the next.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let position = 0
    for (let chunks = 1; ; chunks++) {
      const length = readSync(descriptor, chunk, 0, chunk.length, position)
      if (length === 0) break
      position += length
      cap.push(decoder.decode(chunk.subarray(0, length), { stream: true }))
      // Let the others run now and then: 64 MiB take a tenth of a second.
      if (chunks % 16 === 0) await setImmediate()
    }
    cap.push(decoder.decode())
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
      return { text: cutBetweenCharacters(kept, previewChars), chars, truncated: true }
    },
  }
}

/** The first `length` UTF-16 units, or one less where that would split a surrogate pair. */
export function cutBetweenCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, length < text.length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

function lengthWithoutNewlines(text: string): number {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--
  return end
}
