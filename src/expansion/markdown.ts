// The block structure of a Markdown body, by the rules of CommonMark that decide what is code: block quotes, list items, fences,
// indented code, comments, paragraphs. One pass over the lines, linear in their length. Ranges are offsets into the body.
// Other HTML blocks count as paragraphs: authors wrap text in tags and mean it as text. Code spans are inline-spans.ts.

import { LineCursor } from './line-cursor.ts'

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** One line of a fence without the indentation of its containers. `padding` blanks stand before it. */
interface FenceLine extends TextRange {
  readonly padding: number
}

export interface Fence extends TextRange {
  readonly type: 'fence'
  readonly info: string
  readonly closed: boolean
  readonly lines: readonly FenceLine[]
}

type MarkdownBlock =
  | Fence
  /** A paragraph or a heading, each line without its containers. Inline code does not reach over its end. */
  | { readonly type: 'paragraph'; readonly lines: readonly TextRange[] }
  | ({ readonly type: 'indented-code' } & TextRange)
  | ({ readonly type: 'comment' } & TextRange)

type Container = { readonly type: 'quote' } | { readonly type: 'item'; readonly indent: number; empty: boolean }

type Leaf =
  | { readonly type: 'paragraph'; readonly lines: TextRange[] }
  | {
      readonly type: 'fence'
      readonly start: number
      readonly marker: string
      readonly length: number
      readonly indent: number
      readonly info: string
      readonly lines: FenceLine[]
      end: number
    }
  | { readonly type: 'indented-code'; readonly start: number; end: number }
  | { readonly type: 'comment'; readonly start: number; end: number }

