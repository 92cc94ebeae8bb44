// HTML → plain text, in bounded time: the parser takes time that grows with the square of what is open at once (1 MiB of `<div>` took
// 24 s), so no more than a number of characters and of tags is given to it. What no reader sees is taken out first, in one pass.

import { compile, type Selector } from 'html-to-text'
import { formatters } from './html-formats.ts'

// The worst page inside these limits that was tried takes 100 ms (two cores, not idle), most take under 40.
const maxHtmlChars = 256 * 1024
const maxTags = 8_000

const convert = compile({
  wordwrap: false,
  baseElements: { selectors: ['body'], returnDomByDefault: true },
  limits: { maxDepth: 100, maxChildNodes: 10_000, ellipsis: '…' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'nav', format: 'skip' },
    { selector: 'form', format: 'block' },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'li', format: 'listItem' },
    ...['ul', 'ol'].flatMap(name => [list(name, 2), list(`li > ${name}`, 1)]),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
    // Rows as lines. The tables of the library take the square and more of what they hold, and `colspan` fills memory.
    { selector: 'table', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map(selector => ({ selector, format: 'inlineSurround', options: { suffix: ' | ' } })),
  ],
  formatters,
})

function list(selector: string, lineBreaks: number): Selector {
  return { selector, format: 'block', options: { leadingLineBreaks: lineBreaks, trailingLineBreaks: lineBreaks } }
}

interface HtmlText {
  readonly text: string
  /** Whether the page was longer than what was looked at. */
  readonly truncated: boolean
}

export function htmlToText(html: string): HtmlText {
  const visible = withoutInvisible(html)
  const end = endOfTags(visible)
  const text = convert(visible.slice(0, end))
  return { text: withoutEmptyEnds(text), truncated: end < visible.length }
}

// Line by line: a regular expression for blanks before a line end takes the square of a long run of them.
function withoutEmptyEnds(text: string): string {
  const lines = text.split('\n').map(line => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Where the limit of characters or of tags is reached. */
function endOfTags(html: string): number {
  let tags = 0
  for (let at = html.indexOf('<'); at !== -1 && at < maxHtmlChars; at = html.indexOf('<', at + 1)) {
    tags += 1
    if (tags > maxTags) return at
  }
  return Math.min(html.length, maxHtmlChars)
}

const invisible = /<(?:!--|(script|style|svg|noscript|template)(?=[\s/>]))/gi

/** Without comments, scripts, styles and drawings; one that never ends takes the rest. */
function withoutInvisible(html: string): string {
  const pieces: string[] = []
  let from = 0
  invisible.lastIndex = 0
  for (let found = invisible.exec(html); found; found = invisible.exec(html)) {
    pieces.push(html.slice(from, found.index), ' ')
    const close = found[1] === undefined ? /--!?>/g : closers[found[1].toLowerCase()]
    if (!close) break
    close.lastIndex = found.index + found[0].length - (found[1] === undefined ? 2 : 0)
    from = close.exec(html) ? close.lastIndex : html.length
    invisible.lastIndex = from
  }
  pieces.push(html.slice(from))
  return pieces.join('')
}

const closers: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ['script', 'style', 'svg', 'noscript', 'template'].map(name => [name, new RegExp(`</${name}[^>]{0,200}>`, 'gi')]),
)
