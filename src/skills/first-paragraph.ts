// The first paragraph of a body, for a skill without a description (SPEC R2.6). Headings, rules, comments and fences are none.

import { cutText } from '../cut-text.ts'

/** The paragraph on one line, at most `maxChars` UTF-16 units; empty when there is none. */
export function firstParagraph(body: string, maxChars: number): string {
  const lines: string[] = []
  let fence: string | undefined
  let inComment = false
  let from = 0
  while (from <= body.length) {
    const end = body.indexOf('\n', from)
    const line = (end === -1 ? body.slice(from) : body.slice(from, end)).trim()
    from = end === -1 ? body.length + 1 : end + 1
    if (inComment || (lines.length === 0 && line.startsWith('<!--'))) {
      inComment = !line.includes('-->')
      continue
    }
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    const isBreak = line === '' || mark !== undefined || /^#{1,6}(\s|$)/.test(line) || /^([-*_=])(\s*\1)*$/.test(line)
    if (!isBreak) {
      lines.push(line)
      if (lines.length * 2 > maxChars) break
      continue
    }
    // Dashes or equal signs below a text make it a heading.
    if (lines.length > 0 && !/^(=+|-+)$/.test(line)) break
    if (lines.length > 0) lines.length = 0
    fence = mark
  }
  return cutText(lines.join(' '), maxChars)
}
