// Finds a piece of text in a text and puts another in its place. Pure. Line ends do not have to be given as the file has them: they
// are compared as \n, what is put in takes those of the file, and all the rest stays byte for byte.

interface Replacement {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
}

type ReplaceResult =
  | {
      readonly type: 'replaced'
      readonly text: string
      readonly count: number
      /** Where the first change stands in the new text, and how long it is. */
      readonly start: number
      readonly length: number
    }
  /** Lines, from 1, where it stands; at most ten. */
  | { readonly type: 'ambiguous'; readonly count: number; readonly lines: readonly number[] }
  | { readonly type: 'absent' }

const maxListed = 10

/** @param oldString not empty */
export function replaceText(text: string, { oldString, newString, replaceAll }: Replacement): ReplaceResult {
  const hasReturns = text.includes('\r\n')
  const plain = hasReturns ? text.replaceAll('\r\n', '\n') : text
  const wanted = oldString.replaceAll('\r\n', '\n')
  const starts = positions(plain, wanted, replaceAll)
  if (starts.length === 0) return { type: 'absent' }
  if (starts.length > 1 && !replaceAll)
    return { type: 'ambiguous', count: starts.length, lines: starts.slice(0, maxListed).map(start => lineOf(plain, start)) }

  const original = hasReturns ? originalOffsets(text) : (offset: number) => offset
  const usesReturns = hasReturns && text.length - plain.length > count(plain, '\n') / 2
  const pieces: string[] = []
  let length = 0
  let first: { start: number; length: number } | undefined
  let end = 0
  for (const start of starts) {
    const from = original(start)
    const to = original(start + wanted.length)
    const replaced = text.slice(from, to)
    // As the piece that it replaces; a piece within a line says nothing, so as most lines of the file.
    const returns = replaced.includes('\n') ? replaced.includes('\r\n') : usesReturns
    const put = hasReturns || wanted !== oldString ? withLineEnds(newString, returns) : newString
    pieces.push(text.slice(end, from), put)
    length += from - end + put.length
    first ??= { start: length - put.length, length: put.length }
    end = to
  }
  pieces.push(text.slice(end))
  return { type: 'replaced', text: pieces.join(''), count: starts.length, start: first?.start ?? 0, length: first?.length ?? 0 }
}

function withLineEnds(text: string, returns: boolean): string {
  const plain = text.replaceAll('\r\n', '\n')
  return returns ? plain.replaceAll('\n', '\r\n') : plain
}

/** Where it stands. Matches that overlap make it ambiguous; replaced are those that do not. */
function positions(text: string, wanted: string, apart: boolean): number[] {
  const starts: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + (apart ? wanted.length : 1))) starts.push(at)
  return starts
}

/** From offsets in the text with \n for \r\n to those in the text itself. Asked in rising order. */
function originalOffsets(text: string): (offset: number) => number {
  let next = text.indexOf('\r\n')
  let removed = 0
  return offset => {
    // A \r that stands right at the offset belongs to the line end that begins there.
    while (next !== -1 && next - removed < offset) {
      removed += 1
      next = text.indexOf('\r\n', next + 1)
    }
    return offset + removed
  }
}

/** From 1. */
export function lineOf(text: string, offset: number): number {
  return count(text.slice(0, offset), '\n') + 1
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1
  return found
}
