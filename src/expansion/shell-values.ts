// The values of one expansion as shell parameters, variables and environment (SPEC R4.6), and what a name in a command stands for.
// Values go beside the command text, never into it.

import { Buffer } from 'node:buffer'
import type { Numbering } from './numbering.ts'
import { fixedNames, kindOfName, type PlaceholderKind } from './placeholders.ts'
import type { ExpansionRequest } from './plan.ts'

export interface ShellValues {
  readonly text: string
  readonly words: readonly string[]
  readonly given: boolean
  /** Declared names that can be shell variables, with their values. */
  readonly names: ReadonlyMap<string, string>
  /** All declared names with the index of their argument, longest first: `$pr-number` is one name of a skill that declares it. */
  readonly nameIndexes: ReadonlyMap<string, number>
  readonly declaredNames: readonly string[]
  /** Directories, session and effort that have a source, by each name. */
  readonly fixed: ReadonlyMap<string, string>
  readonly numbering: Numbering
  readonly missing: 'empty' | 'as-written'
  readonly environment: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** The values are too large for the environment. */
  readonly oversized: boolean
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const subjectOf = (request: ExpansionRequest): Readonly<Record<string, string | undefined>> => ({
  SKILL_DIR: request.skillDir,
  PLUGIN_ROOT: request.pluginRoot,
  PROJECT_DIR: request.projectDir,
  SESSION_ID: request.sessionId,
  EFFORT: request.effort,
})

/** The directories, session and effort that have a source, by every name they go by. */
export function fixedValues(request: ExpansionRequest): Map<string, string> {
  const subjects = subjectOf(request)
  const values = new Map<string, string>()
  for (const [name, subject] of fixedNames) {
    const value = subjects[subject]
    if (value !== undefined) values.set(name, value)
  }
  return values
}

interface ShellValueSources {
  readonly request: ExpansionRequest
  readonly words: readonly string[]
  /** Declared names that are not reserved, in order of their arguments; undefined for a reserved one. */
  readonly argumentNames: readonly (string | undefined)[]
  readonly fixed: ReadonlyMap<string, string>
  readonly numbering: Numbering
  readonly missing: 'empty' | 'as-written'
}

export function shellValues({ request, words, argumentNames, fixed, numbering, missing }: ShellValueSources): ShellValues {
  const names = new Map<string, string>()
  const nameIndexes = new Map<string, number>()
  for (const [index, name] of argumentNames.entries()) {
    if (name === undefined) continue
    nameIndexes.set(name, index)
    if (identifier.test(name)) names.set(name, withoutNul(words[index] ?? ''))
  }
  const values: Record<string, string> = { ARGUMENTS: withoutNul(request.argumentsText) }
  for (const [index, word] of words.entries()) values[`ARG${index + 1}`] = withoutNul(word)
  const bytes = Object.entries(values).reduce((sum, [name, value]) => sum + name.length + 2 + Buffer.byteLength(value), 0)
  const oversized = bytes > request.maxExportedBytes
  const always = { ...Object.fromEntries(fixed), ARGUMENTS_FILE: request.argumentsFile }
  return {
    text: request.argumentsText,
    words,
    given: request.argumentsText.trim() !== '',
    names,
    nameIndexes,
    declaredNames: [...nameIndexes.keys()].sort((a, b) => b.length - a.length),
    fixed,
    numbering,
    missing,
    environment: oversized ? always : { ...always, ...values },
    variables: { ...Object.fromEntries(names), ...(oversized ? values : {}) },
    oversized,
  }
}

/** NUL cannot be part of a shell value; a command that uses such arguments is refused. */
function withoutNul(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '') : value
}

/** What a shell variable or parameter stands for, if it is one of our placeholders. */
export function kindOfVariable(variable: string, names: ReadonlyMap<string, string>): PlaceholderKind | undefined {
  if (/^\d+$/.test(variable)) return { type: 'digit', number: Number(variable) }
  return kindOfName(variable) ?? (names.has(variable) ? { type: 'name', name: variable } : undefined)
}

/** The value of an argument placeholder; undefined where there is none. */
export function argumentValue(kind: PlaceholderKind, values: ShellValues): string | undefined {
  if (kind.type === 'all') return values.text
  if (kind.type === 'index') return values.words[kind.index]
  if (kind.type === 'digit') return values.words[kind.number - values.numbering.first]
  if (kind.type === 'name') return values.names.get(kind.name)
  return kind.type === 'fixed' ? values.fixed.get(kind.name) : undefined
}
