// Whether one simple command only reads, by the accept lists of policies/read-only-commands.yaml: a program, option or operand that
// they do not name is refused. Pure: it hands back the words that are paths, and the caller checks where they really lead.

import { type GivenOption, type Operand, type ParsedOptions, parseOptions } from '../bash/option-spec.ts'
import { type ShellWord, shownWord } from '../bash/words.ts'
import { declareProblem, echoProblem, printfProblem, setProblem } from './builtin-words.ts'
import { findAnswer } from './find-expression.ts'
import type { CommandTables, OperandKind, ReadOnlyForm } from './tables.ts'
import { testAnswer } from './test-expression.ts'
import { wordProblem } from './word-kinds.ts'

export type ReadOnlyAnswer =
  | {
      readonly ok: true
      /** Operands and values that are paths, also those that are not known. */
      readonly paths: readonly ShellWord[]
      /** It reads the repository it stands in, with the configuration that lies there. */
      readonly usesRepository?: boolean
      /** Where it works, when an option says so: its paths count from there. */
      readonly directory?: ShellWord
      /** Its paths must not be folders: in one it would follow links. */
      readonly noFolders?: boolean
    }
  | { readonly ok: false; readonly reason: string }

/** Classifies the words of one command. The program is looked up as written: `./cat` and `/tmp/cat` are other programs. */
export function classifyReadOnly(words: readonly ShellWord[], tables: CommandTables): ReadOnlyAnswer {
  const name = words[0]?.value
  const form = name === undefined ? undefined : tables.readOnly.get(name)
  if (name === undefined || !form) return refuse(`"${words[0] ? shownWord(words[0]) : ''}" is not in the read-only set`)
  if (form.grammar) return byGrammar(form.grammar, words, tables)
  return byForm(words, 1, form, name, tables)
}

function byGrammar(grammar: NonNullable<ReadOnlyForm['grammar']>, words: readonly ShellWord[], tables: CommandTables): ReadOnlyAnswer {
  switch (grammar) {
    case 'echo':
      return answer(echoProblem(words))
    case 'printf':
      return answer(printfProblem(words))
    case 'set':
      return answer(setProblem(words))
    case 'declare':
      return answer(declareProblem(words, tables.assignments))
    case 'test':
      return testAnswer(words)
    case 'find':
      return findAnswer(words, tables.find, inner => classifyReadOnly(inner, tables))
  }
}

function answer(problem: string | undefined): ReadOnlyAnswer {
  return problem === undefined ? { ok: true, paths: [] } : refuse(problem)
}

function refuse(reason: string): ReadOnlyAnswer {
  return { ok: false, reason }
}

function byForm(words: readonly ShellWord[], from: number, form: ReadOnlyForm, name: string, tables: CommandTables): ReadOnlyAnswer {
  const only = words.length === from + 1 ? words[from]?.value : undefined
  if (only !== undefined && form.exact.has(only)) return { ok: true, paths: [] }
  const onlyExact = form.exact.size > 0 && !form.subCommands && !form.operands && form.options.rows.size === 0
  if (onlyExact) return refuse(`"${name}" reads only with ${[...form.exact].join(' or ')}`)
  if (!form.subCommands) return plain(parseOptions(words, form.options, { from }), form, name)
  const before = parseOptions(words, form.options, { from, stopAtOperand: true })
  const command = words[before.next]
  const inner = command?.value === undefined ? undefined : tables.readOnly.get(`${name} ${command.value}`)
  // A form with operands of its own, such as `git config NAME`, has sub-commands beside them.
  if (!inner && form.operands) return plain(parseOptions(words, form.options, { from }), form, name)
  const problem = optionsProblem(before, form, name, [])
  if (problem) return refuse(problem)
  if (!command) return form.bare ? { ok: true, paths: [], ...inRepository(form) } : refuse(`"${name}" needs a sub-command`)
  if (!inner) return refuse(`"${name} ${shownWord(command)}" is not in the read-only set`)
  const found = byForm(words, before.next + 1, inner, `${name} ${command.value ?? ''}`, tables)
  if (!found.ok) return found
  const [directory, another] = before.options.filter(({ row }) => form.directory.has(row.name))
  if (another) return refuse(`"${another.row.name}" of "${name}" stands there twice`)
  return {
    ...found,
    ...(form.repository ? { usesRepository: true } : {}),
    ...(directory?.value ? { directory: directory.value } : {}),
  }
}

function plain(parsed: ParsedOptions, form: ReadOnlyForm, name: string): ReadOnlyAnswer {
  const paths: ShellWord[] = []
  const problem = optionsProblem(parsed, form, name, paths) ?? operandsProblem(parsed, form, name, paths)
  return problem === undefined
    ? { ok: true, paths, ...inRepository(form), ...(form.noFolders ? { noFolders: true } : {}) }
    : refuse(problem)
}

function inRepository(form: ReadOnlyForm): { readonly usesRepository?: true } {
  return form.repository ? { usesRepository: true } : {}
}

function optionsProblem(parsed: ParsedOptions, form: ReadOnlyForm, name: string, paths: ShellWord[]): string | undefined {
  const [unknown] = parsed.unknown
  if (unknown) return `"${name}" with the option "${shownWord(unknown)}" is not in the read-only set`
  const [open] = parsed.open
  if (open && !form.harmless) return `"${open.text}" of "${name}" could become an option`
  for (const option of parsed.options) {
    const problem = valueProblem(option, paths)
    if (problem) return `the option "${option.row.name}" of "${name}" ${problem}`
  }
  if (form.needs.size > 0 && !gives(parsed.options, form.needs)) return `"${name}" reads only with ${[...form.needs].join(' or ')}`
  return undefined
}

function valueProblem({ row, value }: GivenOption, paths: ShellWord[]): string | undefined {
  if (row.takes === 'nothing') return undefined
  if (!value) return row.takes === 'value' && row.kind === 'path' ? 'has no value' : undefined
  return wordProblem(value, row.kind, paths)
}

function operandsProblem(parsed: ParsedOptions, form: ReadOnlyForm, name: string, paths: ShellWord[]): string | undefined {
  const kinds = form.given.find(({ options }) => gives(parsed.options, options))?.operands ?? form.operands ?? []
  let place = 0
  for (const operand of parsed.operands) {
    const kind = kinds[place]
    if (!kind) return `"${name}" with the operand "${shownWord(operand.word)}" is not in the read-only set`
    const problem = operandProblem(operand, kind, form, paths)
    if (problem) return `"${shownWord(operand.word)}" of "${name}" ${problem}`
    if (kind.count !== 'any') place += 1
  }
  // Without a path some of these take the home folder, or read a program from somewhere else.
  const missing = kinds.slice(place).find(({ count }) => count === 'one')
  return missing && !(form.harmless && parsed.open.length > 0) ? `"${name}" has too few operands` : undefined
}

function operandProblem({ word }: Operand, { kind, count }: OperandKind, form: ReadOnlyForm, paths: ShellWord[]): string | undefined {
  // What is split into more words is still text when only text can follow.
  if (
    kind === 'text' &&
    (form.harmless || count === 'any') &&
    word.value === undefined &&
    !word.pieces.some(piece => piece.type === 'glob')
  )
    return undefined
  // A further file may be written, and one word may name two.
  if (kind === 'path' && count === 'maybe' && word.pieces.some(piece => piece.type === 'glob' && !piece.setInText))
    return 'may name several files'
  return wordProblem(word, kind, paths)
}

function gives(options: readonly GivenOption[], names: ReadonlySet<string>): boolean {
  return options.some(({ row }) => names.has(row.name))
}
