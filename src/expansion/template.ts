// The text of a body with its placeholders filled, in one pass over what the author wrote (SPEC R3.2–R3.4).
// What is filled in is never looked at again. Commands are not text: shell-arguments.ts.

import { isScript, singleQuotedRanges } from './code-quotes.ts'
import type { CodeRegion } from './injections.ts'
import type { TextRange } from './markdown.ts'
import type { Numbering } from './numbering.ts'
import type { Placeholder, PlaceholderKind } from './placeholders.ts'

/** A placeholder of the text, with what its place says about it. */
export interface TextPlaceholder extends Placeholder {
  readonly inCode: boolean
  /** A digit that belongs to a program in the code: awk in single quotes, a script. */
  readonly own: boolean
}

export interface TextValues {
  readonly text: string
  readonly words: readonly string[]
  /** The index of the argument of each declared name. */
  readonly nameIndexes: ReadonlyMap<string, number>
  readonly fixed: ReadonlyMap<string, string>
  readonly argumentsFile: string
  readonly numbering: Numbering
  readonly missing: 'empty' | 'as-written'
}

/** Says where each placeholder stands, and leaves out those inside commands. Both lists are in order; linear. */
export function placeInText(
  body: string,
  found: readonly Placeholder[],
  code: readonly CodeRegion[],
  commands: readonly TextRange[],
): TextPlaceholder[] {
  const placed: TextPlaceholder[] = []
  let codeIndex = 0
  let commandIndex = 0
  let program: OwnProgram | undefined
  for (const placeholder of found) {
    while ((commands[commandIndex]?.end ?? Number.POSITIVE_INFINITY) <= placeholder.start) commandIndex += 1
    if ((commands[commandIndex]?.start ?? Number.POSITIVE_INFINITY) <= placeholder.start) continue
    while ((code[codeIndex]?.end ?? Number.POSITIVE_INFINITY) <= placeholder.start) codeIndex += 1
    const region = code[codeIndex]
    const inCode = region !== undefined && region.start <= placeholder.start
    if (inCode && program?.region !== region) program = new OwnProgram(body, region)
    const own = inCode && placeholder.kind.type === 'digit' && (program?.owns(placeholder.start) ?? false)
    // Field by field: spreading them would take a third of the time of a whole plan.
    const { start, end, kind, escaped } = placeholder
    placed.push({ start, end, kind, escaped, inCode, own })
  }
  return placed
}

/** The parts of one piece of code in which `$1` is the code's own. Asked with rising offsets. */
class OwnProgram {
  readonly region: CodeRegion
  readonly #script: boolean
  readonly #quoted: readonly TextRange[]
  #index = 0

  constructor(body: string, region: CodeRegion) {
    this.region = region
    const text = body.slice(region.start, region.end)
    this.#script = region.type === 'fence' && isScript(text)
    this.#quoted = this.#script ? [] : singleQuotedRanges(text, region.language)
  }

  owns(position: number): boolean {
    if (this.#script) return true
    const offset = position - this.region.start
    while ((this.#quoted[this.#index]?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#index += 1
    return (this.#quoted[this.#index]?.start ?? Number.POSITIVE_INFINITY) <= offset
  }
}

/** What stands in the place of a placeholder; undefined when it stays as written. */
export function fillPlaceholder({ kind, escaped, own }: TextPlaceholder, values: TextValues): string | undefined {
  return escaped || own ? undefined : fill(kind, values)
}

/** Whether an argument, or the file of them, stands in the place of a placeholder (SPEC R3.6). */
export function takesArguments({ kind, escaped, own }: TextPlaceholder, { numbering }: Pick<TextValues, 'numbering'>): boolean {
  if (escaped || own || kind.type === 'fixed') return false
  return kind.type !== 'digit' || numbering.isArgument(kind.number)
}

function fill(kind: PlaceholderKind, values: TextValues): string | undefined {
  switch (kind.type) {
    case 'all':
      return values.text
    case 'file':
      return values.argumentsFile
    case 'fixed':
      return values.fixed.get(kind.name)
    case 'name':
      return values.words[values.nameIndexes.get(kind.name) ?? -1] ?? ''
    case 'index':
      return values.words[kind.index] ?? missing(values)
    case 'digit':
      return values.numbering.isArgument(kind.number) ? (values.words[kind.number - values.numbering.first] ?? missing(values)) : undefined
  }
}

function missing(values: TextValues): string | undefined {
  return values.missing === 'empty' ? '' : undefined
}
