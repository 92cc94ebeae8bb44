// Whether one word is what the read-only tables say should stand there.

import { isDescriptor, type ValueKind } from '../bash/option-spec.ts'
import { knownStart, type ShellWord, splits } from '../bash/words.ts'
import { isPlainName } from './assignments.ts'
import { programProblem } from './programs.ts'

/** The problem of a word, as the end of a sentence; paths are added to `paths` and are for the caller to check. */
export function wordProblem(word: ShellWord, kind: ValueKind, paths: ShellWord[]): string | undefined {
  const { value } = word
  if (kind === 'path') {
    // What a process substitution runs is a command of its own.
    if (value !== '-' && !isDescriptor(word)) paths.push(word)
    return undefined
  }
  if (kind === 'text') return splits(word) ? 'could become several words' : undefined
  if (kind === 'format') {
    if (!knownStart(word).startsWith('+')) return 'should begin with "+"'
    return splits(word) ? 'could become several words' : undefined
  }
  if (value === undefined) return 'is not known'
  switch (kind) {
    case 'number':
      return /^[+-]?[\d.,:]+[A-Za-z%]{0,3}$/.test(value) ? undefined : 'should be a number'
    case 'name':
      return isPlainName(value) ? undefined : 'is not a plain lower-case name'
    case 'key':
      return /^[A-Za-z][A-Za-z0-9-]*\./.test(value) ? undefined : 'should be a dotted key'
    case 'sed':
    case 'awk':
    case 'jq':
      return programProblem(kind, value)
    case 'code':
      return 'is code'
    default:
      return kind.has(value) ? undefined : `should be one of ${[...kind].join(', ')}`
  }
}
