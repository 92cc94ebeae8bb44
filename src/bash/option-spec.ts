// A compact notation for the options of a program, and the parse of words against it, as getopt and git read them.
// Pure. It knows clusters, attached values, abbreviated long options and words that are not known before the shell runs.
// What an option means is the business of read-only.ts, danger.ts and unwrap.ts.

import { knownStart, type ShellWord, wordFrom } from './words.ts'

/** What a value or an operand is. A set holds the texts that may stand there. */
export type ValueKind = NamedKind | ReadonlySet<string>
export type NamedKind = 'text' | 'number' | 'path' | 'code' | 'sed' | 'awk' | 'jq' | 'name' | 'key' | 'format'

export interface OptionRow {
  /** `-x` or `--long`. */
  readonly name: string
  readonly takes: 'nothing' | 'value' | 'optional value'
  readonly kind: ValueKind
}

export interface OptionSpec {
  readonly rows: ReadonlyMap<string, OptionRow>
  /** `head -5`. */
  readonly minusNumber: boolean
  /** `tail +5`. */
  readonly plusNumber: boolean
}

export interface GivenOption {
  readonly row: OptionRow
  readonly value: ShellWord | undefined
  /** The word that holds its name. */
  readonly word: ShellWord
}

export interface Operand {
  readonly word: ShellWord
  readonly afterDashes: boolean
}

export interface ParsedOptions {
  readonly options: readonly GivenOption[]
  readonly operands: readonly Operand[]
  /** Words that begin like an option and are none of the notation. */
  readonly unknown: readonly ShellWord[]
  /** Words that may be an option once the shell has expanded them. */
  readonly open: readonly ShellWord[]
  /** With `stopAtOperand`: the index of the first operand, or the number of words. */
  readonly next: number
}

export interface ParseMode {
  /** Index of the first word to read. Default 1: behind the program. */
  readonly from?: number
  /** As wrappers read: the first operand ends the options. */
  readonly stopAtOperand?: boolean
  /** For danger: letters that are not in the notation are flags, and a long option may be abbreviated. */
  readonly lenient?: boolean
}

const namedKinds: ReadonlySet<string> = new Set<NamedKind>(['text', 'number', 'path', 'code', 'sed', 'awk', 'jq', 'name', 'key', 'format'])

/**
 * Reads a notation: blank-separated `-x`, `-x=KIND`, `-x[=KIND]`, the same with `--long`, `-NUMBER` and `+NUMBER`.
 * @throws {Error} that names the part which is none of these.
 */
