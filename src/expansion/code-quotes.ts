// What is a program of its own inside code: single-quoted text (awk, sed, perl) and fences that hold a script.
// `$N` in them belongs to that program (SPEC R3.4).

import type { TextRange } from './markdown.ts'

const shellLanguages: ReadonlySet<string> = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'shell-session', 'awk'])

/** Whether code is a script: it has a `#!` line or defines a shell function. */
export function isScript(code: string): boolean {
  return (
    /^[ \t>]*#!/m.test(code) || /^[ \t>]*(?:function[ \t]+[\w:.-]+[ \t]*(?:\([ \t]*\))?|[\w:.-]+[ \t]*\([ \t]*\))\s{0,80}[{(]/m.test(code)
  )
}

/** The parts of a piece of code that stand in single quotes, in order. Linear. An apostrophe inside a word is none. */
export function singleQuotedRanges(code: string, language: string): TextRange[] {
  const ranges: TextRange[] = []
  if (!code.includes("'")) return ranges
  const isShell = shellLanguages.has(language)
  const signs = /\\.|"|'|#/gs
  const last = code.lastIndexOf("'")
  let inDouble = false
  for (let match = signs.exec(code); match && match.index <= last; match = signs.exec(code)) {
    const start = match.index
    if (match[0] === '"') inDouble = inDouble ? false : code.indexOf('"', start + 1) !== -1
    else if (inDouble) continue
    else if (match[0] === '#' && isShell && /^$|\s/.test(code[start - 1] ?? '')) {
      const newline = code.indexOf('\n', start)
      if (newline === -1) break
      signs.lastIndex = newline
    } else if (match[0] === "'" && (isShell || !isApostrophe(code, start))) {
      const end = code.indexOf("'", start + 1)
      if (end === -1) break
      ranges.push({ start, end: end + 1 })
      signs.lastIndex = end + 1
    }
  }
  return ranges
}

/** `don't` has letters on both sides; so has `-F'x'`, where an option letter stands before. */
function isApostrophe(code: string, position: number): boolean {
  return (
    /[A-Za-z0-9]/.test(code[position - 1] ?? '') &&
    /[A-Za-z]/.test(code[position + 1] ?? '') &&
    !/(?:^|\s)-\w$/.test(code.slice(Math.max(0, position - 3), position))
  )
}
