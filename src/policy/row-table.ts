// The rows of a section of a table file, each parsed and checked at its first use: YAML takes about 5 µs a character, so reading the
// whole of policies/*.yaml would cost every start 100 ms, and a decision needs two or three rows.

import { parse } from 'yaml'
import type { z } from 'zod'
import { messageOf } from '../errors.ts'

/** Rows by name. */
export interface Rows<Form> {
  /** @throws {Error} naming file and key when the row does not hold what it should. */
  get(name: string): Form | undefined
  names(): Iterable<string>
}

/** Section → names of a row → its source. A row begins with two blanks, what belongs to it has more. */
export type Sections = ReadonlyMap<string, ReadonlyMap<string, Source>>
interface Source {
  readonly text: string
  /** Of the file, from 1. */
  readonly line: number
}

/**
 * Splits the text of a table file by its indentation.
 * @throws {Error} naming file and line for a name that stands twice, and for a line that belongs nowhere.
 */
export function readSections(text: string, file: string): Sections {
  const sections = new Map<string, Map<string, Source>>()
  let section: Map<string, Source> | undefined
  let row: { names: readonly string[]; lines: string[]; line: number } | undefined
  const close = (): void => {
    if (row) for (const name of row.names) section?.set(name, { text: row.lines.join('\n'), line: row.line })
    row = undefined
  }
  for (const [index, line] of text.split('\n').entries()) {
    const where = `"${file}", line ${index + 1}`
    if (line.trim() === '' || /^ {0,2}#/.test(line)) continue
    if (row && line.startsWith('   ')) {
      row.lines.push(line)
      continue
    }
    close()
    const title = /^([a-zA-Z]+):$/.exec(line)?.[1]
    const key = /^ {2}(?:'([^']+)'|([^\s'"][^'"]*?)):(?: |$)/.exec(line)
    if (title) {
      section = new Map()
      sections.set(title, section)
    } else if (key && section) {
      const names = (key[1] ?? key[2] ?? '').split(', ')
      const twice = names.find((name, place) => section?.has(name) || names.indexOf(name) !== place)
      if (twice !== undefined) throw new Error(`Cannot use ${where}: "${twice}" stands in this section twice`)
      row = { names, lines: [line], line: index + 1 }
    } else throw new Error(`Cannot use ${where}: it is neither a section nor a row with two blanks before it`)
  }
  close()
  return sections
}

/** The rows of one section. */
export function rowTable<Row, Form>(
  sections: Sections,
  section: string,
  file: string,
  schema: z.ZodType<Row>,
  compile: (row: Row, name: string) => Form,
): Rows<Form> {
  const sources = sections.get(section)
  if (!sources) throw new Error(`Cannot use "${file}": it has no section "${section}"`)
  const forms = new Map<string, Form>()
  return {
    names: () => sources.keys(),
    get(name) {
      const known = forms.get(name)
      if (known !== undefined) return known
      const source = sources.get(name)
      if (!source) return undefined
      try {
        const [row] = Object.values(parseRow(source.text))
        const form = compile(schema.parse(row ?? {}), name)
        forms.set(name, form)
        return form
      } catch (error) {
        throw new Error(`Cannot use "${file}", line ${source.line}: ${section}.${name}: ${messageOf(error)}`, { cause: error })
      }
    },
  }
}

function parseRow(text: string): object {
  const row: unknown = parse(text)
  if (typeof row !== 'object' || row === null) throw new Error('The row is no map')
  return row
}
