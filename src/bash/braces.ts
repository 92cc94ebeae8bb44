// Brace expansion, as bash does it before anything else: `{a,b}.txt` and `{1..3}` are several words. Only where it is certain what
// comes of it: plain text and globs inside the braces, no expansion beside them, a bounded number.

import type { Word, WordPart } from './parse.ts'
import { readPart, type ShellWord, type WordPiece } from './words.ts'

const maxWords = 64

/** The words that a word with braces becomes; undefined where it has none, or where that is not certain. */
export function expandBraces(word: Word): readonly ShellWord[] | undefined {
  if (!word.parts?.some(part => part.type === 'BraceExpansion')) return undefined
  let found: readonly (readonly WordPiece[])[] = [[]]
  for (const part of word.parts) {
    const choices = part.type === 'BraceExpansion' ? choicesOf(part.text)?.map(piecesOf) : otherPart(part)
    if (!choices || found.length * choices.length > maxWords) return undefined
    found = found.flatMap(before => choices.map(choice => [...before, ...choice]))
  }
  // A word that comes out empty is no word, unless a quote makes it one.
  return found.filter(pieces => pieces.length > 0).map(pieces => wordOf(pieces, word.pos))
}

function wordOf(pieces: readonly WordPiece[], position: number): ShellWord {
  const text = pieces.map(piece => (piece.type === 'literal' ? piece.value : piece.text)).join('')
  const known = pieces.every(piece => piece.type === 'literal')
  return { text, pieces, value: known ? text : undefined, tilde: false, position }
}

/** A part beside the braces: it must be what it says, as bash reads braces before quotes, dollars and tildes. */
function otherPart(part: WordPart): readonly (readonly WordPiece[])[] | undefined {
  if (part.type === 'Literal')
    return part.text === part.value && !/[{}$~\\`]/.test(part.text) ? [[{ type: 'literal', value: part.value }]] : undefined
  if (part.type === 'Glob') return /[{}$\\`'"]/.test(part.text) ? undefined : [[{ type: 'glob', text: part.text }]]
  if (part.type !== 'SingleQuoted' && part.type !== 'DoubleQuoted') return undefined
  const pieces = readPart(part)
  return pieces.every(piece => piece.type === 'literal') ? [pieces] : undefined
}

// A glob sign in an alternative stays one.
function piecesOf(text: string): readonly WordPiece[] {
  return text
    .split(/([*?])/)
    .filter(Boolean)
    .map(part => (part === '*' || part === '?' ? { type: 'glob', text: part } : { type: 'literal', value: part }))
}

const plainText = /^[\w./:@%+=*?-]*$/

/** The texts that one brace expression stands for. */
function choicesOf(text: string): readonly string[] | undefined {
  const inner = text.slice(1, -1)
  const range = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(inner)
  if (range) return numbers(range[1] ?? '', range[2] ?? '')
  if (/^[a-z]\.\.[a-z]$|^[A-Z]\.\.[A-Z]$/.test(inner)) return letters(inner.charCodeAt(0), inner.charCodeAt(3))
  const alternatives = splitAlternatives(inner)
  if (!alternatives || alternatives.length < 2 || alternatives.length > maxWords) return undefined
  const choices: string[] = []
  for (const alternative of alternatives) {
    const expanded = alternative.includes('{') ? nested(alternative) : plainText.test(alternative) ? [alternative] : undefined
    if (!expanded || choices.length + expanded.length > maxWords) return undefined
    choices.push(...expanded)
  }
  return choices
}

/** An alternative with one brace expression in it. */
function nested(alternative: string): readonly string[] | undefined {
  const match = /^([^{}]*)(\{.*\})([^{}]*)$/.exec(alternative)
  const [, before = '', braces = '', after = ''] = match ?? []
  if (!match || !plainText.test(before) || !plainText.test(after) || closingOf(braces) !== braces.length - 1) return undefined
  return choicesOf(braces)?.map(choice => before + choice + after)
}

function closingOf(text: string): number {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '{') depth += 1
    else if (text[index] === '}' && --depth === 0) return index
  }
  return -1
}

function splitAlternatives(inner: string): readonly string[] | undefined {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < inner.length; index++) {
    const sign = inner[index]
    if (sign === '{') depth += 1
    else if (sign === '}') depth -= 1
    else if (sign === ',' && depth === 0) {
      found.push(inner.slice(start, index))
      start = index + 1
    }
    if (depth < 0 || depth > 4) return undefined
  }
  return depth === 0 ? [...found, inner.slice(start)] : undefined
}

function numbers(first: string, last: string): readonly string[] | undefined {
  // A leading zero asks for a width.
  if (/^-?0\d|^-0/.test(first) || /^-?0\d|^-0/.test(last)) return undefined
  return range(Number(first), Number(last))?.map(String)
}

function letters(first: number, last: number): readonly string[] | undefined {
  return range(first, last)?.map(code => String.fromCharCode(code))
}

function range(first: number, last: number): readonly number[] | undefined {
  const count = Math.abs(last - first) + 1
  const step = last < first ? -1 : 1
  return count > maxWords ? undefined : Array.from({ length: count }, (_, index) => first + index * step)
}
