// Why a piece of text is not in a file, in words for a model: what differs, or which lines are most like it. Pure, and bounded.

import { shorten } from '../cut-text.ts'

const maxLooked = 20_000
const maxShown = 3
const maxLineChars = 200
const leastLikeness = 0.5

/** What to say after "old_string does not stand in it". */
export function whyAbsent(text: string, oldString: string): string {
  const lines = text.split('\n', maxLooked)
  const wanted = oldString.split('\n')
  if (wanted.every(line => line.trim() === '' || /^\s*\d+(→|\t)/.test(line)))
    return 'it begins with line numbers as Read shows them, which are not in the file'
  const at = lineWithOtherSpace(lines, wanted)
  if (at !== undefined) {
    const found = lines.slice(at, at + Math.min(wanted.length, maxShown)).map((line, index) => shown(at + index, line))
    return `line ${at + 1} has the same text with other white space:\n${found.join('\n')}`
  }
  const near = nearest(lines, wanted)
  return near.length === 0
    ? 'no line is like it; read the file again'
    : `the lines most like it are:\n${near.map(index => shown(index, lines[index] ?? '')).join('\n')}`
}

function shown(index: number, line: string): string {
  return `${index + 1}→${shorten(line.replace(/\r$/, ''), maxLineChars)}`
}

function lineWithOtherSpace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const bare = (line: string): string => line.slice(0, 2_000).replace(/\s+/g, '')
  const [first = '', ...rest] = wanted.map(bare)
  const index = lines.findIndex((line, at) => bare(line) === first && rest.every((each, next) => bare(lines[at + 1 + next] ?? '') === each))
  return index === -1 || wanted.every(line => line.trim() === '') ? undefined : index
}

/** The lines that share most words with the first line that has some. */
function nearest(lines: readonly string[], wanted: readonly string[]): number[] {
  const words = wordsOf(wanted.find(line => wordsOf(line).size > 0) ?? '')
  if (words.size === 0) return []
  return lines
    .map((line, index) => ({ index, likeness: likeness(words, wordsOf(line)) }))
    .filter(each => each.likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness || a.index - b.index)
    .slice(0, maxShown)
    .map(each => each.index)
}

function wordsOf(line: string): Set<string> {
  return new Set(line.slice(0, 2_000).match(/[\p{L}\p{N}_]+/gu))
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared === 0 ? 0 : (2 * shared) / (a.size + b.size)
}
