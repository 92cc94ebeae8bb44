// Takes a text in pieces and keeps some of its lines. Memory is bounded by what is kept, however long the text or a line of it.

import { cutText } from '../cut-text.ts'

interface LineWish {
  /** From 1. */
  readonly firstLine: number
  readonly maxLines: number
  /** A longer line is cut and says so. */
  readonly maxLineChars: number
  /** Of all lines together; whole lines only, but for the first. */
  readonly maxChars: number
}

interface LineCollector {
  push(piece: string): void
  /** Whether no later line is wanted. */
  readonly isFull: boolean
  /** Call once, at the end of the text. */
  finish(): { readonly lines: readonly string[]; readonly totalLines: number }
  /** What is kept so far. */
  readonly lines: readonly string[]
}

export function createLineCollector({ firstLine, maxLines, maxLineChars, maxChars }: LineWish): LineCollector {
  const lines: string[] = []
  let chars = 0
  /** Of the line that is being taken. */
  let number = 1
  let start = ''
  let length = 0
  let isFull = false

  const isWanted = (): boolean => !isFull && number >= firstLine

  const take = (piece: string): void => {
    // One more than can be shown, for the \r of a line end or half a pair.
    if (isWanted() && start.length <= maxLineChars) start += piece.slice(0, maxLineChars + 1 - start.length)
    length += piece.length
  }

  const endLine = (): void => {
    if (isWanted()) {
      const line = shownLine(start, length, maxLineChars)
      if (lines.length > 0 && chars + line.length > maxChars) isFull = true
      else {
        lines.push(line)
        chars += line.length + 1
        if (lines.length === maxLines) isFull = true
      }
    }
    number += 1
    start = ''
    length = 0
  }

  return {
    lines,
    get isFull() {
      return isFull
    },
    push(piece) {
      let from = 0
      for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
        take(piece.slice(from, end))
        endLine()
        from = end + 1
      }
      take(piece.slice(from))
    },
    finish() {
      if (length > 0) endLine()
      return { lines, totalLines: number - 1 }
    },
  }
}

function shownLine(start: string, length: number, maxLineChars: number): string {
  const hasReturn = length === start.length && start.endsWith('\r')
  const line = hasReturn ? start.slice(0, -1) : start
  const chars = hasReturn ? length - 1 : length
  if (chars <= maxLineChars) return line
  const cut = cutText(line, maxLineChars)
  return `${cut}… [${(chars - cut.length).toLocaleString('en-US')} more characters]`
}
