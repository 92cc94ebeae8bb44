// A simple command as a tree of what it starts: itself, what its wrappers start, and the commands in code it is given as text.
// Deny and ask look at every level on several spellings; allow goes down the same tree, strictly.

import { mayBecomeMore, parseOptions } from '../bash/option-spec.ts'
import { parseBash } from '../bash/parse.ts'
import { literalWord, type ShellWord, shownWord, splits } from '../bash/words.ts'
import { wrapperForm } from '../bash/wrappers.ts'
import { isSpecialName } from './assignments.ts'
import { collectCommands, type SimpleCommand } from './command.ts'
import type { AssignmentFact } from './command-words.ts'
import type { DiskLooks } from './disk-looks.ts'
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
  /** Each word as rules and people see it. */
  readonly shown: readonly string[]
  /** The same joined by single blanks. */
  readonly joined: string
  /** The same with the base name of the program. */
  readonly baseName: string
  /** `git push` of `git --no-pager push`: without the options before a sub-command. */
  readonly plain?: readonly Pick<Level, 'joined' | 'open'>[]
  /** Set when some words are not known. */
  readonly open: { readonly joined: OpenText; readonly baseName: OpenText } | undefined
  /** What a wrapper starts. */
  readonly inner: readonly { readonly level: Level; readonly transparent: boolean; readonly pure: boolean; readonly denyOnly: boolean }[]
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
  readonly looks: DiskLooks
  readonly onDisk: () => void
  /** Levels, and characters of code in strings, that may still be looked into; shared by the commands of one text. */
  readonly budget: { left: number; codeChars: number }
}

export function levelOf(command: SimpleCommand, context: LevelContext, nesting = 0): Level {
  return build(command.words, command, command.assignments, command.opaque, context, nesting)
}

/** A word before the command of a wrapper that may become several: `env -u $x make` starts what stands in `x`. */
export function splitBeforeInner({ words, inner }: Level): ShellWord | undefined {
  if (!inner.some(({ denyOnly }) => !denyOnly)) return undefined
  const inside = new Set(inner.flatMap(({ level }) => level.words))
  return words.find(word => word.value === undefined && mayBecomeMore(word) && !inside.has(word))
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
  const { shown, joined, baseName, open } = spell(words, words === command.words ? command.text : undefined)
  const builtin = opaqueBuiltin(words)
  const known = builtin === undefined ? opaque : [...opaque, builtin]
  const facts = factsOf(words, open ? undefined : joined, context.tables)
  const found: Writable<Level> = {
    words,
    facts,
    command,
    assignments,
    shown,
    joined,
    baseName,
    open,
    inner: none,
    code: none,
    opaque: known,
  }
  if (words.length === 0) return found
  const second = words[1]
  if (second && (second.value ?? second.text).startsWith('-')) {
    const plain = withoutOptions(words, context.tables)
    if (plain.length > 0) found.plain = plain.map(each => spell(each))
  }
  context.budget.left -= 1
  if (nesting > maxNesting || context.budget.left < 0) {
    found.opaque = [...known, 'too many commands inside each other']
    return found
  }
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
      inner.push({ level, transparent: part.transparent, pure: part.pure === true, denyOnly: part.denyOnly === true })
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
      isSpecial: isSpecialName,
      looks: context.looks,
      onDisk: context.onDisk,
    }))
      code.push(levelOf(each, context, nesting + 1))
  }
  found.inner = inner
  found.code = code
  found.opaque = reasons
  if (takesCode !== undefined) found.takesCode = takesCode
  return found
}

/** The words of a program with sub-commands, without what stands before the sub-command. */
function withoutOptions(words: readonly ShellWord[], { danger }: CommandTables): readonly (readonly ShellWord[])[] {
  const name = words[0]?.value === undefined ? undefined : baseNameOf(words[0].value)
  if (name === undefined) return none
  const row = danger.get(name)
  const form = row?.subCommands ? row : wrapperForm(name)
  if (!form?.subCommands) return none
  const { next, unknown } = parseOptions(words, form.options, { stopAtOperand: true, lenient: true })
  // An option that is not known may take the next word.
  return (unknown.length > 0 ? [next, next + 1] : [next]).map(from => [literalWord(name), ...words.slice(from)])
}

const none: readonly never[] = []
type Writable<T> = { -readonly [key in keyof T]: T[key] }

// What a wrapper starts has a name of its own, which may be unknown where the outer one was not.
function innerOpaque(words: readonly ShellWord[]): readonly string[] {
  const [name] = words
  return name && name.value === undefined ? [`its name "${name.text}" is not a literal`] : []
}

function spell(words: readonly ShellWord[], source?: string): Pick<Level, 'shown' | 'joined' | 'baseName' | 'open'> {
  const shown = words.map(shownWord)
  const isOpen = words.some(({ value }) => value === undefined)
  const [name = ''] = shown
  // In one step: a text that is added to piece by piece is copied again when it is first compared.
  const joined = source !== undefined && isSpelled(source, words, shown) ? source : shown.join(' ')
  const base = baseNameOf(words[0]?.value === undefined ? (knownEnd(words[0]) ?? name) : name)
  const baseName = base === name ? joined : base + joined.slice(name.length)
  if (!isOpen) return { shown, joined, baseName, open: undefined }
  const open = openText(words)
  const [first] = words
  const known = first?.value !== undefined
  const openBase = known && base !== name ? openText([literalWord(base), ...words.slice(1)]) : open
  return { shown, joined, baseName, open: { joined: open, baseName: openBase } }
}

/** Whether the source of a command is its words with a blank between each. */
function isSpelled(source: string, words: readonly ShellWord[], shown: readonly string[]): boolean {
  let end = 0
  for (let index = 0; index < words.length; index++) {
    const text = shown[index] ?? ''
    if (words[index]?.text !== text || !source.startsWith(text, end)) return false
    end += text.length
    if (index + 1 < words.length && source.charCodeAt(end) !== 32) return false
    end += 1
  }
  return end === source.length + 1
}

function openText(words: readonly ShellWord[]): OpenText {
  // An unquoted expansion may be no word at all: the blank before it is open too.
  return words.flatMap((word, index) => [
    ...(index > 0 && !splits(word) ? [' '] : []),
    ...word.pieces.map(piece => (piece.type === 'literal' ? piece.value : undefined)),
  ])
}

/** What stands behind the last expansion of a word that ends in a path: `/curl` of `"$HOME/bin/curl"`. */
function knownEnd(word: ShellWord | undefined): string | undefined {
  let end = ''
  for (const piece of word?.pieces ?? []) end = piece.type === 'literal' ? end + piece.value : ''
  return end.includes('/') ? end : undefined
}

/** `/usr/bin/curl` and `\curl` are `curl` to deny and ask. */
function baseNameOf(name: string): string {
  const slash = name.lastIndexOf('/')
  return slash < 0 ? name : name.slice(slash + 1)
}
