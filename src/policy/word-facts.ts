// What the words of a command say whatever the rules are: what it starts, whether it only reads, which of its words a wildcard does
// not cover. Worked out when asked for, and remembered for words that are all literal: the same `wc -l` stands in many texts.

import { type Unwrapped, unwrap } from '../bash/unwrap.ts'
import type { ShellWord } from '../bash/words.ts'
import { dangerousWords } from './danger.ts'
import { classifyReadOnly, type ReadOnlyAnswer } from './read-only.ts'
import type { CommandTables } from './tables.ts'

export class WordFacts {
  readonly #words: readonly ShellWord[]
  readonly #tables: CommandTables
  #starts: readonly Unwrapped[] | undefined
  #reads: ReadOnlyAnswer | undefined
  #dangerous: ReturnType<typeof dangerousWords> | undefined

  constructor(words: readonly ShellWord[], tables: CommandTables) {
    this.#words = words
    this.#tables = tables
  }

  get starts(): readonly Unwrapped[] {
    this.#starts ??= unwrap(this.#words)
    return this.#starts
  }

  get reads(): ReadOnlyAnswer {
    this.#reads ??= classifyReadOnly(this.#words, this.#tables)
    return this.#reads
  }

  get dangerous(): ReturnType<typeof dangerousWords> {
    this.#dangerous ??= dangerousWords(this.#words, this.#tables)
    return this.#dangerous
  }
}

const maxRemembered = 2_000
const maxKeyChars = 400

const remembered = new WeakMap<CommandTables, Map<string, WordFacts>>()

export function factsOf(words: readonly ShellWord[], tables: CommandTables): WordFacts {
  const key = keyOf(words)
  if (key === undefined) return new WordFacts(words, tables)
  let known = remembered.get(tables)
  if (!known) {
    known = new Map()
    remembered.set(tables, known)
  }
  const found = known.get(key)
  if (found) return found
  if (known.size >= maxRemembered) known.clear()
  const facts = new WordFacts(words, tables)
  known.set(key, facts)
  return facts
}

/** Undefined when a word is open. A tilde is told apart: it leads home. */
function keyOf(words: readonly ShellWord[]): string | undefined {
  let key = ''
  for (const { value, tilde } of words) {
    if (value === undefined) return undefined
    key += `${tilde ? '~' : '='}${value}\0`
    if (key.length > maxKeyChars) return undefined
  }
  return key
}