const fenceStart = /(?:(`{3,})([^`\n]*)$|(~{3,})([^\n]*)$)/my
const listMarker = /(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/my
const thematicBreak = /(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/my
const heading = /#{1,6}(?:[ \t]+|$)/my
const setextUnderline = /(?:=+|-+)[ \t]*$/my

// Deeper nesting was made to be slow: every line is compared with every container around it.
const maxContainers = 40

/** Finds the blocks of a body, in document order. Lines end in LF. */
export function parseBlocks(body: string): MarkdownBlock[] {
  const reader = new BlockReader(body)
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf('\n', start)
    const end = newline === -1 ? body.length : newline
    reader.readLine(start, end)
    start = end + 1
  }
  reader.closeLeaf()
  return reader.blocks
}

class BlockReader {
  readonly blocks: MarkdownBlock[] = []
  readonly #body: string
  #containers: Container[] = []
  #leaf: Leaf | undefined

  constructor(body: string) {
    this.#body = body
  }

  readLine(start: number, end: number): void {
    const cursor = new LineCursor(this.#body, start, end)
    const matched = this.#matchContainers(cursor)
    const all = matched === this.#containers.length
    if (all && this.#leaf?.type === 'fence') {
      this.#readFenceLine(this.#leaf, cursor)
      return
    }
    if (all && this.#leaf?.type === 'comment') {
      this.#readComment(this.#leaf, cursor)
      return
    }
    if (this.#leaf?.type === 'fence' || this.#leaf?.type === 'comment') this.closeLeaf()
    if (cursor.isBlank) {
      this.#readBlankLine(matched, all)
      return
    }
    this.#readNewBlocks(cursor, matched)
  }

  closeLeaf(closed = false): void {
    const leaf = this.#leaf
    this.#leaf = undefined
    if (!leaf) return
    if (leaf.type === 'fence') {
      const { start, end, info, lines } = leaf
      this.blocks.push({ type: 'fence', start, end, info, closed, lines })
    } else this.blocks.push(leaf)
  }

  #matchContainers(cursor: LineCursor): number {
    let count = 0
    for (const container of this.#containers) {
      const { columns, next } = cursor.indent()
      if (container.type === 'quote') {
        if (columns > 3 || this.#body[next] !== '>' || next >= cursor.end) break
        enterQuote(cursor, columns)
      } else if (next >= cursor.end) {
        if (container.empty) break
      } else if (columns >= container.indent) {
        cursor.skipColumns(container.indent)
        container.empty = false
      } else break
      count += 1
    }
    return count
  }

  #readBlankLine(matched: number, all: boolean): void {
    if (this.#leaf?.type === 'paragraph' || !all) this.closeLeaf()
    // Blank lines do not end a list item, but a line that lacks its `>` ends a quote.
    if (!all) this.#containers.length = matched
  }

  #readNewBlocks(cursor: LineCursor, matched: number): void {
    let paragraphOpen = this.#leaf?.type === 'paragraph'
    let depth = matched
    const open = (container?: Container, isCode = false): void => {
      // Only indented code goes on when more of it follows.
      if (container || depth < this.#containers.length || !isCode || this.#leaf?.type === 'paragraph') this.closeLeaf()
      this.#containers.length = depth
      if (container) this.#containers.push(container)
      depth = this.#containers.length
      paragraphOpen = false
    }
    for (;;) {
      const { columns, next } = cursor.indent()
      // Nothing but containers: no paragraph is open behind them.
      if (next >= cursor.end) return
      if (columns > 3) {
        if (paragraphOpen) break
        open(undefined, true)
        this.#readIndentedCode(cursor)
        return
      }
      if (depth >= maxContainers) break
      if (this.#body[next] === '>') {
        enterQuote(cursor, columns)
        open({ type: 'quote' })
        continue
      }
      if (this.#readLeafStart(cursor, next, columns, depth, open)) return
      // An item of a list ends the paragraph of another container: only one in its own container may be prose.
      const item = this.#readListMarker(cursor, columns, next, paragraphOpen && depth === this.#containers.length)
      if (!item) break
      open(item)
      if (item.empty) return
    }
    this.#readParagraphLine(cursor, depth)
  }

  /** Headings, breaks, fences and comments. Returns whether the line was one. */
  #readLeafStart(cursor: LineCursor, next: number, columns: number, depth: number, open: () => void): boolean {
    const body = this.#body
    if (body.startsWith('<!--', next)) {
      open()
      this.#leaf = { type: 'comment', start: next, end: cursor.end }
      cursor.skipColumns(columns)
      this.#readComment(this.#leaf, cursor)
      return true
    }
    const fence = matchAt(fenceStart, body, next)
    if (fence) {
      open()
      const marks = fence[1] ?? fence[3] ?? ''
      const info = (fence[2] ?? fence[4] ?? '').trim()
      this.#leaf = {
        type: 'fence',
        start: next,
        end: cursor.end,
        marker: marks.slice(0, 1),
        length: marks.length,
        indent: columns,
        info,
        lines: [],
      }
      return true
    }
    if (this.#leaf?.type === 'paragraph' && depth === this.#containers.length && matchAt(setextUnderline, body, next)) {
      this.closeLeaf()
      return true
    }
    if (matchAt(thematicBreak, body, next)) {
      open()
      return true
    }
    const title = matchAt(heading, body, next)
    if (!title) return false
    open()
    this.#leaf = { type: 'paragraph', lines: [{ start: next + title[0].length, end: cursor.end }] }
    this.closeLeaf()
    return true
  }

  #readListMarker(cursor: LineCursor, columns: number, next: number, paragraphOpen: boolean): (Container & { type: 'item' }) | undefined {
    const marker = matchAt(listMarker, this.#body, next)
    if (!marker) return undefined
    const blank = this.#body.slice(next + marker[0].length, cursor.end).trim() === ''
    // Only a first item with text may end a paragraph: "in 1998. It" is prose.
    if (paragraphOpen && this.#leaf?.type === 'paragraph' && (blank || (marker[1] !== undefined && Number(marker[1]) !== 1)))
      return undefined
    cursor.skipColumns(columns)
    cursor.skipCharacters(marker[0].length)
    const { columns: gap } = cursor.indent()
    const padding = blank || gap > 4 ? 1 : gap
    cursor.skipColumns(padding)
    return { type: 'item', indent: columns + marker[0].length + padding, empty: blank }
  }

  #readFenceLine(leaf: Leaf & { type: 'fence' }, cursor: LineCursor): void {
    const { columns, next } = cursor.indent()
    leaf.end = cursor.end
    if (columns < 4 && this.#body[next] === leaf.marker && isClosingFence(this.#body, next, cursor.end, leaf)) {
      this.closeLeaf(true)
      return
    }
    cursor.skipColumns(leaf.indent)
    leaf.lines.push({ start: cursor.position, end: cursor.end, padding: cursor.pendingColumns })
  }

  #readComment(leaf: Leaf & { type: 'comment' }, cursor: LineCursor): void {
    const from = leaf.start >= cursor.position ? leaf.start + 2 : cursor.position
    const close = indexOfWithin(this.#body, '-->', from, cursor.end)
    leaf.end = close === -1 ? cursor.end : close + 3
    if (close === -1) return
    this.closeLeaf()
    cursor.position = close + 3
    const { next } = cursor.indent()
    // What follows the comment on its line is text again.
    if (next < cursor.end) this.#leaf = { type: 'paragraph', lines: [{ start: next, end: cursor.end }] }
  }

  #readIndentedCode(cursor: LineCursor): void {
    if (this.#leaf?.type === 'indented-code') this.#leaf.end = cursor.end
    else {
      this.closeLeaf()
      this.#leaf = { type: 'indented-code', start: cursor.position, end: cursor.end }
    }
  }

  #readParagraphLine(cursor: LineCursor, depth: number): void {
    const { next } = cursor.indent()
    const line = { start: next, end: cursor.end }
    if (this.#leaf?.type === 'paragraph') {
      // Also a lazy line, which leaves out the `>` or the indentation of its containers.
      this.#leaf.lines.push(line)
      return
    }
    this.closeLeaf()
    this.#containers.length = depth
    this.#leaf = { type: 'paragraph', lines: [line] }
  }
}

function enterQuote(cursor: LineCursor, columns: number): void {
  cursor.skipColumns(columns)
  cursor.skipCharacters(1)
  cursor.skipColumns(1)
}

function isClosingFence(body: string, start: number, end: number, fence: { readonly marker: string; readonly length: number }): boolean {
  let position = start
  while (position < end && body[position] === fence.marker) position += 1
  return position - start >= fence.length && body.slice(position, end).trim() === ''
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function indexOfWithin(text: string, wanted: string, from: number, end: number): number {
  const index = text.slice(from, end).indexOf(wanted)
  return index === -1 ? -1 : from + index
}
