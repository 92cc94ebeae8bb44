// What of a prompt and of a tool's result is kept so that a replay notices another one: as much as will be the same on another day and
// another machine, and none of what will not (paths, times, ids). Pure; each text that is kept is a literal piece of what came.

import { cutText } from '../cut-text.ts'
import type { ToolResult } from './model.ts'
import type { ExpectedResult } from './script-file.ts'

/** Long enough to tell one prompt from another, short enough to survive an edit elsewhere in it. */
const maxPieceChars = 80
const maxPieces = 4
/** Pieces are looked for in the head of the prompt: what comes later is mostly output of commands. */
const searchedLines = 40
const searchedChars = 8_000
/** A word of three letters says little beside longer pieces. */
const fewChars = 3

/**
 * Literal pieces of the text: the longest, each from one line, without what looks like a path, an address, a date, a number or an id, in the
 * order of the text. The line that names the skill's folder is the same for every skill and is passed over. None when nothing is stable.
 */
export function stablePieces(text: string): readonly string[] {
  const body = text.slice(0, searchedChars).replace(/^Base directory for this skill:[^\r\n]*/, '')
  const lines = body.split(/[\r\n]+/, searchedLines)
  // A word with a slash, a digit or an @ ends a piece.
  const pieces = lines.flatMap(line => line.split(/\S*[\d/\\@~$]\S*/)).map(piece => cutText(piece.trim(), maxPieceChars).trim())
  const longest = [...new Set(pieces)].filter(piece => piece !== '').toSorted((a, b) => b.length - a.length)
  const chosen = new Set(longest.filter((piece, index) => index === 0 || piece.length > fewChars).slice(0, maxPieces))
  return [...new Set(pieces)].filter(piece => chosen.has(piece))
}

/** A result up to this length has to be the same to the last character. */
const maxEqualChars = 4_000
const maxIncludedChars = 2_000

export function expectedResult({ name, isError, output }: ToolResult): ExpectedResult {
  const same = { name, isError }
  const lines = output.split('\n')
  if (isUnordered(name, lines)) return { ...same, ...including(longestOf(lines.filter(isStable))) }
  if (output.length <= maxEqualChars && lines.every(isStable)) return { ...same, equals: output }
  return { ...same, ...including(longestOf(stableRuns(lines))) }
}

/** Names of files come newest first, and a fresh copy of a workspace has other times. */
function isUnordered(tool: string, lines: readonly string[]): boolean {
  return tool === 'Glob' || (tool === 'Grep' && !lines.some(line => /[:-]\d+(?:[:-]|$)/.test(line)))
}

/** Lines that stand together and are all stable, as they stand in the text. */
function stableRuns(lines: readonly string[]): readonly string[] {
  const runs: string[][] = [[]]
  for (const line of lines) {
    if (isStable(line)) runs.at(-1)?.push(line)
    else runs.push([])
  }
  return runs.map(run => run.join('\n'))
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

function including(text: string): Pick<ExpectedResult, 'includes'> {
  const piece = cutText(text, maxIncludedChars)
  return piece.trim() === '' ? {} : { includes: piece }
}

const changing: readonly RegExp[] = [
  // An absolute path, also after a colon, a quote or a bracket; the home.
  /(?:^|[^\w.~/-])(?:\/|~\/|[A-Za-z]:\\)[\w.]/,
  // A time, a date, how long something took.
  /\d:\d\d|\d{4}-\d\d|\d\d?[./]\d\d?[./]\d{2,4}|\d ?(?:[mµn]?s|secs?|seconds?|minutes?)\b/,
  // A hash, an id, a large number: process ids and sizes on a disk are among them.
  /\b(?=[a-f]*\d)[\da-f]{7,}\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{16,}\b/i,
]

function isStable(line: string): boolean {
  return !changing.some(pattern => pattern.test(line))
}
