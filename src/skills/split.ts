// Finds where the frontmatter of a file begins and ends. A machine over lines: it never looks at YAML.
// Line ends become LF first, so line numbers are those an editor shows. What is odd but readable is
// accepted and told; a block without an end is never guessed (SPEC R2.1).

export interface SplitText {
  readonly status: 'block' | 'none' | 'unclosed'
  /** The YAML between the two lines, without them. */
  readonly block: string
  /** Line of the file on which `block` begins, from 1. */
  readonly blockLine: number
  readonly body: string
  readonly bodyLine: number
  readonly oddities: readonly Oddity[]
}

export interface Oddity {
  readonly message: string
  readonly line: number
}

/**
 * Splits a text into frontmatter and body. With `complete: false` the text is only the beginning of a file:
 * the answer is then undefined while more of it could change where the block ends.
 */
export function splitFrontmatter(text: string): SplitText
export function splitFrontmatter(text: string, options: { readonly complete: boolean }): SplitText | undefined
export function splitFrontmatter(text: string, { complete }: { readonly complete: boolean } = { complete: true }): SplitText | undefined {
  const source = normalizeText(complete || !text.endsWith('\r') ? text : text.slice(0, -1))
  const opening = findOpening(source, complete)
  if (opening === undefined) return undefined
  const { start, oddities } = opening
  if (start === -1) return { status: 'none', block: '', blockLine: 1, body: source, bodyLine: 1, oddities: [] }
  const blockLine = lineOf(source, start)
  const closing = findClosing(source, start, complete)
  if (closing === undefined) {
    return complete ? { status: 'unclosed', block: source.slice(start), blockLine, body: source, bodyLine: 1, oddities } : undefined
  }
  const body = source.slice(closing.bodyStart)
  return {
    status: 'block',
    block: source.slice(start, closing.start),
    blockLine,
    body: opening.fence === undefined ? body : withoutClosingFence(body, opening.fence),
    bodyLine: lineOf(source, closing.bodyStart),
    oddities: closing.oddity === undefined ? oddities : [...oddities, { message: closing.oddity, line: lineOf(source, closing.start) }],
  }
}

/** Removes a byte order mark and makes every line end LF. */
export function normalizeText(text: string): string {
  const unmarked = text.startsWith('\uFEFF') ? text.slice(1) : text
  return unmarked.includes('\r') ? unmarked.replace(/\r\n?/g, '\n') : unmarked
}

/** Line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

interface Opening {
  /** Offset of the first line of the block, -1 when there is none. */
  readonly start: number
  readonly oddities: readonly Oddity[]
  readonly fence?: string
}

const none: Opening = { start: -1, oddities: [] }

function findOpening(source: string, complete: boolean): Opening | undefined {
  const oddities: Oddity[] = []
  let at = skipBlankLines(source, 0)
  if (at > 0) oddities.push({ message: 'Remove the blank lines before the frontmatter: other hosts do not find it there', line: 1 })
  if (source.startsWith('<!--', at)) {
    const end = source.indexOf('-->', at)
    if (end === -1) return complete ? none : undefined
    oddities.push({ message: 'Move the comment below the frontmatter: other hosts do not find it there', line: lineOf(source, at) })
    at = skipBlankLines(source, skipBlanks(source, end + 3))
  }
  let line = lineAt(source, at)
  const fence = /^(`{3,}|~{3,})[^`]*$/.exec(line)?.[1]
  if (fence !== undefined && at + line.length < source.length) {
    const inside = skipBlankLines(source, at + line.length + 1)
    const insideLine = lineAt(source, inside)
    if (!complete && inside + insideLine.length >= source.length) return undefined
    if (isFrontmatterLine(insideLine)) {
      oddities.push({ message: 'Remove the code fence around the file: other hosts see no frontmatter in it', line: lineOf(source, at) })
      at = inside
      line = insideLine
    }
  }
  if (at + line.length >= source.length && !complete) return undefined
  if (!isFrontmatterLine(line)) return none
  return { start: Math.min(at + line.length + 1, source.length), oddities, ...(fence === undefined ? {} : { fence }) }
}

interface Closing {
  readonly start: number
  readonly bodyStart: number
  readonly oddity?: string
}

function findClosing(source: string, start: number, complete: boolean): Closing | undefined {
  for (let at = start; at !== -1 && at < source.length; at = nextLine(source, at)) {
    if (!source.startsWith('---', at) || source[at + 3] === '-') {
      // Most lines are no fence: find the next candidate without looking at each.
      const before = source.indexOf('\n---', at)
      if (before === -1) break
      at = before
      if (source[at + 4] === '-') continue
      at++
    }
    const line = lineAt(source, at)
    const end = at + line.length
    if (end >= source.length && !complete) return undefined
    if (isFrontmatterLine(line)) return { start: at, bodyStart: Math.min(end + 1, source.length) }
    return { start: at, bodyStart: at + 3, oddity: 'Put the closing --- on a line of its own: text is glued to it' }
  }
  return complete ? findOddClosing(source, start) : undefined
}

// Only when no line begins with three dashes: each of these may also be part of a value.
const oddClosings: readonly (readonly [RegExp, string])[] = [
  [/^\.\.\.[ \t]*$/m, 'Close the frontmatter with --- instead of ...: other hosts do not know it'],
  [/^-{4,}[ \t]*$/m, 'Close the frontmatter with exactly three dashes'],
  [/^[ \t]+---[ \t]*$/m, 'Put the closing --- at the start of its line'],
]

function findOddClosing(source: string, start: number): Closing | undefined {
  const rest = source.slice(start)
  for (const [pattern, oddity] of oddClosings) {
    const match = pattern.exec(rest)
    if (match === null) continue
    const at = start + match.index
    return { start: at, bodyStart: Math.min(at + match[0].length + 1, source.length), oddity }
  }
  return undefined
}

function isFrontmatterLine(line: string): boolean {
  return line.startsWith('---') && line.slice(3).trim() === ''
}

function lineAt(source: string, at: number): string {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.slice(at) : source.slice(at, end)
}

function nextLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? -1 : end + 1
}

function skipBlanks(source: string, from: number): number {
  let at = from
  while (source[at] === ' ' || source[at] === '\t') at++
  return source[at] === '\n' ? at + 1 : at
}

function skipBlankLines(source: string, from: number): number {
  let at = from
  for (let end = at; ; at = end) {
    end = skipBlanks(source, at)
    if (end === at || source[end - 1] !== '\n') return at
  }
}

function withoutClosingFence(body: string, fence: string): string {
  const end = body.trimEnd()
  const lastLine = end.slice(end.lastIndexOf('\n') + 1).trim()
  return lastLine.startsWith(fence) && /^(`+|~+)$/.test(lastLine) ? end.slice(0, end.lastIndexOf('\n') + 1) : body
}
