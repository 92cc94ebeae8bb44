// Code spans and comments inside one paragraph, and inside the lines of a fence. CommonMark: a run of backticks opens a span when a
// run of the same length follows, a backslash outside code takes the meaning of a backtick, the leftmost opener wins. Linear.

import type { TextRange } from './markdown.ts'

export interface InlineSpan extends TextRange {
  readonly type: 'span'
  /** How many backticks mark it. */
  readonly ticks: number
  /** What stands between the marks, each line end a blank. */
  readonly content: string
  /** The character before the opening mark; undefined at the start of a line. */
  readonly before: string | undefined
  /** The character before that one. */
  readonly beforeThat: string | undefined
  /** Nothing but the span stands on its line. */
  readonly alone: boolean
}

type InlineRegion = InlineSpan | ({ readonly type: 'comment' } & TextRange)

/** Finds the spans and comments of a text given as lines of `body`. `comments` and escapes hold in paragraphs, not in fences. */
export function findInline(body: string, lines: readonly TextRange[], kind: 'paragraph' | 'fence'): InlineRegion[] {
  const text =
    lines.length === 1 ? body.slice(lines[0]?.start, lines[0]?.end) : lines.map(({ start, end }) => body.slice(start, end)).join('\n')
  const firstTick = text.indexOf('`')
  const firstComment = kind === 'paragraph' ? text.indexOf('<!--') : -1
  if (firstTick === -1 && firstComment === -1) return []
  const offsets = new OffsetMap(lines)
  const runs = new TickRuns(text)
  const regions: InlineRegion[] = []
  const interesting = kind === 'paragraph' ? /\\.|`+|<!--/gs : /`+/g
  let commentsEnd = text.lastIndexOf('-->')
  for (let match = interesting.exec(text); match; match = interesting.exec(text)) {
    const start = match.index
    if (match[0] === '<!--') {
      // `<!-->` and `<!--->` are whole comments.
      const close = commentsEnd < start + 2 ? -1 : text.indexOf('-->', start + 2)
      if (close === -1) {
        commentsEnd = -1
        continue
      }
      regions.push({ type: 'comment', start: offsets.bodyOffset(start), end: offsets.bodyOffset(close + 3) })
      interesting.lastIndex = close + 3
    } else if (match[0].startsWith('`')) {
      const ticks = match[0].length
      const close = runs.next(ticks, start + ticks)
      if (close === -1) continue
      const end = close + ticks
      regions.push({
        type: 'span',
        ticks,
        start: offsets.bodyOffset(start),
        end: offsets.bodyOffset(end),
        content: text.slice(start + ticks, close).replaceAll('\n', ' '),
        before: start === 0 || text[start - 1] === '\n' ? undefined : text[start - 1],
        beforeThat: start < 2 || text[start - 2] === '\n' ? undefined : text[start - 2],
        alone: isAlone(text, start, end),
      })
      interesting.lastIndex = end
    }
  }
  return regions
}

function isAlone(text: string, start: number, end: number): boolean {
  if (start > 0 && text[start - 1] !== '\n') return false
  const newline = text.indexOf('\n', end)
  return text.slice(end, newline === -1 ? undefined : newline).trim() === ''
}

/** Where the runs of each length stand. Asked with rising positions, so that all answers together take one pass. */
class TickRuns {
  readonly #byLength = new Map<number, { readonly starts: number[]; index: number }>()

  constructor(text: string) {
    for (const match of text.matchAll(/`+/g)) {
      const list = this.#byLength.get(match[0].length)
      if (list) list.starts.push(match.index)
      else this.#byLength.set(match[0].length, { starts: [match.index], index: 0 })
    }
  }

  next(length: number, from: number): number {
    const list = this.#byLength.get(length)
    if (!list) return -1
    while ((list.starts[list.index] ?? Number.POSITIVE_INFINITY) < from) list.index += 1
    return list.starts[list.index] ?? -1
  }
}

/** Maps offsets of joined lines to offsets of the body; asked with rising offsets. */
class OffsetMap {
  readonly #lines: readonly TextRange[]
  #line = 0
  #lineStart = 0

  constructor(lines: readonly TextRange[]) {
    this.#lines = lines
  }

  bodyOffset(offset: number): number {
    for (;;) {
      const line = this.#lines[this.#line]
      if (!line) return offset
      const length = line.end - line.start
      if (offset <= this.#lineStart + length || this.#line === this.#lines.length - 1) return line.start + offset - this.#lineStart
      this.#line += 1
      this.#lineStart += length + 1
    }
  }
}
