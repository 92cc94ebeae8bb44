// A simple command as a tree of what it starts: itself, what its wrappers start, and the commands in code it is given as text.
// Deny and ask look at every level on several spellings; allow goes down the same tree, strictly.

import { parseBash } from '../bash/parse.ts'
import { literalWord, type ShellWord, shownWord, splits } from '../bash/words.ts'
import { isSpecialName } from './assignments.ts'
import { collectCommands, type SimpleCommand } from './command.ts'
import type { AssignmentFact } from './command-words.ts'
import type { OpenText } from './match.ts'
import { opaqueBuiltin } from './opaque-builtins.ts'
import type { CommandTables } from './tables.ts'
import { factsOf, type WordFacts } from './word-facts.ts'

export interface Level {
  readonly words: readonly ShellWord[]
  readonly facts: WordFacts
  /** The simple command of the text that this is, or is inside of. */
  readonly command: SimpleCommand
  readonly assignments: readonly AssignmentFact[]
  /** Words joined by single blanks, as rules see them. */
  readonly joined: string
  /** The same with the base name of the program. */
  readonly baseName: string
  /** Set when some words are not known. */
  readonly open?: { readonly joined: OpenText; readonly baseName: OpenText }
  /** What a wrapper starts. */
  readonly inner: readonly { readonly level: Level; readonly transparent: boolean; readonly denyOnly: boolean }[]
  /** Commands in code given as text (`bash -c`, `eval`, a here-document into a shell). */
  readonly code: readonly Level[]
  /** Why no pattern may allow it: code in a string. */
  readonly takesCode?: string
  /** Why even deny cannot look in. */
  readonly opaque: readonly string[]
}

const maxNesting = 12

export interface LevelContext {
  readonly tables: CommandTables
  readonly home: string
  /** Levels, and characters of code in strings, that may still be looked into; shared by the commands of one text. */
  readonly budget: { left: number; codeChars: number }
}

export function levelOf(command: SimpleCommand, context: LevelContext, nesting = 0): Level {
  return build(command.words, command, command.assignments, command.opaque, context, nesting)
}

/** Every level of a tree, outermost first. */
export function allLevels(level: Level): readonly Level[] {
  if (level.inner.length === 0 && level.code.length === 0) return [level]
  return [level, ...level.inner.flatMap(({ level: inner }) => allLevels(inner)), ...level.code.flatMap(allLevels)]
}

function build(
  words: readonly ShellWord[],
  command: SimpleCommand,
  assignments: readonly AssignmentFact[],
  opaque: readonly string[],
  context: LevelContext,
  nesting: number,
): Level {
  const spelled = spell(words)
  const builtin = opaqueBuiltin(words, context.tables.assignments)
  const known = builtin === undefined ? opaque : [...opaque, builtin]
  const facts = factsOf(words, context.tables)
  const found = { words, facts, command, assignments, ...spelled, inner: [], code: [], opaque: known }
  if (words.length === 0) return found
  context.budget.left -= 1
  if (nesting > maxNesting || context.budget.left < 0) return { ...found, opaque: [...known, 'too many commands inside each other'] }
  const unwrapped = facts.starts
  if (unwrapped.length === 0) return found
  const inner: Level['inner'][number][] = []
  const code: Level[] = []
  const reasons = [...known]
  let takesCode: string | undefined
  for (const part of unwrapped) {
    if (part.kind === 'command') {
      const assigned = (part.assignments ?? []).map(({ name, value }) => ({
        name,
        value,
        text: `${name}=${shownWord(value)}`,
        indexed: false,
      }))
      const level = build(part.words, command, assigned, innerOpaque(part.words), context, nesting + 1)
      inner.push({ level, transparent: part.transparent, denyOnly: part.denyOnly === true })
      continue
    }
    if (!part.denyOnly) takesCode = `"${part.wrapper}" runs text as code`
    const text = part.kind === 'code' ? part.code : command.stdin.kind === 'text' ? command.stdin.text : undefined
    if (text === undefined) {
      if (!part.denyOnly)
        reasons.push(
          part.kind === 'code'
            ? `the code that "${part.wrapper}" runs is not a literal`
            : `"${part.wrapper}" reads its commands from stdin`,
        )
      continue
    }
    context.budget.codeChars -= text.length
    if (context.budget.codeChars < 0) {
      reasons.push('too much code in strings')
      continue
    }
    const parsed = parseBash(text)
    if (!part.denyOnly) for (const { reason } of parsed.problems) reasons.push(`the code that "${part.wrapper}" runs has ${reason}`)
    for (const each of collectCommands(parsed, {
      home: context.home,
      directories: command.directories,
      isSpecial: name => isSpecialName(name, context.tables.assignments),
    }))
      code.push(levelOf(each, context, nesting + 1))
  }
  return { ...found, inner, code, opaque: reasons, ...(takesCode === undefined ? {} : { takesCode }) }
}

// What a wrapper starts has a name of its own, which may be unknown where the outer one was not.
function innerOpaque(words: readonly ShellWord[]): readonly string[] {
  const [name] = words
  return name && name.value === undefined ? [`its name "${name.text}" is not a literal`] : []
}

function spell(words: readonly ShellWord[]): Pick<Level, 'joined' | 'baseName' | 'open'> {
  const shown = words.map(shownWord)
  const joined = shown.join(' ')
  const [name = ''] = shown
  const base = baseNameOf(name)
  const baseName = base === name ? joined : [base, ...shown.slice(1)].join(' ')
  if (words.every(word => word.value !== undefined)) return { joined, baseName }
  const open = openText(words)
  const [first] = words
  const known = first?.value !== undefined
  const openBase = known && base !== name ? openText([literalWord(base), ...words.slice(1)]) : open
  return { joined, baseName, open: { joined: open, baseName: openBase } }
}

function openText(words: readonly ShellWord[]): OpenText {
  // An unquoted expansion may be no word at all: the blank before it is open too.
  return words.flatMap((word, index) => [
    ...(index > 0 && !splits(word) ? [' '] : []),
    ...word.pieces.map(piece => (piece.type === 'literal' ? piece.value : undefined)),
  ])
}

/** `/usr/bin/curl` and `\curl` are `curl` to deny and ask. */
function baseNameOf(name: string): string {
  const slash = name.lastIndexOf('/')
  return slash < 0 ? name : name.slice(slash + 1)
}
