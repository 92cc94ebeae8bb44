// What a word of bash means before anything runs: its text after quote removal, or what keeps it from being known.

import type { Word, WordPart } from './parse.ts'

export type WordPiece =
  | { readonly type: 'literal'; readonly value: string }
  /** `setInText`: it is the value of a variable, one word whatever it matches. */
  | { readonly type: 'glob'; readonly text: string; readonly setInText?: boolean }
  /** An expansion, a substitution or braces: its value is not known. `syntax` is the node type, `variable` names a plain `$name`. */
  | {
      readonly type: 'unknown'
      readonly text: string
      readonly syntax: string
      readonly variable?: string
      readonly quoted: boolean
      readonly setInText?: boolean
    }

export interface ShellWord {
  /** As written. */
  readonly text: string
  readonly pieces: readonly WordPiece[]
  /** After quote removal; undefined when an expansion, a brace or a glob keeps it open. */
  readonly value: string | undefined
  /** Whether an unquoted `~` begins it. */
  readonly tilde: boolean
  readonly position: number
}

/** Reads a word. Never throws. */
export function readWord(word: Word): ShellWord {
  const tilde = word.text.startsWith('~')
  if (!word.parts)
    return { text: word.text, pieces: [{ type: 'literal', value: word.value }], value: word.value, tilde, position: word.pos }
  const pieces: WordPiece[] = []
  for (const part of word.parts) addPart(part, false, pieces)
  let value: string | undefined = ''
  for (const piece of pieces) value = piece.type === 'literal' && value !== undefined ? value + piece.value : undefined
  return { text: word.text, pieces, value, tilde, position: word.pos }
}

/** A word that stands for text that no parser saw, such as an operand that a wrapper adds. */
export function unknownWord(text: string): ShellWord {
  return { text, pieces: [{ type: 'unknown', text, syntax: 'Input', quoted: false }], value: undefined, tilde: false, position: 0 }
}

/** A word that is known. */
export function literalWord(value: string, position = 0): ShellWord {
  return { text: value, pieces: [{ type: 'literal', value }], value, tilde: false, position }
}

/** A word that stands for the path of a file found at run time; `several` where more than one may stand there. */
export function foundFile(several: boolean, position = 0): ShellWord {
  const text = './found'
  if (!several) return literalWord(text, position)
  const pieces: readonly WordPiece[] = [
    { type: 'literal', value: text },
    { type: 'glob', text: '*' },
  ]
  return { text, pieces, value: undefined, tilde: false, position }
}

/** The rest of a word after a known beginning of `length` characters. */
export function wordFrom(word: ShellWord, length: number): ShellWord {
  const pieces: WordPiece[] = []
  let left = length
  for (const piece of word.pieces) {
    if (left > 0 && piece.type === 'literal') {
      if (piece.value.length > left) pieces.push({ type: 'literal', value: piece.value.slice(left) })
      left -= Math.min(left, piece.value.length)
    } else pieces.push(piece)
  }
  const value = word.value?.slice(length)
  return { text: word.text, pieces, value, tilde: value?.startsWith('~') ?? false, position: word.position }
}

/** The known beginning of a word: all of it, or what stands before the first open piece. */
export function knownStart(word: ShellWord): string {
  let start = ''
  for (const piece of word.pieces) {
    if (piece.type !== 'literal') return start
    start += piece.value
  }
  return start
}

/** Whether a word may become more than one word, or none. */
export function splits(word: ShellWord): boolean {
  return word.pieces.some(piece => piece.type === 'glob' || (piece.type === 'unknown' && !piece.quoted))
}

/** As shown in `argv` of a decision, and as rules see it: the value, or the source where it is not known. */
export function shownWord(word: ShellWord): string {
  return word.value ?? word.text
}

/** The name of the program that a word calls: `/usr/bin/git` is git. */
export function baseName(word: ShellWord | undefined): string | undefined {
  const value = word?.value
  return value?.includes('/') ? value.slice(value.lastIndexOf('/') + 1) : value
}

/** The pieces of one part of a word, unquoted. */
export function readPart(part: WordPart): readonly WordPiece[] {
  const pieces: WordPiece[] = []
  addPart(part, false, pieces)
  return pieces
}

function addPart(part: WordPart, quoted: boolean, pieces: WordPiece[]): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      pieces.push({ type: 'literal', value: part.value })
      return
    case 'DoubleQuoted':
      if (part.parts.length === 0) pieces.push({ type: 'literal', value: '' })
      for (const child of part.parts) addPart(child, true, pieces)
      return
    case 'Glob':
      pieces.push({ type: 'glob', text: part.text })
      return
    case 'SimpleExpansion':
      pieces.push({ type: 'unknown', text: part.text, syntax: part.type, variable: part.text.slice(1), quoted })
      return
    case 'ParameterExpansion': {
      const plain = part.prefix === undefined && part.index === undefined && part.operation === undefined
      pieces.push({ type: 'unknown', text: part.text, syntax: part.type, quoted, ...(plain ? { variable: part.parameter } : {}) })
      return
    }
    case 'LocaleString':
      // The message catalogue may put any text in its place.
      pieces.push({ type: 'unknown', text: part.text, syntax: part.type, quoted: true })
      return
    default:
      pieces.push({ type: 'unknown', text: part.text, syntax: part.type, quoted })
  }
}
