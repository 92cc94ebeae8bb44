// Reads the words, assignments and redirections of one command, with what is certain about variables filled in.

import { expandBraces } from '../bash/braces.ts'
import type { Assignment, CommandArgument, Redirection, SyntaxNode, Word } from '../bash/parse.ts'
import type { VariableFacts } from '../bash/variables.ts'
import { literalWord, readWord, type ShellWord, type WordPiece } from '../bash/words.ts'
import { type Stdin, unknownStdin } from './flow.ts'
import { opaqueConstruct } from './opaque.ts'

export interface AssignmentFact {
  readonly name: string
  readonly text: string
  /** Absent for an array. */
  readonly value?: ShellWord
  readonly indexed: boolean
}

export interface FileRedirection {
  readonly operator: string
  readonly target: ShellWord
}

export class CommandWords {
  readonly #variables: VariableFacts
  readonly #home: string

  /** Where the shell may stand: what `$PWD` is. */
  directories: readonly string[] | undefined
  /** Text with positions of its own (escaped backticks): what is known by position does not hold in it. */
  blind = 0
  /** What the variables of loops are while a command is read for one of their values. */
  #bound: Map<string, ShellWord> | undefined
  #roundsLeft = maxRoundsOfText
  #wordsLeft = maxWordsOfBraces
  #loops: Map<readonly Word[], readonly ShellWord[] | undefined> | undefined

  constructor(variables: VariableFacts, home: string) {
    this.#variables = variables
    this.#home = home
  }

  /** Reads something once for each value of the loop variables that these words name; nothing when there are none, or too many. */
  forEachValue<T>(words: readonly ShellWord[], read: () => T): readonly T[] | undefined {
    const names = this.#loopVariables(words)
    if (!names) return undefined
    let rounds: readonly (readonly [string, ShellWord][])[] = [[]]
    for (const [name, values] of names) {
      if (rounds.length * values.length > maxRounds) return undefined
      rounds = rounds.flatMap(round => values.map((value): readonly [string, ShellWord][] => [...round, [name, value]]))
    }
    // A decision has bounded time: behind so many a loop variable is not known.
    if (rounds.length > this.#roundsLeft) return undefined
    this.#roundsLeft -= rounds.length
    const found = rounds.map(round => {
      this.#bound = new Map(round)
      return read()
    })
    this.#bound = undefined
    return found
  }

  #loopVariables(words: readonly ShellWord[]): ReadonlyMap<string, readonly ShellWord[]> | undefined {
    let names: Map<string, readonly ShellWord[]> | undefined
    if (this.blind > 0) return names
    for (const { pieces, position } of words)
      for (const piece of pieces) {
        if (piece.type !== 'unknown' || piece.variable === undefined || names?.has(piece.variable)) continue
        const list = this.#variables.loopAt(piece.variable, position)
        const values = list ? this.#valuesOf(list) : this.#foldersOf(piece.variable)
        if (!values) continue
        names ??= new Map()
        names.set(piece.variable, values)
      }
    return names
  }

