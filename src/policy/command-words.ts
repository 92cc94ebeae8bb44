// Reads the words, assignments and redirections of one command, with what is certain about variables filled in.

import type { Assignment, Redirection, SyntaxNode, Word } from '../bash/parse.ts'
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

  constructor(variables: VariableFacts, home: string) {
    this.#variables = variables
    this.#home = home
  }

  /** Why no pattern may allow what holds these nodes. */
  opaque(nodes: readonly SyntaxNode[]): string[] {
    return nodes.flatMap(node => opaqueConstruct(node, this.#variables) ?? [])
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
    if (word.value !== undefined) return word
    let changed = false
    const pieces = word.pieces.map((piece): WordPiece => {
      if (piece.type !== 'unknown' || piece.variable === undefined) return piece
      const value = this.#valueOf(piece.variable, word.position)
      if (value === undefined && this.#variables.isSet(piece.variable)) {
        changed = true
        return { ...piece, setInText: true }
      }
      // Unquoted, the value is split and globbed: only a plain one stays one word.
      if (value === undefined || (!piece.quoted && !/^[\w./:@%+,=-]+$/.test(value))) return piece
      changed = true
      return { type: 'literal', value }
    })
    if (!changed) return word
    const known = pieces.every(piece => piece.type === 'literal')
    return { ...word, pieces, value: known ? pieces.map(piece => (piece.type === 'literal' ? piece.value : '')).join('') : undefined }
  }

  #valueOf(name: string, position: number): string | undefined {
    return name === 'HOME' && !this.#variables.isSet('HOME') ? this.#home : this.#variables.literalAt(name, position)
  }
}

function knownText(text: string | undefined): Stdin {
  return text === undefined ? unknownStdin : { kind: 'text', text }
}
