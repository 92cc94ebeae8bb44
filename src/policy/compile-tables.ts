// Checks the rows of the two files of policies/ (zod, strict) and compiles them into the shapes of tables.ts. Pure.

import { z } from 'zod'
import { compileKind, compileOptions, type OptionSpec } from '../bash/option-spec.ts'
import { type Rows, readSections, rowTable } from './row-table.ts'
import type { CommandTables, DangerForm, Effect, NameSet, OperandKind, ReadOnlyForm, RecursiveForm } from './tables.ts'

/** @throws {Error} naming file and line */
export function compileTables(readOnlyText: string, factsText: string): CommandTables {
  const readOnlyFile = 'read-only-commands.yaml'
  const factsFile = 'command-facts.yaml'
  const readOnly = readSections(readOnlyText, readOnlyFile)
  const facts = readSections(factsText, factsFile)
  const groups = rowTable(readOnly, 'groups', readOnlyFile, text, row => row)
  const find = rowTable(readOnly, 'find', readOnlyFile, text, compileOptions)
  const assignments = rowTable(facts, 'assignments', factsFile, text, names)
  return {
    readOnly: rowTable(readOnly, 'programs', readOnlyFile, readOnlyRow, row => readOnlyForm(row, groups)),
    find: {
      get options(): OptionSpec {
        return present(find, 'options')
      },
      get expression(): OptionSpec {
        return present(find, 'expression')
      },
    },
    danger: rowTable(facts, 'danger', factsFile, dangerRow, dangerForm),
    recursive: rowTable(facts, 'recursive', factsFile, text, recursiveForm),
    assignments: {
      get harmless() {
        return nameSet(present(assignments, 'harmless'))
      },
      get special() {
        return nameSet(present(assignments, 'special'))
      },
    },
  }
}

function present<Form>(rows: Rows<Form>, name: string): Form {
  const form = rows.get(name)
  if (form === undefined) throw new Error(`Cannot find the row "${name}": there are ${[...rows.names()].join(', ')}`)
  return form
}

const text = z.string()
const flag = z.boolean().optional()
const choice = z.string().optional()
const count = z.number().int().min(0).optional()

const readOnlyRow = z.strictObject({
  groups: choice,
  options: choice,
  operands: choice,
  given: z.record(text, text).optional(),
  needs: choice,
  exact: z.array(text).optional(),
  subCommands: flag,
  bare: flag,
  harmless: flag,
  repository: flag,
  noFolders: flag,
  grammar: z.enum(['echo', 'printf', 'test', 'set', 'declare', 'find']).optional(),
})

const effectTexts = { runs: choice, writes: choice, reads: choice, elsewhere: choice }

const dangerRow = z.strictObject({
  ...effectTexts,
  takes: choice,
  words: z.strictObject(effectTexts).optional(),
  begins: z.strictObject(effectTexts).optional(),
  unless: choice,
  least: count,
  program: z.enum(['sed', 'awk']).optional(),
  bundled: flag,
  always: choice,
  subCommands: flag,
})

const nothing: ReadonlySet<string> = new Set()

function names(list: string | undefined): ReadonlySet<string> {
  return list ? new Set(list.split(/\s+/).filter(Boolean)) : nothing
}

function operandKinds(notation: string): readonly OperandKind[] {
  return notation.split(' ').map(part => {
    const sign = part.at(-1)
    const kind = compileKind(sign === '*' || sign === '?' ? part.slice(0, -1) : part)
    return { kind, count: sign === '*' ? 'any' : sign === '?' ? 'maybe' : 'one' }
  })
}

function readOnlyForm(row: z.infer<typeof readOnlyRow>, groups: Rows<string>): ReadOnlyForm {
  const shared = [...names(row.groups)].map(name => present(groups, name))
  return {
    options: compileOptions([...shared, row.options ?? ''].join(' ')),
    operands: row.operands === undefined ? undefined : operandKinds(row.operands),
    given: Object.entries(row.given ?? {}).map(([options, operands]) => ({ options: names(options), operands: operandKinds(operands) })),
    needs: names(row.needs),
    exact: new Set(row.exact),
    subCommands: row.subCommands === true,
    bare: row.bare === true,
    harmless: row.harmless === true,
    repository: row.repository === true,
    noFolders: row.noFolders === true,
    grammar: row.grammar,
  }
}

const effects: readonly Effect[] = ['runs', 'writes', 'reads', 'elsewhere']
type EffectTexts = Readonly<Partial<Record<Effect, string | undefined>>>

function dangerForm(row: z.infer<typeof dangerRow>): DangerForm {
  const effectOf = new Map<string, Effect>()
  for (const effect of effects) for (const name of compileOptions(row[effect] ?? '').rows.keys()) effectOf.set(name, effect)
  return {
    options: compileOptions([row.takes, ...effects.map(effect => row[effect])].join(' ')),
    effects: effectOf,
    words: new Map(effectPairs(row.words)),
    begins: effectPairs(row.begins).map(([start, effect]) => ({ start: start.toLowerCase(), effect })),
    unless: names(row.unless),
    least: row.least ?? 0,
    program: row.program,
    bundled: row.bundled === true,
    always: row.always,
    subCommands: row.subCommands === true,
  }
}

function effectPairs(texts: EffectTexts | undefined): [string, Effect][] {
  return effects.flatMap(effect => [...names(texts?.[effect])].map((name): [string, Effect] => [name, effect]))
}

function recursiveForm(row: string): RecursiveForm {
  const options = row.startsWith('-')
  return { always: row === 'always', options: compileOptions(options ? row : ''), words: options ? nothing : names(row) }
}

const nameSets = new WeakMap<ReadonlySet<string>, NameSet>()

function nameSet(names: ReadonlySet<string>): NameSet {
  const known = nameSets.get(names)
  if (known) return known
  const all = [...names]
  const made: NameSet = {
    exact: new Set(all.filter(name => !name.includes('*'))),
    beginnings: all.filter(name => name.endsWith('*')).map(name => name.slice(0, -1)),
    endings: all.filter(name => name.startsWith('*')).map(name => name.slice(1)),
  }
  nameSets.set(names, made)
  return made
}