  /** `$PWD` where the shell may stand in one of several folders. */
  #foldersOf(name: string): readonly ShellWord[] | undefined {
    return name === 'PWD' && !this.#variables.isSet('PWD') ? this.directories?.map(folder => literalWord(folder)) : undefined
  }

  #valuesOf(list: readonly Word[]): readonly ShellWord[] | undefined {
    this.#loops ??= new Map()
    if (this.#loops.has(list)) return this.#loops.get(list)
    const values: ShellWord[] = []
    let known = list.length <= maxRounds
    for (const word of known ? list : []) for (const value of this.words(word)) values.push(this.#withoutTilde(value))
    known &&= values.length <= maxRounds && values.every(({ tilde, pieces }) => !tilde && pieces.every(piece => piece.type !== 'unknown'))
    this.#loops.set(list, known ? values : undefined)
    return known ? values : undefined
  }

  /** `~/x` in the list of a loop is a path of the home before the variable has it. */
  #withoutTilde(word: ShellWord): ShellWord {
    const [first, ...rest] = word.pieces
    if (!word.tilde || first?.type !== 'literal' || !(first.value === '~' || first.value.startsWith('~/'))) return word
    const pieces: readonly WordPiece[] = [{ type: 'literal', value: this.#home + first.value.slice(1) }, ...rest]
    return { ...word, pieces, tilde: false, value: word.value === undefined ? undefined : this.#home + word.value.slice(1) }
  }

  /** Why no pattern may allow what holds these nodes. */
  opaque(nodes: readonly SyntaxNode[]): string[] {
    const found: string[] = []
    for (const node of nodes) {
      const reason = opaqueConstruct(node, this.#variables)
      if (reason !== undefined) found.push(reason)
    }
    return found
  }

  /** An operand: braces make several words of it. */
  words(word: Word): readonly ShellWord[] {
    if (!word.parts) return [readWord(word)]
    // Behind so many words braces are not known.
    const several = this.#wordsLeft > 0 ? expandBraces(word) : undefined
    if (!several) return [this.word(word)]
    this.#wordsLeft -= several.length
    return several
  }

  word(word: Word): ShellWord {
    return word.parts ? this.#resolve(readWord(word)) : readWord(word)
  }

  assignment(node: Assignment): AssignmentFact {
    const value = node.value.type === 'Word' ? this.word(node.value) : undefined
    return { name: node.name, text: node.text, indexed: node.index !== undefined, ...(value ? { value } : {}) }
  }

  /** An assignment among the arguments (`export A=1`) as the word that it is. */
  declaration(node: Assignment, { value, indexed }: AssignmentFact): ShellWord {
    if (value?.value !== undefined && !indexed) return literalWord(`${node.name}${node.append ? '+' : ''}=${value.value}`, node.pos)
    const pieces: WordPiece[] = [{ type: 'unknown', text: node.text, syntax: 'Assignment', quoted: true }]
    return { ...literalWord(node.text, node.pos), value: undefined, pieces }
  }

  files(redirects: readonly Redirection[]): readonly FileRedirection[] {
    if (redirects.length === 0) return none
    return redirects.flatMap(redirect =>
      redirect.type === 'Redirect' && redirect.target ? [{ operator: redirect.operator, target: this.word(redirect.target) }] : [],
    )
  }

  stdin(redirects: readonly Redirection[], inherited: Stdin): Stdin {
    let stdin = inherited
    for (const redirect of redirects) {
      if ((redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 0) !== 0) continue
      if (redirect.type === 'HereDoc') {
        const { body, delimiter } = redirect
        const literal = delimiter?.quoted === true || !body.parts || body.parts.every(part => part.type === 'Literal')
        stdin = knownText(literal ? body.text : undefined)
      } else if (redirect.type === 'HereString') stdin = knownText(redirect.target && this.word(redirect.target).value)
      else if (redirect.operator.startsWith('<')) stdin = unknownStdin
    }
    return stdin
  }

  /** A `$name` whose one value stands in the text, and `$HOME`, are as good as literals. */
  #resolve(word: ShellWord): ShellWord {
    if (word.value !== undefined || !word.pieces.some(namesVariable)) return word
    let changed = false
    const pieces = word.pieces.flatMap((piece): WordPiece | readonly WordPiece[] => {
      if (piece.type !== 'unknown' || piece.variable === undefined) return piece
      const bound = this.#bound?.get(piece.variable)
      if (bound && (piece.quoted || (bound.value !== undefined && isOneWord(bound.value)))) {
        changed = true
        return bound.pieces.map(each => (each.type === 'glob' ? { ...each, setInText: true } : each))
      }
      const value = this.#valueOf(piece.variable, word.position)
      if (value === undefined && this.#variables.isSet(piece.variable)) {
        changed = true
        return { ...piece, setInText: true }
      }
      // Unquoted, the value is split and globbed: only a plain one stays one word.
      if (value === undefined || (!piece.quoted && !isOneWord(value))) return piece
      changed = true
      return { type: 'literal', value }
    })
    if (!changed) return word
    const known = pieces.every(piece => piece.type === 'literal')
    return { ...word, pieces, value: known ? pieces.map(piece => (piece.type === 'literal' ? piece.value : '')).join('') : undefined }
  }

  #valueOf(name: string, position: number): string | undefined {
    if (name === 'PWD' && !this.#variables.isSet('PWD')) return this.directories?.length === 1 ? this.directories[0] : undefined
    if (this.blind > 0 && name !== 'HOME') return undefined
    return name === 'HOME' && !this.#variables.isSet('HOME') ? this.#home : this.#variables.literalAt(name, position)
  }
}

// More values than this are as good as unknown.
const maxRounds = 64
const maxRoundsOfText = 256
const maxWordsOfBraces = 1_000

const none: readonly never[] = []

function namesVariable(piece: WordPiece): boolean {
  return piece.type === 'unknown' && piece.variable !== undefined
}

/** Whether a text stays one word, unquoted. */
function isOneWord(text: string): boolean {
  return /^[\w./:@%+,=-]+$/.test(text)
}

function knownText(text: string | undefined): Stdin {
  return text === undefined ? unknownStdin : { kind: 'text', text }
}

/** A word that holds nothing to look into. */
export function isPlainWord(argument: CommandArgument): boolean {
  return argument.type === 'Word' && argument.parts === undefined
}

/** The words of a command that holds nothing to look into. */
export function plainWords(name: Word, args: readonly CommandArgument[]): readonly ShellWord[] {
  // Of its length from the start: one that grows takes room for many more.
  const words = new Array<ShellWord>(args.length + 1)
  words[0] = readWord(name)
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]
    if (argument?.type === 'Word') words[index + 1] = readWord(argument)
  }
  return words
}

/** All words of a command, those of its redirections and assignments too. */
export function wordsIn({ words, redirections, assignments }: UsedWords): readonly ShellWord[] {
  if (redirections.length === 0 && assignments.length === 0) return words
  const used = [...words]
  for (const { target } of redirections) used.push(target)
  for (const { value } of assignments) if (value) used.push(value)
  return used
}

interface UsedWords {
  readonly words: readonly ShellWord[]
  readonly redirections: readonly FileRedirection[]
  readonly assignments: readonly AssignmentFact[]
}