export function compileOptions(notation: string): OptionSpec {
  const rows = new Map<string, OptionRow>()
  let minusNumber = false
  let plusNumber = false
  for (const part of notation.split(/\s+/)) {
    if (part === '') continue
    if (part === '-NUMBER') minusNumber = true
    else if (part === '+NUMBER') plusNumber = true
    else {
      const match = /^(--?[A-Za-z0-9?@#:.][\w.-]*|-,)(?:(\[=)|(=))?([^\][]*)(\])?$/.exec(part)
      const [, name, optional, required, kind = '', closing] = match ?? []
      if (!name || Boolean(optional) !== Boolean(closing) || Boolean(optional ?? required) !== (kind !== ''))
        throw new Error(`Cannot read the option "${part}": write -x, -x=KIND, -x[=KIND], --long, --long=KIND or --long[=KIND]`)
      const takes = optional ? 'optional value' : required ? 'value' : 'nothing'
      rows.set(name, { name, takes, kind: takes === 'nothing' ? 'text' : compileKind(kind) })
    }
  }
  return { rows, minusNumber, plusNumber }
}

/** `text`, `number`, …, or a closed set `a|b`; a set of one ends with a bar. */
export function compileKind(text: string): ValueKind {
  if (isNamedKind(text)) return text
  if (text.includes('|')) return new Set(text.split('|').filter(Boolean))
  throw new Error(`Cannot read the kind "${text}": use one of ${[...namedKinds].join(', ')}, or a set such as a|b`)
}

function isNamedKind(text: string): text is NamedKind {
  return namedKinds.has(text)
}

/** Reads words as a program with these options would. Never throws. */
export function parseOptions(words: readonly ShellWord[], spec: OptionSpec, mode: ParseMode = {}): ParsedOptions {
  const parse: Parse = { words, spec, lenient: mode.lenient === true, options: [], operands: [], unknown: [], open: [], next: words.length }
  let afterDashes = false
  for (let index = mode.from ?? 1; index < words.length; index++) {
    const word = words[index]
    if (!word) break
    if (afterDashes) {
      parse.operands.push({ word, afterDashes })
      continue
    }
    if (word.value === '--') {
      if (mode.stopAtOperand) return { ...parse, next: index + 1 }
      afterDashes = true
      continue
    }
    const start = word.value ?? knownStart(word)
    if (start.length > 1 && start.startsWith('-')) {
      index = start.startsWith('--') ? readLong(parse, word, start, index) : readCluster(parse, word, start, index)
      continue
    }
    if (spec.plusNumber && word.value !== undefined && isPlusNumber(start)) continue
    // A glob names files; whoever looks them up sees one that is named like an option.
    const isGlob = !parse.lenient && word.pieces[0]?.type === 'glob'
    const mayBeOption = !isGlob && !isDescriptor(word) && word.value === undefined && (start === '' || start === '-' || mayBecomeMore(word))
    if (mayBeOption) parse.open.push(word)
    if (mode.stopAtOperand) return { ...parse, next: index }
    if (!mayBeOption) parse.operands.push({ word, afterDashes })
  }
  return parse
}

interface Parse {
  readonly words: readonly ShellWord[]
  readonly spec: OptionSpec
  readonly lenient: boolean
  readonly options: GivenOption[]
  readonly operands: Operand[]
  readonly unknown: ShellWord[]
  readonly open: ShellWord[]
  readonly next: number
}

// Both readers return the index of the last word they used.

function readLong(parse: Parse, word: ShellWord, start: string, index: number): number {
  const equals = start.indexOf('=')
  const name = equals < 0 ? start : start.slice(0, equals)
  if (word.value === undefined && equals < 0) {
    parse.open.push(word)
    return index
  }
  const row = parse.spec.rows.get(name)
  if (!row) {
    readAbbreviation(parse, word, name, equals)
    return index
  }
  if (equals >= 0) {
    if (row.takes === 'nothing' && !parse.lenient) parse.unknown.push(word)
    else parse.options.push({ row, value: wordFrom(word, equals + 1), word })
    return index
  }
  if (row.takes !== 'value') {
    parse.options.push({ row, value: undefined, word })
    return index
  }
  parse.options.push({ row, value: parse.words[index + 1], word })
  return index + 1
}

// Only for danger: every option it may stand for counts, and the next word is left to be read as whatever it is.
function readAbbreviation(parse: Parse, word: ShellWord, name: string, equals: number): void {
  parse.unknown.push(word)
  if (!parse.lenient || name.length < 3) return
  const value = equals < 0 ? undefined : wordFrom(word, equals + 1)
  for (const row of parse.spec.rows.values()) if (row.name.startsWith(name)) parse.options.push({ row, value, word })
}

function readCluster(parse: Parse, word: ShellWord, start: string, index: number): number {
  for (let place = 1; place < start.length; place++) {
    const letter = start.charAt(place)
    const row = parse.spec.rows.get(`-${letter}`)
    if (!row) {
      if (parse.spec.minusNumber && letter >= '0' && letter <= '9') continue
      if (parse.lenient) continue
      parse.unknown.push(word)
      return index
    }
    if (row.takes === 'nothing') {
      parse.options.push({ row, value: undefined, word })
      continue
    }
    const attached = place + 1 < start.length || word.value === undefined
    if (attached) parse.options.push({ row, value: wordFrom(word, place + 1), word })
    else if (row.takes === 'value') parse.options.push({ row, value: parse.words[index + 1], word })
    else parse.options.push({ row, value: undefined, word })
    return attached || row.takes === 'optional value' ? index : index + 1
  }
  // `-a$x`: the flags before are known, what follows may be any letter.
  if (word.value === undefined) parse.open.push(word)
  return index
}

function isPlusNumber(text: string): boolean {
  if (text.length < 2 || !text.startsWith('+')) return false
  for (let index = 1; index < text.length; index++) if (text.charAt(index) < '0' || text.charAt(index) > '9') return false
  return true
}

/** `<(sort a.txt)` is `/dev/fd/63`. */
export function isDescriptor({ pieces }: ShellWord): boolean {
  const [only, another] = pieces
  return only?.type === 'unknown' && only.syntax === 'ProcessSubstitution' && !another
}

/** Whether an unquoted expansion may give further words, which could then be options. A glob with a known start cannot. */
export function mayBecomeMore(word: ShellWord): boolean {
  return word.pieces.some(piece => piece.type === 'unknown' && !piece.quoted && piece.syntax !== 'ProcessSubstitution')
}

/** Whether an option has a value that may become several words: what follows is then not what it seems. */
export function hasSplitValue({ options }: ParsedOptions): boolean {
  return options.some(({ value }) => value !== undefined && value.value === undefined && mayBecomeMore(value))
}
