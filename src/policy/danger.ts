// Words that make a program run, write or read beside its purpose (S10, lessons 13 and 14): a rule with a wildcard does not cover
// them, it must spell them. Generous where the accept lists are strict: abbreviations, clusters and attached values count. Pure.

import { mayBecomeMore, type ParsedOptions, parseOptions } from '../bash/option-spec.ts'
import { baseName, knownStart, type ShellWord, shownWord } from '../bash/words.ts'
import { programProblem } from './programs.ts'
import type { CommandTables, DangerForm, Effect } from './tables.ts'

export interface DangerousWord {
  /** As it stands among the words. */
  readonly word: string
  /** Follows the word: `-o makes sort write …`. */
  readonly reason: string
  /** Absent for a program that is dangerous whatever its words, and for a word that may become an option. */
  readonly effect?: Effect
}

const none: readonly DangerousWord[] = []

const effectTexts: Readonly<Record<Effect, string>> = {
  runs: 'run something else',
  writes: 'write or remove files',
  reads: 'take its program or its input from a file',
  elsewhere: 'work at another place',
}

/** The dangerous words of one command; the program is looked up by its base name. */
export function dangerousWords(words: readonly ShellWord[], tables: CommandTables): readonly DangerousWord[] {
  const name = baseName(words[0])
  const form = name === undefined ? undefined : tables.danger.get(name)
  if (name === undefined || !form) return none
  const found: DangerousWord[] = []
  if (form.subCommands) addSubCommand(form, name, words, tables, found)
  else addForm(form, name, words, 1, found)
  return found
}

function addSubCommand(form: DangerForm, name: string, words: readonly ShellWord[], tables: CommandTables, found: DangerousWord[]): void {
  let next = 1
  if (!startsPlainly(words[1])) {
    const before = parseOptions(words, form.options, { stopAtOperand: true, lenient: true })
    addOptions(before, form, name, found)
    next = before.next
  }
  const command = words[next]
  if (!command) return
  const full = `${name} ${shownWord(command)}`
  const own = tables.danger.get(full)
  if (own) addForm(own, full, words, next + 1, found)
  const shared = tables.danger.get(`${name} *`)
  if (shared) addForm(shared, full, words, next + 1, found)
}

/** Whether a word is an operand whatever stands around it. */
function startsPlainly(word: ShellWord | undefined): boolean {
  return word?.value !== undefined && !/^[-+]/.test(word.value)
}

/** A quick look before the words are parsed: without one of its options, or a word that may become one, a plain form finds nothing. */
function mayGive(form: DangerForm, words: readonly ShellWord[], from: number): boolean {
  if (form.words.size > 0 || form.begins.length > 0 || form.program || form.bundled) return true
  for (let index = from; index < words.length; index++) {
    const value = words[index]?.value
    if (value === undefined) return true
    if (!value.startsWith('-')) continue
    if (!value.startsWith('--')) {
      for (const name of form.shortEffects) if (value.includes(name)) return true
      continue
    }
    const equals = value.indexOf('=')
    const head = equals < 0 ? value : value.slice(0, equals)
    for (const name of form.longEffects) if (name.startsWith(head)) return true
  }
  return false
}

function addForm(form: DangerForm, name: string, words: readonly ShellWord[], from: number, found: DangerousWord[]): void {
  if (form.always !== undefined)
    found.push({
      word: shownWord(words[from - 1] ?? { text: name, value: name, pieces: [], tilde: false, position: 0 }),
      reason: form.always,
    })
  if (!mayGive(form, words, from)) return
  const parsed = parseOptions(words, form.options, { from, lenient: true })
  addOptions(parsed, form, name, found)
  if (form.bundled) addBundled(words[from], form, name, found)
  if (form.words.size > 0 || form.begins.length > 0) addWords(parsed, form, name, words, from, found)
  if (form.program) addProgram(form.program, words, parsed, name, found)
}

function addOptions(parsed: ParsedOptions, form: DangerForm, name: string, found: DangerousWord[]): void {
  for (const { row, word } of parsed.options) {
    const effect = form.effects.get(row.name)
    if (effect) add(found, shownWord(word), name, effect)
  }
  for (const { value, word } of parsed.options)
    if (value !== undefined && value.value === undefined && mayBecomeMore(value) && form.effects.size + form.words.size > 0)
      found.push({ word: word.text, reason: `may become several words of ${name}` })
  for (const word of parsed.open) {
    const effect = openEffect(knownStart(word), form)
    if (effect) add(found, word.text, name, effect)
    else if (form.effects.size + form.words.size > 0 && mayBecomeOption(word))
      found.push({ word: word.text, reason: `may become an option of ${name}` })
  }
}

