// What can be said of a command and its words before it runs. Facts only: word-rewriter.ts and command-rewriter.ts decide.

import { type Command, type ParameterExpansionPart, type ParsedScript, type Word, walkNodes } from '../bash/parse.ts'
import { readWord, type ShellWord, type WordPiece } from '../bash/words.ts'
import type { ShellValues } from './shell-values.ts'

/** Fills the directories into a word. */
export function filledWord(word: Word, fixed: ShellValues['fixed']): ShellWord {
  const read = readWord(word)
  if (read.value !== undefined) return read
  const pieces = read.pieces.map((piece): WordPiece => {
    const value = piece.type === 'unknown' && piece.variable ? fixed.get(piece.variable) : undefined
    return value === undefined ? piece : { type: 'literal', value }
  })
  const known = pieces.every(piece => piece.type === 'literal')
  return { ...read, pieces, value: known ? pieces.map(piece => (piece.type === 'literal' ? piece.value : '')).join('') : undefined }
}

/** The last part of the path that a word names, also where its beginning is not known: `setup.sh` of `"$HOME/bin/setup.sh"`. */
export function lastPathPart({ value, pieces }: ShellWord): string | undefined {
  if (value !== undefined) return value.slice(value.lastIndexOf('/') + 1)
  const last = pieces.at(-1)
  const slash = last?.type === 'literal' ? last.value.lastIndexOf('/') : -1
  return last?.type === 'literal' && slash !== -1 ? last.value.slice(slash + 1) : undefined
}

/** Whether a word with argument text in it may become several words or none. */
export function isList(word: Word, names: ReadonlyMap<string, string>): boolean {
  if (!word.parts) return false
  return word.parts.some(part => {
    if (part.type === 'SimpleExpansion') return !/^\$(?:\d|ARG\d)/.test(part.text) && !names.has(part.text.slice(1))
    if (part.type === 'DoubleQuoted') return part.parts.some(child => /^\$\{?@/.test(child.text))
    return part.type !== 'Literal' && part.type !== 'SingleQuoted' && part.type !== 'AnsiCQuoted'
  })
}

/** Whether `${…}` means the same between double quotes: no quote or backslash in it. */
export function isWrappable({ text, operation }: ParameterExpansionPart): boolean {
  if (operation?.type !== 'Default') return !/["'\\]/.test(text)
  const parts = operation.operand.parts ?? []
  const plain = parts.every(part => !/Quoted|LocaleString/.test(part.type) && !(part.type === 'Literal' && part.text !== part.value))
  return plain && !operation.operand.text.startsWith('~') && (parts.length > 0 || operation.operand.text === operation.operand.value)
}

interface OwnSettings {
  /** Variables that the command sets or reads itself: from then on they are its own. */
  readonly names: ReadonlySet<string>
  /** `$1` may be its own too. */
  readonly resetsParameters: boolean
}

/** What a command sets for itself. */
export function findOwnSettings(script: ParsedScript): OwnSettings {
  const names = new Set<string>()
  let resets = false
  walkNodes(script, node => {
    if (node.type === 'Assignment') names.add(node.name)
    else if (node.type === 'For' || node.type === 'Select') names.add(node.name.value)
    else if (node.type === 'Command') {
      resets ||= resetsParameters(node)
      if (/^(?:read|mapfile|readarray|unset|getopts)$/.test(node.name?.value ?? ''))
        for (const word of node.args) if (word.type === 'Word') names.add(word.value)
    }
    return undefined
  })
  return { names, resetsParameters: resets }
}

/** `shift`, and `set` with operands: `set -euo pipefail` leaves the parameters alone. */
function resetsParameters({ name, args }: Command): boolean {
  if (name?.value !== 'set') return name?.value === 'shift'
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]
    const text = word?.type === 'Word' ? word.value : ''
    if (!/^[-+][A-Za-z]/.test(text)) return true
    if (text.endsWith('o')) index += 1
  }
  return false
}
