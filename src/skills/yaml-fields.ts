// Top-level pairs of a YAML document → fields. Core schema, no aliases, no merge keys, no tags; a value that YAML would change without
// a word (`fix #12 now`, `!important x`, `**bold**`) is kept as written and told.

import { isAlias, isCollection, isMap, isPair, isScalar, isSeq, type Range } from 'yaml'
import { type Diagnostic, messageOf } from '../errors.ts'
import { describeLine, type Field, type FieldItem, fieldName, isKnownField, joinLines, type Place, type YamlProblem } from './field.ts'
import { composeYaml } from './yaml-compose.ts'

export type YamlFields =
  | { readonly fields: readonly Field[]; readonly diagnostics: readonly Diagnostic[] }
  | { readonly problem: YamlProblem }

// A ` #` in prose is more often a number sign than a comment; in a name, a flag or a list it is a comment.
const proseFields: ReadonlySet<string> = new Set(['description', 'when-to-use', 'license', 'compatibility', 'argument-hint'])
const textFields: ReadonlySet<string> = new Set([...proseFields, 'name', 'version', 'agent', 'model', 'effort'])

/** Reads `source`, which stands at `base` of the block of `place`. Never throws. */
export function parseYamlFields(source: string, base: number, place: Place): YamlFields {
  try {
    const document = composeYaml(source)
    if (document === undefined) return { problem: { message: 'it is nested too deeply, or holds too many signs of YAML', offset: base } }
    const error = document.errors[0]
    const root = document.contents
    if (error === undefined && root === null) return { fields: [], diagnostics: [] }
    if (error === undefined && isScalar(root) && root.value === null) return { fields: [], diagnostics: [] }
    if (!isMap(root)) {
      if (error !== undefined && root === null) return { problem: problemOf(error, base) }
      const found = isSeq(root) ? 'a list' : 'a text'
      const message = `it is ${found}, and a map of fields is wanted`
      return { problem: { message, offset: base + (root?.range?.[0] ?? 0), isFinal: isSeq(root) || error === undefined } }
    }
    if (error !== undefined) return { problem: problemOf(error, base) }
    const reader = new FieldReader(source, base, place)
    const fields = root.items.map(pair => reader.read(pair.key, pair.value))
    return { fields: fields.filter(field => field !== undefined), diagnostics: reader.diagnostics }
  } catch (error) {
    return { problem: { message: messageOf(error), offset: base } }
  }
}

/** The text of a hint: the value of a quoted or block scalar, else the source with its lines joined. */
export function parseHint(source: string): string {
  const text = source.trim()
  const quoted = simpleQuoted.exec(text)
  if (quoted !== null) return (quoted[1] ?? quoted[2] ?? '').trim()
  if (/^["'|>]/.test(text)) {
    try {
      const document = composeYaml(`h:${source}`)
      const value = isMap(document?.contents) ? document.contents.items[0]?.value : undefined
      if (document?.errors.length === 0 && isScalar(value) && value.type !== 'PLAIN' && typeof value.value === 'string')
        return value.value.trim()
    } catch {
      // Not YAML: the text as written is the hint.
    }
  }
  return joinLines(text)
}

// One line in quotes, with nothing inside that YAML would change or refuse: most hints that are quoted.
const simpleQuoted = /^(?:"([^"\\\p{Cc}\u2028\u2029\ufeff]{0,1000})"|'([^'\p{Cc}\u2028\u2029\ufeff]{0,1000})')$/u

function problemOf(error: { message: string; pos: [number, number] }, base: number): YamlProblem {
  return { message: error.message, offset: base + error.pos[0] }
}

const noItems: readonly FieldItem[] = []
const nothing = (): null => null

class FieldReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #source: string
  readonly #base: number
  readonly #place: Place

  constructor(source: string, base: number, place: Place) {
    this.#source = source
    this.#base = base
    this.#place = place
  }

  read(key: unknown, node: unknown): Field | undefined {
    const keyRange = rangeOf(key)
    const written = isScalar(key) && typeof key.source === 'string' ? key.source : this.#source.slice(keyRange[0], keyRange[1])
    if (!isScalar(key)) {
      this.#tell('FIELD_UNKNOWN', 'note', `Ignored the key "${written}": a key is a plain word`, keyRange[0])
      return undefined
    }
    const name = fieldName(written)
    const colon = this.#source.indexOf(':', keyRange[1])
    // A key alone, behind `?`.
    const start = colon < 0 ? keyRange[1] : this.#valueStart(colon + 1)
    const offset = this.#base + start
    const isEmpty = node === null || node === undefined || (isScalar(node) && node.value === null)
    const end = rangeOf(node)[1]
    const isChanged = this.#isMarked(node, start)
    const rest = isChanged || proseFields.has(name) ? this.#restOfLine(end) : ''
    const isCut = rest.startsWith('#') && isScalar(node) && node.type === 'PLAIN'
    const isShaped = isCollection(node) && textFields.has(name)
    if (isChanged || isCut || isShaped) {
      const text = joinLines(this.#source.slice(start, rest === '' ? end : this.#source.indexOf(rest, end) + rest.length))
      const shape = isCollection(node) && !isShaped && isKnownField(name) ? 'raw' : 'text'
      const severity = isKnownField(name) ? 'warning' : 'note'
      this.#tell('FRONTMATTER_REPAIRED', severity, `Quote the value of "${written}": YAML would change it; it was kept as written`, start)
      return { name, written, offset, shape, text, items: noItems, value: () => text }
    }
    if (isEmpty) return { name, written, offset, shape: 'null', text: '', items: noItems, value: nothing }
    if (isScalar(node)) return { name, written, offset, shape: 'text', text: textOf(node), items: noItems, value: () => node.value }
    return this.#readCollection({ name, written, offset }, node, start, end)
  }

  #readCollection(common: Pick<Field, 'name' | 'written' | 'offset'>, node: unknown, start: number, end: number): Field {
    const { name, written } = common
    const isHarmful = hasReference(node)
    if (isHarmful) {
      const severity = isKnownField(name) ? 'warning' : 'note'
      const message = `Write out the value of "${written}": aliases (*x), anchors (&x), tags (!x) and merge keys (<<) are not followed`
      this.#tell('FRONTMATTER_REPAIRED', severity, message, start)
    }
    const text = joinLines(this.#source.slice(start, end))
    const value = isHarmful ? () => text : () => toValue(node)
    if (!isSeq(node)) return { ...common, shape: isHarmful ? 'raw' : 'map', text, items: noItems, value }
    const items = node.items.map(item => this.#item(item, node.flow === true))
    return { ...common, shape: isHarmful && name === 'hooks' ? 'raw' : 'list', text, items, value }
  }

  #item(item: unknown, isFlow: boolean): FieldItem {
    if (isAlias(item) || (isScalar(item) && (item.tag !== undefined || item.anchor !== undefined))) {
      const [from, to] = rangeOf(item)
      const start = isFlow ? from : Math.max(this.#source.lastIndexOf('- ', from) + 2, this.#source.lastIndexOf('\n', from) + 1)
      return { text: this.#source.slice(start, isFlow ? to : to + this.#restOfLine(to).length + this.#blanksAt(to)).trim() }
    }
    if (isScalar(item)) return { text: item.value === null ? '' : textOf(item) }
    if (isMap(item)) {
      const name = item.items.find(pair => isScalar(pair.key) && pair.key.value === 'name')?.value
      return isScalar(name) && name.value !== null ? { name: textOf(name) } : {}
    }
    return {}
  }

  #valueStart(from: number): number {
    let at = from
    while (this.#source[at] === ' ' || this.#source[at] === '\t') at++
    return at
  }

  #restOfLine(from: number): string {
    const end = this.#source.indexOf('\n', from)
    // A block scalar ends at the start of the next line: nothing of that line is its own.
    if (from > 0 && this.#source[from - 1] === '\n') return ''
    return this.#source.slice(from, end === -1 ? this.#source.length : end).trim()
  }

  #blanksAt(from: number): number {
    return this.#valueStart(from) - from
  }

  /** Whether the value has a tag or an anchor, or is an alias. */
  #isMarked(node: unknown, start: number): boolean {
    if (isAlias(node)) return true
    const char = this.#source.charCodeAt(start)
    if (char === 0x21 || char === 0x26 || char === 0x2a) return true
    return (isScalar(node) || isCollection(node)) && (node.tag !== undefined || node.anchor !== undefined) && this.#source[start] === '\n'
  }

  #tell(code: string, severity: Diagnostic['severity'], message: string, at: number): void {
    const { line, column, shown } = describeLine(this.#place, this.#base + at)
    this.diagnostics.push({ code, severity, message: message + shown, path: this.#place.path, line, column })
  }
}

function rangeOf(node: unknown): Range {
  if (node !== null && typeof node === 'object' && 'range' in node && Array.isArray(node.range)) return node.range as unknown as Range
  return [0, 0, 0]
}

/** Numbers, dates and booleans keep their source: `1.50` is not 1.5. */
function textOf(node: { value: unknown; source?: string | undefined }): string {
  if (typeof node.value !== 'string') return node.source ?? String(node.value)
  let end = node.value.length
  while (node.value[end - 1] === '\n') end--
  return node.value.slice(0, end)
}

function hasReference(node: unknown): boolean {
  if (isAlias(node)) return true
  if (isPair(node)) return (isScalar(node.key) && node.key.value === '<<') || hasReference(node.key) || hasReference(node.value)
  if (isScalar(node)) return node.tag !== undefined || node.anchor !== undefined
  if (!isCollection(node)) return false
  return node.anchor !== undefined || node.tag !== undefined || node.items.some(hasReference)
}

/** Plain data with own keys only: a key named `__proto__` is a key. */
function toValue(node: unknown): unknown {
  if (isScalar(node)) return node.value
  if (isSeq(node)) return node.items.map(toValue)
  if (isMap(node))
    return Object.fromEntries(node.items.map(pair => [isScalar(pair.key) ? String(pair.key.value) : '?', toValue(pair.value)]))
  return null
}
