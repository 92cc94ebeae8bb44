// Checks the rows of the two files of policies/ (zod, strict) and compiles them into the shapes of tables.ts. Pure.

import { z } from 'zod'
import { readNames } from '../bash/names.ts'
import { compileKind, compileOptions, type OptionSpec } from '../bash/option-spec.ts'
import { type Rows, readSections, rowTable } from './row-table.ts'
import type { CodeForm, CommandTables, DangerForm, Effect, OperandKind, ReadOnlyForm, RecursiveForm } from './tables.ts'

/** @throws {Error} naming file and line */
export function compileTables(readOnlyText: string, factsText: string): CommandTables {
  const readOnlyFile = 'read-only-commands.yaml'
  const factsFile = 'command-facts.yaml'
  const readOnly = readSections(readOnlyText, readOnlyFile)
  const facts = readSections(factsText, factsFile)
  const groups = rowTable(readOnly, 'groups', readOnlyFile, text, row => row)
  const find = rowTable(readOnly, 'find', readOnlyFile, text, compileOptions)
  const assignments = rowTable(facts, 'assignments', factsFile, text, readNames)
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
    code: rowTable(facts, 'code', factsFile, codeRow, codeForm),
    assignments: {
      get harmless() {
        return present(assignments, 'harmless')
      },
    },
    gitConfig: rowTable(facts, 'gitConfig', factsFile, text, readNames),
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
  directory: choice,
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

const codeRow = z.strictObject({
  options: choice,
  ends: choice,
  modules: choice,
  words: choice,
  begins: choice,
  holds: z.array(text).optional(),
  informs: choice,
  script: count,
  permutes: flag,
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
    directory: names(row.directory),
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
    shortEffects: [...effectOf.keys()].flatMap(name => (name.startsWith('--') ? [] : [name.slice(1)])),
    longEffects: [...effectOf.keys()].filter(name => name.startsWith('--')),
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

function codeForm(row: z.infer<typeof codeRow>): CodeForm {
  return {
    options: compileOptions(row.options ?? ''),
    ends: names(row.ends),
    modules: names(row.modules),
    words: names(row.words),
    begins: [...names(row.begins)],
    holds: row.holds ?? [],
    informs: names(row.informs),
    script: row.script ?? 1,
    permutes: row.permutes === true,
  }
}
