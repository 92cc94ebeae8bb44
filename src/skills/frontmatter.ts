// Frontmatter text → fields. Strict YAML first; what strict YAML refuses is tried again key by key, and every repair is told
// with its key and its place in the file (SPEC R2.4). What the fields mean stands in frontmatter-fields.ts.

import type { Diagnostic } from '../errors.ts'
import {
  describeLine,
  endsText,
  type Field,
  type FieldItem,
  fieldName,
  isKnownField,
  joinLines,
  type Place,
  type YamlProblem,
} from './field.ts'
import { parsePlainLines } from './plain-lines.ts'
import { parseHint, parseYamlFields } from './yaml-fields.ts'

export interface Frontmatter {
  readonly fields: readonly Field[]
  readonly diagnostics: readonly Diagnostic[]
  /** Set when the block as a whole cannot be read; then there are no fields. */
  readonly error?: Diagnostic
}

/** Reads a block. `firstLine` is the line of the file on which it begins; `path` goes into the diagnostics. Never throws. */
export function parseFrontmatter(block: string, firstLine: number, path: string): Frontmatter {
  const plain = parsePlainLines(block, 0, parseHint)
  if (plain !== undefined) return { fields: plain, diagnostics: [] }
  const place: Place = { block, firstLine, path }
  const hint = takeHint(block)
  const source = hint?.rest ?? block
  const hints = hint === undefined ? [] : [hint.field]
  const rest = hint === undefined ? undefined : parsePlainLines(source)
  if (rest !== undefined) return { fields: [...rest, ...hints], diagnostics: [] }
  const strict = parseYamlFields(source, 0, place)
  if (!('problem' in strict)) return { fields: [...strict.fields, ...hints], diagnostics: strict.diagnostics }
  if (strict.problem.isFinal) return { fields: [], diagnostics: [], error: wholeBlockError(strict.problem, place) }
  return parseByKey(source, strict.problem, hints, place)
}

/** A block cannot be used: says where, shows the line, and what to write instead. */
export function wholeBlockError(problem: YamlProblem, place: Place): Diagnostic {
  const { line, column, shown } = describeLine(place, problem.offset)
  return {
    code: 'FRONTMATTER_UNREADABLE',
    severity: 'error',
    message: `Cannot read the frontmatter: ${problem.message}${shown}\nWrite one "key: value" per line between two lines of three dashes`,
    path: place.path,
    line,
    column,
  }
}

interface Chunk {
  readonly start: number
  readonly text: string
  readonly key: string
  /** Behind the colon, within `text`. */
  readonly valueStart: number
}

function parseByKey(source: string, problem: YamlProblem, hints: readonly Field[], place: Place): Frontmatter {
  const chunks = cutAtKeys(source)
  if (chunks === undefined) return { fields: [], diagnostics: [], error: wholeBlockError(problem, place) }
  const fields: Field[] = []
  const diagnostics: Diagnostic[] = []
  let isRepaired = false
  for (const chunk of chunks) {
    const plain = parsePlainLines(chunk.text, chunk.start)
    if (plain !== undefined) {
      fields.push(...plain)
      continue
    }
    const alone = parseYamlFields(chunk.text, chunk.start, place)
    if (!('problem' in alone) && alone.fields.length === 1) {
      fields.push(...alone.fields)
      diagnostics.push(...alone.diagnostics)
      continue
    }
    isRepaired = true
    const reason = 'problem' in alone ? alone.problem : problem
    const field = rawField(chunk, reason)
    fields.push(field)
    // Ours is told by whoever reads the field if it restricts: an error, not a repair.
    diagnostics.push(repairDiagnostic(field, reason, place))
  }
  if (!isRepaired) {
    const { line, column, shown } = describeLine(place, problem.offset)
    const message = `Mend the frontmatter: ${problem.message}; each key was read on its own${shown}`
    diagnostics.push({ code: 'FRONTMATTER_REPAIRED', severity: 'warning', message, path: place.path, line, column })
  }
  return { fields: [...fields, ...hints], diagnostics }
}

