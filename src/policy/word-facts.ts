// What the words of a command say whatever the rules are: what it starts, whether it only reads, which of its words a wildcard does
// not cover. Worked out when asked for, and remembered for words that are all literal: the same `wc -l` stands in many texts.

import { type Unwrapped, unwrap } from '../bash/unwrap.ts'
import type { ShellWord } from '../bash/words.ts'
import { dangerousWords } from './danger.ts'
import { givenCode } from './given-code.ts'
import { classifyReadOnly, type ReadOnlyAnswer } from './read-only.ts'
import { Seen } from './seen.ts'
import type { CommandTables } from './tables.ts'

export class WordFacts {
  readonly #words: readonly ShellWord[]
  readonly #tables: CommandTables
  #starts: readonly Unwrapped[] | undefined
  #reads: ReadOnlyAnswer | undefined
  #code: string | undefined
  #dangerous: ReturnType<typeof dangerousWords> | undefined

  constructor(words: readonly ShellWord[], tables: CommandTables) {
    this.#words = words
    this.#tables = tables
  }

  /** Whether these are the same words. A tilde is told apart: it leads home. */
  areOf(words: readonly ShellWord[]): boolean {
    if (words.length !== this.#words.length) return false
    for (let index = 0; index < words.length; index++) {
      const mine = this.#words[index]
      const word = words[index]
      if (word?.value === undefined || mine?.value !== word.value || mine.tilde !== word.tilde) return false
    }
    return true
  }

  get starts(): readonly Unwrapped[] {
    this.#starts ??= unwrap(this.#words)
    return this.#starts
  }

  get reads(): ReadOnlyAnswer {
    this.#reads ??= classifyReadOnly(this.#words, this.#tables)
    return this.#reads
  }

  /** The interpreter that is given code as text, if it is one. */
  get code(): string | undefined {
    if (this.#code === undefined) this.#code = givenCode(this.#words, this.#tables) ?? ''
    return this.#code || undefined
  }

  get dangerous(): ReturnType<typeof dangerousWords> {
    this.#dangerous ??= dangerousWords(this.#words, this.#tables)
    return this.#dangerous
  }
}

const maxRemembered = 2_000
const maxKeyChars = 400
const seen = new Seen()

const remembered = new WeakMap<CommandTables, Map<string, WordFacts>>()

/** @param joined the words, joined by single blanks; undefined when one of them is open */
export function factsOf(words: readonly ShellWord[], joined: string | undefined, tables: CommandTables): WordFacts {
  if (joined === undefined || joined.length > maxKeyChars) return new WordFacts(words, tables)
  let known = remembered.get(tables)
  if (!known) {
    known = new Map()
    remembered.set(tables, known)
  }
  const found = known.get(joined)
  if (found?.areOf(words)) return found
  const facts = new WordFacts(words, tables)
  if (!seen.before(joined)) return facts
  if (known.size >= maxRemembered) known.clear()
  known.set(joined, facts)
  return facts
}
