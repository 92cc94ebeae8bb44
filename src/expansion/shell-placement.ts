// What stands in a command in the place of one placeholder: for the run, for the decision as template, for the decision with values.

import type { PlaceholderKind } from './placeholders.ts'
import { asWord, insideDoubleQuotes, insideHereDocument, isPlain } from './shell-quote.ts'
import { argumentValue, type ShellValues } from './shell-values.ts'

export interface PartContext {
  readonly quote: 'none' | 'double' | 'here-document'
  /** The shell splits and globs what is unquoted here. */
  readonly splits: boolean
  readonly inFunction: boolean
  readonly inBackticks: boolean
  /** It must stay one word. */
  readonly oneWord?: boolean
}

/** Script, template, literal. */
type PlacedTexts = [string, string, string]

interface Placement {
  readonly texts?: PlacedTexts
  readonly refusal?: string
  readonly usesParameters?: boolean
}

interface PlacementContext {
  readonly values: ShellValues
  /** The placeholder as written. */
  readonly written: string
  /** The command has `set` or `shift`, so `$1` may be its own. */
  readonly resetsParameters: boolean
}

export const same = (text: string): PlacedTexts => [text, text, text]

/** Places an argument. The shell gets a quoted reference; only the text that policy reads holds the value. */
export function placeArgument(
  kind: PlaceholderKind,
  place: PartContext,
  { values, written, resetsParameters }: PlacementContext,
): Placement {
  if (place.inBackticks) return { refusal: 'An argument may not stand in backticks; write `$( )`' }
  const value = argumentValue(kind, values)
  if (value === undefined && values.missing === 'as-written' && kind.type !== 'name') {
    const text = kind.type === 'index' ? literalText(written, place) : undefined
    return text === undefined ? {} : { texts: same(text) }
  }
  if (kind.type === 'all' && place.quote === 'none' && place.splits && !place.oneWord) return placeList(values, place, resetsParameters)
  const [reference, shown] = referenceTo(values, kind)
  const known = (value ?? '').replaceAll('\0', '')
  const isOwnNow = resetsParameters && kind.type === 'digit'
  if (place.quote === 'none') return { texts: [`"${reference}"`, `"${shown}"`, isOwnNow ? `"${shown}"` : asWord(known)] }
  // A value could hold the closing line of a here-document, so there it is decided as a variable.
  return { texts: [reference, shown, place.quote === 'double' && !isOwnNow ? insideDoubleQuotes(known) : shown] }
}

function placeList(values: ShellValues, { inFunction }: PartContext, resetsParameters: boolean): Placement {
  if (inFunction)
    return { refusal: 'Unquoted `$ARGUMENTS` may not stand in a function, which has arguments of its own; write `"$ARGUMENTS"`' }
  if (resetsParameters) return { refusal: 'Unquoted `$ARGUMENTS` may not stand beside `set` or `shift`; write `"$ARGUMENTS"`' }
  return { texts: ['"$@"', '"$@"', values.words.map(asWord).join(' ')], usesParameters: true }
}

/** How the shell reads a value, and how that is shown to policy. `-` keeps a missing one empty under `set -u`. */
export function referenceTo({ numbering }: Pick<ShellValues, 'numbering'>, kind: PlaceholderKind): [string, string] {
  if (kind.type === 'digit') {
    const number = kind.number - numbering.first + 1
    return [`\${${number}-}`, number > 9 ? `\${${number}}` : `$${number}`]
  }
  const name = kind.type === 'index' ? `ARG${kind.index + 1}` : kind.type === 'name' ? kind.name : 'ARGUMENTS'
  return [`\${${name}-}`, `\${${name}}`]
}

/** A known text as one piece of a word; undefined where it cannot be written. */
export function literalText(value: string, { quote, inBackticks }: PartContext): string | undefined {
  if (inBackticks) return isPlain(value) ? value : undefined
  if (quote === 'none') return asWord(value)
  return quote === 'double' ? insideDoubleQuotes(value) : insideHereDocument(value)
}