/** Pieces that begin with a key at the indentation of the first; undefined when the block does not begin with a key. */
function cutAtKeys(source: string): readonly Chunk[] | undefined {
  const indent = /^(?:[ \t]*(?:#.*)?\n)*([ \t]*)/.exec(source)?.[1] ?? ''
  const starts: { start: number; key: string; valueStart: number }[] = []
  const pattern = /^([ \t]*)(["']?)([A-Za-z_][\w. -]{0,99}?)\2[ \t]*:(?=[ \t\n]|$)/gm
  for (const match of source.matchAll(pattern)) {
    if (match[1] === indent && match[3] !== undefined) {
      starts.push({ start: match.index, key: match[3], valueStart: match.index + match[0].length })
    }
  }
  const first = starts[0]
  if (first === undefined || /^[ \t]*[^\s#]/m.test(source.slice(0, first.start))) return undefined
  // After a line that is no key and not indented, the value before it has come loose: an unknown word with a colon is
  // another line of it (`Context: …` of an example), not a key.
  const kept = [first]
  let isLoose = false
  for (const [index, next] of starts.slice(1).entries()) {
    const between = source.slice(starts[index]?.valueStart, next.start).split('\n').slice(1)
    isLoose ||= between.some(line => line.startsWith(indent) && /^[^\s#]/.test(line.slice(indent.length)))
    if (isLoose && !endsText(fieldName(next.key))) continue
    kept.push(next)
    isLoose = false
  }
  return kept.map(({ start, key, valueStart }, index) => {
    const text = source.slice(start, kept[index + 1]?.start ?? source.length)
    return { start, text, key, valueStart: valueStart - start }
  })
}

function rawField(chunk: Chunk, problem: YamlProblem): Field {
  const value = chunk.text.slice(chunk.valueStart)
  const offset = chunk.start + chunk.valueStart + (/^[ \t]*/.exec(value)?.[0].length ?? 0)
  const lines = value.split('\n').filter(line => !line.startsWith('#'))
  const text = withoutQuotes(joinLines(lines.join('\n')))
  return { name: fieldName(chunk.key), written: chunk.key, offset, shape: 'raw', text, items: rawItems(lines), value: () => text, problem }
}

/** The items of a list that is one by its look: every line begins with a dash. */
function rawItems(lines: readonly string[]): readonly FieldItem[] {
  const [first = '', ...rest] = lines
  const items = rest.map(line => line.trim()).filter(line => line !== '')
  if (first.trim() !== '' || items.length === 0 || !items.every(line => line.startsWith('- '))) return []
  return items.map(line => ({ text: withoutQuotes(line.slice(2).trim()) }))
}

function withoutQuotes(text: string): string {
  const quote = text[0]
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.indexOf(quote, 1) === text.length - 1
  return isQuoted ? text.slice(1, -1) : text
}

function repairDiagnostic(field: Field, problem: YamlProblem, place: Place): Diagnostic {
  const { line, column, shown } = describeLine(place, field.offset)
  const message = `Quote the value of "${field.written}": ${problem.message}; it was kept as written${shown}`
  const severity = isKnownField(field.name) ? 'warning' : 'note'
  return { code: 'FRONTMATTER_REPAIRED', severity, message, path: place.path, line, column }
}

/**
 * Takes `argument-hint` out before YAML sees it: `[a] [b]` is no YAML, and a third of the public hints are like it.
 * Its line becomes a comment of the same length, so that every offset stays.
 */
function takeHint(block: string): { readonly field: Field; readonly rest: string } | undefined {
  if (!/argument[-_]?hint/i.test(block)) return undefined
  const pattern = /^(["']?)(argument-hint|argument_hint|argumentHint)\1[ \t]*:([ \t][^\n]*|)((?:\n(?:[ \t][^\n]*)?)*)(?=\n|$)/m
  const match = pattern.exec(block)
  if (match?.[2] === undefined) return undefined
  const [whole, , written, firstLine = '', more = ''] = match
  const continuation = more.trimEnd()
  const end = match.index + whole.length - (more.length - continuation.length)
  const offset = match.index + whole.indexOf(':') + 1 + (/^[ \t]*/.exec(firstLine)?.[0].length ?? 0)
  const text = parseHint(firstLine + continuation)
  const blanked = block.slice(match.index, end).replace(/[^\n]/g, ' ').replace(' ', '#')
  const field: Field = { name: 'argument-hint', written, offset, shape: text === '' ? 'null' : 'text', text, items: [], value: () => text }
  return { field, rest: block.slice(0, match.index) + blanked + block.slice(end) }
}
