// Follows the Markdown links between the files of a skill, each real path once. A missing file and a circle are told with the
// files named (SPEC R2.6). Addresses and anchors are no files; what lies outside of the folder is looked for, never read.

import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Diagnostic } from '../errors.ts'
import { isInside } from '../inside.ts'
import { readText } from './read-file.ts'
import { normalizeText } from './split.ts'

const maxFiles = 1000
const maxDepth = 64

/** Checks the links of a body and of the Markdown files it leads to. `bodyLine` is the line of the file on which `body` begins. */
export function checkLinks(
  file: { path: string; body: string; bodyLine: number; baseDir: string },
  maxBytes: number,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const root = realpathSync.native(file.baseDir)
  const visited = new Set<string>()
  const visit = (path: string, text: string, firstLine: number, chain: readonly string[]): void => {
    const realPath = realpathSync.native(path)
    visited.add(realPath)
    const here = [...chain, realPath]
    for (const link of findLinks(text)) {
      const target = resolve(dirname(path), link.target.replace(/^\$\{(?:SKILLCELL|WAVE|CLAUDE)_SKILL_DIR\}/, file.baseDir))
      const at = { path, line: firstLine + link.line, column: link.column }
      if (!existsSync(target)) {
        diagnostics.push({
          code: 'LINK_MISSING',
          severity: 'warning',
          message: `Cannot find "${link.target}", which ${relative(root, realPath)} links to`,
          ...at,
        })
        continue
      }
      const realTarget = realpathSync.native(target)
      // A jump within the page is no circle.
      if (realTarget === realPath && link.hasPart) continue
      if (!realTarget.toLowerCase().endsWith('.md') || !isInside(realTarget, root)) continue
      const start = here.indexOf(realTarget)
      if (start !== -1) {
        const names = [...here.slice(start), realTarget].map(each => relative(root, each))
        diagnostics.push({ code: 'LINK_CIRCLE', severity: 'warning', message: `Break the circle of links: ${names.join(' → ')}`, ...at })
      } else if (!visited.has(realTarget) && visited.size < maxFiles && here.length < maxDepth && statSync(realTarget).isFile()) {
        const linked = readLinked(target, maxBytes, diagnostics)
        if (linked !== undefined) visit(target, linked, 1, here)
      }
    }
  }
  visit(file.path, file.body, file.bodyLine, [])
  return diagnostics
}

function readLinked(path: string, maxBytes: number, diagnostics: Diagnostic[]): string | undefined {
  try {
    return normalizeText(readText(path, { maxBytes }).text)
  } catch (error) {
    diagnostics.push({
      code: 'LINK_UNREADABLE',
      severity: 'warning',
      message: error instanceof Error ? error.message : String(error),
      path,
    })
    return undefined
  }
}

interface Link {
  readonly target: string
  /** It leads to one place of the target: `guide.md#part`. */
  readonly hasPart: boolean
  /** From 0. */
  readonly line: number
  readonly column: number
}

/** Links and definitions outside of code and comments whose target is a relative path. */
export function findLinks(text: string): readonly Link[] {
  const links: Link[] = []
  let fence: string | undefined
  let inComment = false
  const lines = text.split('\n')
  // A comment that nothing closes is text.
  const lastClosing = lines.findLastIndex(source => source.includes('-->'))
  for (const [line, written] of lines.entries()) {
    const end = inComment ? written.indexOf('-->') : 0
    if (end === -1) continue
    const source = inComment ? ' '.repeat(end + 3) + written.slice(end + 3) : written
    inComment = false
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(source)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && source.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    // Code spans and comments keep their length, so that columns stay.
    const shown = withoutHidden(source.slice(0, 20_000))
    const opening = line < lastClosing ? shown.indexOf('<!--') : -1
    inComment = opening !== -1
    const plain = inComment ? shown.slice(0, opening) : shown
    for (const match of plain.matchAll(/\]\(\s*(?:<([^<>]{1,1000})>|([^\s()<>]{1,1000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,500})?))/g)) {
      addLink(match[1] ?? match[2] ?? '', line, match.index + 1, links)
    }
    const definition = /^ {0,3}\[[^\]^][^\]]{0,200}\]:\s+<?([^\s<>]{1,1000})/.exec(plain)?.[1]
    if (definition !== undefined) addLink(definition, line, 1, links)
  }
  return links
}

function withoutHidden(source: string): string {
  // Behind the last sign that closes a comment there is none to look for.
  const end = source.lastIndexOf('-->') + 3
  const blank = (span: string): string => ' '.repeat(span.length)
  const rest = source.slice(end < 3 ? 0 : end).replace(/(`+)[^`]+\1/g, blank)
  return end < 3 ? rest : source.slice(0, end).replace(/(`+)[^`]+\1|<!--.*?-->/g, blank) + rest
}

function addLink(written: string, line: number, column: number, links: Link[]): void {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#|~)/i.test(written)) return
  const path = written.replace(/[#?].*$/s, '')
  const unfilled = path.replace(/^\$\{(?:SKILLCELL|WAVE|CLAUDE)_SKILL_DIR\}/, '')
  // `<name>`, `{id}`, `$1` and `*` stand for something that is not known here; a bare word is mostly prose.
  if (path === '' || /[<>{}$*|]|\.\.\./.test(unfilled) || !/[./]/.test(path)) return
  links.push({ target: decode(path), hasPart: written.includes('#'), line, column })
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
