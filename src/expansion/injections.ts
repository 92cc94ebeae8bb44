// Finds the injected commands of a body, and what else is code (SPEC R4.1). Pure: it never runs anything.
// Offsets are those of the author's text, which is read once; arguments and outputs are put in later and not scanned.

import { findInline, type InlineSpan } from './inline-spans.ts'
import { type Fence, parseBlocks, type TextRange } from './markdown.ts'

export interface Injection extends TextRange {
  /** The command without its marks; empty when blank. */
  readonly command: string
  /** Where the command itself begins. */
  readonly commandStart: number
}

export interface CodeRegion extends TextRange {
  readonly type: 'span' | 'fence' | 'indented-code'
  /** The first word of a fence's info string. */
  readonly language: string
}

/** A command that does not run because of where it stands. */
interface UnrunInjection {
  readonly position: number
  readonly severity: 'note' | 'warning'
  readonly reason: string
}

export interface BodyStructure {
  /** In document order, apart from each other and from `injections`. */
  readonly code: readonly CodeRegion[]
  readonly injections: readonly Injection[]
  readonly unrun: readonly UnrunInjection[]
}

/** Reads the structure of a body. Linear in its length. */
export function readStructure(body: string): BodyStructure {
  const code: CodeRegion[] = []
  const injections: Injection[] = []
  const unrun: UnrunInjection[] = []
  const report = (range: TextRange, severity: UnrunInjection['severity'], where: string): void => {
    const match = injectionSign.exec(body.slice(range.start, range.end))
    if (!match) return
    const reason = `Kept an injected command as text: it stands in ${where}`
    unrun.push({ position: range.start + match.index + (match[1] ?? '').length, severity, reason })
  }
  for (const block of parseBlocks(body)) {
    if (block.type === 'comment') report(block, 'note', 'an HTML comment')
    else if (block.type === 'indented-code') {
      code.push({ ...block, language: '' })
      report(block, 'warning', 'indented code; write it with less indentation to run it')
    } else if (block.type === 'paragraph') {
      for (const region of findInline(body, block.lines, 'paragraph')) {
        if (region.type === 'comment') report(region, 'note', 'an HTML comment')
        else readSpan(body, region, { code, injections, unrun })
      }
    } else readFence(body, block, { code, injections, unrun, report })
  }
  return { code, injections, unrun }
}

const injectionSign = /(^|\s)(?:!`[^`]+`(?!`)|```!(?=[ \n]))/
const documentationLanguages: ReadonlySet<string> = new Set(['markdown', 'md', 'mdx'])

function readSpan(body: string, span: InlineSpan, { code, injections, unrun }: Pick<Findings, 'code' | 'injections' | 'unrun'>): void {
  if (isInjectionMark(body, span)) {
    injections.push(commandOf(span.start - 1, span, stripOneBlank(span.content), span.start + 1))
    return
  }
  // The block form on one line: three backticks or more, a mark, the command.
  const oneLine = span.ticks >= 3 && span.alone ? /^!\s+(\S.*)$/s.exec(span.content) : null
  if (oneLine?.[1] !== undefined) {
    if (!body.slice(span.start, span.end).includes('\n')) {
      injections.push(commandOf(span.start, span, oneLine[1].trimEnd(), span.start + span.ticks + span.content.indexOf(oneLine[1])))
      return
    }
    const reason = 'Kept an injected command as text: its marks are indented too far to be a fence; write them with less indentation'
    unrun.push({ position: span.start, severity: 'warning', reason })
  }
  code.push({ type: 'span', start: span.start, end: span.end, language: '' })
}

function isInjectionMark(body: string, span: InlineSpan): boolean {
  if (span.ticks !== 1 || span.before !== '!' || body[span.start - 1] !== '!') return false
  return span.beforeThat === undefined || /\s/.test(span.beforeThat)
}

function commandOf(start: number, { end }: TextRange, text: string, commandStart: number): Injection {
  return { start, end, command: text.trim() === '' ? '' : text, commandStart }
}

/** CommonMark: one blank on each side belongs to the marks, unless there is nothing else. */
function stripOneBlank(content: string): string {
  return content.startsWith(' ') && content.endsWith(' ') && content.trim() !== '' ? content.slice(1, -1) : content
}

interface Findings {
  readonly code: CodeRegion[]
  readonly injections: Injection[]
  readonly unrun: UnrunInjection[]
  readonly report: (range: TextRange, severity: UnrunInjection['severity'], where: string) => void
}

function readFence(body: string, fence: Fence, { code, injections, unrun, report }: Findings): void {
  if (fence.info === '!' && fence.closed) {
    const command = fence.lines.map(({ start, end, padding }) => ' '.repeat(padding) + body.slice(start, end)).join('\n')
    injections.push(commandOf(fence.start, fence, command, fence.lines[0]?.start ?? fence.start))
    return
  }
  const language = (/^[^\s{,]*/.exec(fence.info)?.[0] ?? '').toLowerCase()
  const pieces = splitAround(fence, [])
  if (fence.info === '!') {
    unrun.push({
      position: fence.start,
      severity: 'warning',
      reason: 'Kept an injected command as text: its fence is not closed; close it with the same mark at the same indentation',
    })
  } else if (documentationLanguages.has(language)) report(fence, 'note', `a fence marked ${language}, which is documentation`)
  else {
    const found = chunksOf(fence)
      .flatMap(lines => findInline(body, lines, 'fence'))
      .filter(region => region.type === 'span' && isInjectionMark(body, region))
      .map(span => commandOf(span.start - 1, span, stripOneBlank(span.type === 'span' ? span.content : ''), span.start + 1))
    injections.push(...found)
    pieces.splice(0, 1, ...splitAround(fence, found))
  }
  for (const piece of pieces) code.push({ type: 'fence', ...piece, language })
}

/** The lines of a fence between its blank lines: no span reaches over one. */
function chunksOf(fence: Fence): TextRange[][] {
  const chunks: TextRange[][] = [[]]
  for (const line of fence.lines) {
    if (line.start >= line.end) chunks.push([])
    else chunks.at(-1)?.push(line)
  }
  return chunks
}

function splitAround({ start, end }: TextRange, holes: readonly TextRange[]): TextRange[] {
  const pieces: TextRange[] = []
  let from = start
  for (const hole of holes) {
    pieces.push({ start: from, end: hole.start })
    from = hole.end
  }
  pieces.push({ start: from, end })
  return pieces
}