/**
 * A word that the shell fills may be any option: what is split, braces, and a variable that the text itself sets. Left out on purpose:
 * globs (files of the workspace) and quoted values from outside, as in `curl "$API_URL/x"`.
 */
function mayBecomeOption(word: ShellWord): boolean {
  const [first] = word.pieces
  // A loop over files may have met one that is named like an option.
  if (first?.type === 'glob') return first.setInText === true
  if (first?.type !== 'unknown') return false
  return !first.quoted || first.setInText === true
}

/** `--out$x`, `-u$x` and `-$x`: what the shell puts there may complete a dangerous option. A wholly unknown word is an operand. */
function openEffect(start: string, form: DangerForm): Effect | undefined {
  if (!start.startsWith('-')) return undefined
  for (const [name, effect] of form.effects) {
    if (start.startsWith('--') ? name.startsWith(start) || start.startsWith(`${name}=`) : start.length > 1 ? name.length === 2 : true)
      return effect
  }
  return undefined
}

/** `tar cIf prog x.tar`: the first operand is a cluster without its dash. */
function addBundled(word: ShellWord | undefined, form: DangerForm, name: string, found: DangerousWord[]): void {
  const value = word?.value
  if (value === undefined || value.startsWith('-')) return
  for (const letter of value) {
    const effect = form.effects.get(`-${letter}`)
    if (effect) add(found, value, name, effect)
  }
}

function addWords(
  parsed: ParsedOptions,
  form: DangerForm,
  name: string,
  words: readonly ShellWord[],
  from: number,
  found: DangerousWord[],
): void {
  if (form.least > parsed.operands.length) {
    // Only asked for, not set: `git config core.pager`.
  } else if (!words.slice(from, afterFirstOperand(words, parsed)).some(({ value }) => value !== undefined && form.unless.has(value))) {
    for (let index = from; index < words.length; index++) addBeginning(words[index], form, name, found)
  }
  for (let index = from; index < words.length; index++) {
    const value = words[index]?.value
    const effect = value === undefined ? undefined : form.words.get(value)
    if (effect && value !== undefined) add(found, value, name, effect)
  }
}

/** `git config get x` reads; in `git config x y get` the word is a value. */
function afterFirstOperand(words: readonly ShellWord[], { operands }: ParsedOptions): number {
  const first = operands[0]?.word
  return first ? words.indexOf(first) + 1 : words.length
}

function addBeginning(word: ShellWord | undefined, form: DangerForm, name: string, found: DangerousWord[]): void {
  if (!word || form.begins.length === 0) return
  const start = (word.value ?? knownStart(word)).toLowerCase()
  for (const begin of form.begins) if (start.startsWith(begin.start)) add(found, shownWord(word), name, begin.effect)
}

/** The program of sed and awk: the scripts given by options, else the first operand. */
function addProgram(
  language: 'sed' | 'awk',
  words: readonly ShellWord[],
  parsed: ParsedOptions,
  name: string,
  found: DangerousWord[],
): void {
  const given = parsed.options.filter(({ row }) => row.kind === language)
  const fromFile = parsed.options.some(({ row }) => programFiles.has(row.name))
  const scripts = given.length > 0 ? given.map(({ value }) => value) : fromFile ? [] : [firstOperand(words, parsed)]
  for (const word of scripts) {
    if (!word) continue
    const problem = word.value === undefined ? 'is not known' : programProblem(language, word.value)
    if (problem) found.push({ word: shownWord(word), effect: 'runs', reason: `as a program of ${name} ${problem}` })
  }
}

// A word that is not known may be an option, but stands here first where it is none.
function firstOperand(words: readonly ShellWord[], { operands, open }: ParsedOptions): ShellWord | undefined {
  const operand = operands[0]?.word
  const [unknown] = open
  if (!operand || !unknown) return operand ?? unknown
  return words.indexOf(unknown) < words.indexOf(operand) ? unknown : operand
}

const programFiles: ReadonlySet<string> = new Set(['-f', '--file', '-E', '--exec'])

function add(found: DangerousWord[], word: string, name: string, effect: Effect): void {
  if (!found.some(each => each.word === word)) found.push({ word, effect, reason: `makes ${name} ${effectTexts[effect]}` })
}

/** Whether a command reads a whole folder, so that a path rule may concern files that it does not name. */
export function readsRecursively(words: readonly ShellWord[], tables: CommandTables): boolean {
  const name = baseName(words[0])
  if (name === undefined) return false
  const form = tables.recursive.get(name)
  if (!form || form.always) return form !== undefined
  if (words.some(({ value }, index) => index > 0 && value !== undefined && form.words.has(value))) return true
  return parseOptions(words, form.options, { lenient: true }).options.some(
    ({ row, value }) => row.takes === 'nothing' || value?.value === 'recurse',
  )
}
