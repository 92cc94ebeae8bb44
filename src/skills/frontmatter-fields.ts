// What the fields of a frontmatter mean. A field of the wrong type removes what it would grant, never what it would forbid; a
// field that restricts and cannot be read turns off the model, the grants and the commands of the skill (SPEC R2.5).

import type { Diagnostic } from '../errors.ts'
import { describeLine, type Field, isKnownField, type Place } from './field.ts'
import { parseArgumentNames, splitPatterns } from './field-lists.ts'
import { parseToolList } from './tool-list.ts'

/** The fields of a skill as its author meant them, before anybody knows where the file lies. */
export interface SkillFields {
  readonly displayName?: string
  readonly description?: string
  readonly whenToUse?: string
  readonly argumentHint?: string
  readonly argumentNames: readonly string[]
  readonly argumentsBase?: 0
  readonly context: 'inline' | 'fork'
  readonly agent?: string
  readonly model?: string
  readonly effort?: string
  readonly shell: string
  /** Rules of `allowed-tools`, placeholders unfilled. */
  readonly allowedRules: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly paths: readonly string[]
  readonly hooks?: unknown
  /** Where they stand in the file, from 1. */
  readonly hooksLine?: number
  readonly userInvocable: boolean
  readonly modelInvocable: boolean
  readonly commandsEnabled: boolean
  readonly extra: Readonly<Record<string, unknown>>
}

/** Interprets fields; problems are pushed to `diagnostics`. */
export function interpretFields(fields: readonly Field[], place: Place, diagnostics: Diagnostic[]): SkillFields {
  const reader = new Interpreter(fields, place, diagnostics)
  const disableModel = reader.flag('disable-model-invocation', true)
  const userInvocable = reader.flag('user-invocable', false)
  const context = reader.context()
  const shell = reader.shell()
  const hooks = reader.hooks()
  const disallowedTools = reader.tools('disallowed-tools')
  const allowedRules = reader.tools('allowed-tools')
  const argumentNames = reader.argumentNames()
  const paths = reader.paths()
  const argumentsBase = reader.argumentsBase()
  const isClosed = reader.isClosed
  // One literal, absent values undefined: 5,000 of these are made at a start, and copying objects was a third of it.
  return {
    displayName: reader.text('name'),
    description: reader.text('description'),
    whenToUse: reader.text('when-to-use'),
    argumentHint: reader.text('argument-hint'),
    argumentNames,
    argumentsBase,
    context,
    agent: reader.text('agent'),
    model: reader.text('model'),
    effort: reader.text('effort'),
    shell,
    allowedRules: isClosed ? [] : allowedRules,
    disallowedTools,
    paths,
    hooks,
    hooksLine: hooks === undefined ? undefined : reader.lineOf('hooks'),
    userInvocable: userInvocable ?? true,
    modelInvocable: !isClosed && disableModel !== true,
    commandsEnabled: !isClosed,
    extra: reader.extra(),
  }
}

/** What SPEC R2.5 does to a skill that says more than can be read. */
export const closedEffect = 'until then the model may not call the skill, it grants no tools and runs no commands'

const noFields: readonly Field[] = []

class Interpreter {
  /** Whether a restricting field cannot be read. */
  isClosed = false
  readonly #byName = new Map<string, Field[]>()
  readonly #place: Place
  readonly #diagnostics: Diagnostic[]

