// What policy knows of programs, from policies/*.yaml: the shapes, and the loading. The files are read once; their rows are checked and
// compiled at first use. Decisions take the tables as an argument and read no file.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NameSet } from '../bash/names.ts'
import type { OptionSpec, ValueKind } from '../bash/option-spec.ts'
import { packageRoot } from '../package-root.ts'
import { compileTables } from './compile-tables.ts'
import type { Rows } from './row-table.ts'

/** What an option or a word makes a program do. */
export type Effect = 'runs' | 'writes' | 'reads' | 'elsewhere'

export interface OperandKind {
  readonly kind: ValueKind
  readonly count: 'one' | 'maybe' | 'any'
}

export type Grammar = 'echo' | 'printf' | 'test' | 'set' | 'declare' | 'find'

/** The keys are explained in read-only-commands.yaml. */
export interface ReadOnlyForm {
  readonly options: OptionSpec
  readonly operands: readonly OperandKind[] | undefined
  readonly given: readonly { readonly options: ReadonlySet<string>; readonly operands: readonly OperandKind[] }[]
  readonly needs: ReadonlySet<string>
  readonly exact: ReadonlySet<string>
  readonly subCommands: boolean
  readonly bare: boolean
  readonly harmless: boolean
  readonly repository: boolean
  readonly directory: ReadonlySet<string>
  readonly noFolders: boolean
  readonly grammar: Grammar | undefined
}

/** The keys are explained in command-facts.yaml. */
export interface DangerForm {
  /** Of all effects, and the harmless ones with a value. */
  readonly options: OptionSpec
  readonly effects: ReadonlyMap<string, Effect>
  /** Of `effects`: letters without their dash, and long names with both. */
  readonly shortEffects: readonly string[]
  readonly longEffects: readonly string[]
  readonly words: ReadonlyMap<string, Effect>
  /** In small letters. */
  readonly begins: readonly { readonly start: string; readonly effect: Effect }[]
  readonly unless: ReadonlySet<string>
  readonly least: number
  readonly program: 'sed' | 'awk' | undefined
  readonly bundled: boolean
  readonly always: string | undefined
  readonly subCommands: boolean
}

export interface AssignmentNames {
  /** May be set to a literal for any program. */
  readonly harmless: NameSet
}

export interface RecursiveForm {
  readonly always: boolean
  readonly options: OptionSpec
  readonly words: ReadonlySet<string>
}

/** The keys are explained in command-facts.yaml. */
export interface CodeForm {
  readonly options: OptionSpec
  readonly ends: ReadonlySet<string>
  readonly modules: ReadonlySet<string>
  readonly words: ReadonlySet<string>
  readonly begins: readonly string[]
  readonly holds: readonly string[]
  readonly informs: ReadonlySet<string>
  readonly script: number
  readonly permutes: boolean
}

export interface FindTables {
  readonly options: OptionSpec
  readonly expression: OptionSpec
}

export interface CommandTables {
  readonly readOnly: Rows<ReadOnlyForm>
  readonly find: FindTables
  readonly danger: Rows<DangerForm>
  readonly recursive: Rows<RecursiveForm>
  readonly code: Rows<CodeForm>
  readonly assignments: AssignmentNames
  /** Keys by section, `section.*` for one with a name of its own. */
  readonly gitConfig: Rows<NameSet>
}

let loaded: CommandTables | undefined

/**
 * The tables that come with skillcell, read at the first call.
 * @throws {Error} naming file and line when a file does not hold what it should; a row's own mistakes show at its first use.
 */
export function loadTables(): CommandTables {
  loaded ??= compileTables(readTable('read-only-commands.yaml'), readTable('command-facts.yaml'))
  return loaded
}

function readTable(name: string): string {
  return readFileSync(join(packageRoot, 'policies', name), 'utf8')
}