  constructor(fields: readonly Field[], place: Place, diagnostics: Diagnostic[]) {
    this.#place = place
    this.#diagnostics = diagnostics
    for (const field of fields) {
      const same = this.#byName.get(field.name)
      if (same === undefined) this.#byName.set(field.name, [field])
      else {
        const { line } = describeLine(place, same[0]?.offset ?? 0)
        const what = field.written === same[0]?.written ? 'it stands' : `"${same[0]?.written}" is the same field and stands`
        this.#tell(
          'FIELD_DUPLICATE',
          isKnownField(field.name) ? 'warning' : 'note',
          `Remove one "${field.written}": ${what} in line ${line} too`,
          field,
        )
        same.push(field)
      }
    }
  }

  text(name: string): string | undefined {
    const field = this.#last(name)
    if (field === undefined || field.text.trim() === '') return undefined
    return field.text.trim()
  }

  /** A boolean; of several, and of one that cannot be read, the value that forbids. */
  flag(name: string, forbidding: boolean): boolean | undefined {
    let value: boolean | undefined
    for (const field of this.#all(name)) {
      const read = field.shape === 'text' ? parseBoolean(field.text) : undefined
      if (read === undefined) this.#close(field, 'write true or false')
      if (read === undefined || read === forbidding) value = forbidding
      else value ??= read
    }
    return value
  }

  context(): 'inline' | 'fork' {
    const fields = this.#present('context')
    const values = fields.map(field => (field.shape === 'text' ? field.text.trim().toLowerCase() : ''))
    values.forEach((value, index) => {
      const field = fields[index]
      if (field !== undefined && value !== 'inline' && value !== 'fork') this.#close(field, 'write inline or fork')
    })
    return values.includes('fork') ? 'fork' : 'inline'
  }

  shell(): string {
    const fields = this.#present('shell')
    for (const field of fields) if (field.shape !== 'text') this.#close(field, 'write bash, sh or powershell')
    return fields.findLast(field => field.shape === 'text')?.text.trim() ?? 'bash'
  }

  hooks(): unknown {
    const fields = this.#present('hooks')
    for (const field of fields) if (field.shape !== 'map') this.#close(field, 'write a map of events')
    const [first, second] = fields
    if (second !== undefined) this.#close(second, 'write all hooks below one key')
    return first?.shape === 'map' ? first.value() : undefined
  }

  /** Of the key, in the file. */
  lineOf(name: string): number | undefined {
    const field = this.#present(name)[0]
    return field && describeLine(this.#place, field.offset).line
  }

  /** A list that forbids must be read whole; of one that grants, what cannot be read grants nothing. */
  tools(name: 'allowed-tools' | 'disallowed-tools'): string[] {
    const fields = this.#present(name)
    if (fields.length === 0) return []
    const lists: string[][] = []
    const isForbidding = name === 'disallowed-tools'
    for (const field of fields) {
      const { texts, isWhole } = textsOf(field)
      const malformed: string[] = []
      const rules: string[] = []
      for (const text of texts) {
        const list = parseToolList(text)
        rules.push(...list.rules)
        malformed.push(...list.malformed)
      }
      lists.push(rules)
      if (isWhole && malformed.length === 0) continue
      const wanted = 'write a list such as: Read, Bash(git log *)'
      if (isForbidding) this.#close(field, wanted)
      else if (!isWhole)
        this.#tell('FIELD_TYPE', 'warning', `Cannot read all of "${field.written}", the rest of it grants nothing: ${wanted}`, field)
      for (const piece of isForbidding ? [] : malformed) {
        this.#tell(
          'RULE_DROPPED',
          'warning',
          `Dropped from "${field.written}": ${JSON.stringify(piece)} is no rule; quote a rule that holds commas or quotes`,
          field,
        )
      }
    }
    // Written twice, a list forbids what either says and grants what both say.
    const all = [...new Set(lists.flat())]
    return isForbidding ? all : all.filter(rule => lists.every(list => list.includes(rule)))
  }

  paths(): readonly string[] {
    const field = this.#last('paths')
    if (field === undefined) return []
    const { texts, isWhole } = textsOf(field)
    if (!isWhole) this.#tell('FIELD_TYPE', 'warning', `Cannot read all of "${field.written}": write a list of patterns`, field)
    return [...new Set(texts.flatMap(splitPatterns))]
  }

  argumentNames(): readonly string[] {
    const field = this.#last('arguments')
    if (field === undefined) return []
    const { names, refused } = parseArgumentNames(field)
    for (const reason of refused) this.#tell('ARGUMENT_NAME', 'warning', `${reason} in "${field.written}"`, field)
    return names
  }

  argumentsBase(): 0 | undefined {
    const field = this.#last('arguments-base')
    if (field === undefined || field.text.trim() === '1') return undefined
    if (field.shape === 'text' && field.text.trim() === '0') return 0
    this.#tell('FIELD_TYPE', 'warning', `Ignored "${field.written}": write 0 or 1`, field)
    return undefined
  }

  extra(): Readonly<Record<string, unknown>> {
    const kept: [string, unknown][] = []
    for (const [name, fields] of this.#byName) {
      const field = fields.at(-1)
      if (field === undefined || (isKnownField(name) && !keptFields.has(name))) continue
      // `version: 1.10` is a text: the number would be 1.1.
      kept.push([field.written, keptFields.has(name) && name !== 'metadata' ? (this.text(name) ?? null) : field.value()])
    }
    return Object.fromEntries(kept)
  }

  #all(name: string): readonly Field[] {
    return this.#byName.get(name) ?? noFields
  }

  #present(name: string): readonly Field[] {
    const fields = this.#all(name)
    return fields.length === 0 ? fields : fields.filter(field => field.shape !== 'null')
  }

  #last(name: string): Field | undefined {
    return this.#present(name).at(-1)
  }

  #close(field: Field, wanted: string): void {
    this.isClosed = true
    const reason = field.problem === undefined ? '' : ` (${field.problem.message})`
    this.#tell('FIELD_UNREADABLE', 'error', `Cannot read "${field.written}"${reason}: ${wanted}; ${closedEffect}`, field)
  }

  #tell(code: string, severity: Diagnostic['severity'], message: string, field: Field): void {
    const { line, column, shown } = describeLine(this.#place, field.offset)
    this.#diagnostics.push({ code, severity, message: message + shown, path: this.#place.path, line, column })
  }
}

const keptFields: ReadonlySet<string> = new Set(['version', 'license', 'compatibility', 'metadata'])

/** true, false, yes, no, on, off, 1, 0 in any case; undefined for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const value = text.trim().toLowerCase()
  if (value === 'true' || value === 'yes' || value === 'on' || value === '1') return true
  return value === 'false' || value === 'no' || value === 'off' || value === '0' ? false : undefined
}

/** The texts of a list, and whether those are all of it. */
function textsOf(field: Field): { readonly texts: readonly string[]; readonly isWhole: boolean } {
  if (field.items.length > 0) {
    const texts = field.items.map(item => item.text).filter(text => text !== undefined)
    return { texts, isWhole: texts.length === field.items.length }
  }
  if (field.shape === 'list') return { texts: [], isWhole: true }
  if (field.shape === 'map') return { texts: [], isWhole: false }
  const text = field.text.trim()
  // A flow list that YAML refused: its text without the brackets.
  return { texts: [field.shape === 'raw' && text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text], isWhole: true }
}
