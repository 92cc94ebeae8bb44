// The words of a command: each placeholder in them is replaced by what means the same value in its place, and nothing more.
// Unquoted `$1` is one word, unquoted `$ARGUMENTS` the list, in quotes either is one piece. Directories become literal text.

import type { HereDoc, ParameterExpansionPart, ParsedScript, SyntaxNode, Word } from '../bash/parse.ts'
import { findPlaceholders, isAmount, isProse, type PlaceholderKind } from './placeholders.ts'
import type { ShellEdit } from './shell-edits.ts'
import { literalText, type PartContext, placeArgument, referenceTo, same } from './shell-placement.ts'
import { asWord, insideSingleQuotes, isPlain } from './shell-quote.ts'
import { Taint } from './shell-taint.ts'
import { argumentValue, kindOfVariable, type ShellValues } from './shell-values.ts'
import { findOwnSettings, isWrappable } from './word-facts.ts'

export abstract class WordRewriter {
  readonly edits: ShellEdit[] = []
  readonly unfilled: string[] = []
  refusal: string | undefined
  usesArguments = false
  usesParameters = false
  needsNoGlob = false
  readonly taint: Taint
  readonly unsafeFixedNames: ReadonlySet<string>
  protected readonly source: string
  protected readonly values: ShellValues
  /** Names that the command itself sets: from then on they are its own. */
  readonly #ownNames: ReadonlySet<string>
  readonly #resetsParameters: boolean

  constructor(source: string, script: ParsedScript, values: ShellValues) {
    this.source = source
    this.values = values
    this.taint = new Taint(source, script, values.names, values.words.length > 0 || values.numbering.declared)
    this.unsafeFixedNames = new Set([...values.fixed].flatMap(([name, value]) => (isPlain(value) ? [] : [name])))
    const own = findOwnSettings(script)
    this.#ownNames = own.names
    this.#resetsParameters = own.resetsParameters
  }

  protected abstract visit(node: SyntaxNode, place: PartContext): void

  refuse(reason: string): void {
    this.refusal ??= reason
  }

  /** Whether argument text can be in what a node prints or reads. */
  protected emits(node: SyntaxNode): boolean {
    return this.taint.holds(node) || /\bARG(?:UMENTS|\d)/.test(this.source.slice(node.pos, node.end))
  }

  protected visitWord(word: Word, place: PartContext): void {
    for (const part of word.parts ?? []) this.visit(part, place)
  }

  /** Rewrites one part of a word. False: not a part of this kind. */
  protected visitPart(node: SyntaxNode, place: PartContext): boolean {
    switch (node.type) {
      case 'SimpleExpansion':
        this.#visitSimple(node.pos, node.end, place)
        return true
      case 'ParameterExpansion':
        this.#visitParameter(node, place)
        return true
      case 'DoubleQuoted':
      case 'LocaleString':
        for (const part of node.parts) this.visit(part, { ...place, quote: 'double' })
        return true
      case 'SingleQuoted':
        this.#visitQuotedText(node.pos, node.end, place, true)
        return true
      case 'AnsiCQuoted':
        this.#visitQuotedText(node.pos, node.end, place, false)
        return true
      case 'CommandExpansion':
        if (place.quote === 'none' && place.splits && this.emits(node)) this.needsNoGlob = true
        if (node.script) this.visit(node.script, { ...place, oneWord: false, inBackticks: place.inBackticks || node.text.startsWith('`') })
        return true
      case 'BraceExpansion':
      case 'ExtendedGlob':
      case 'Glob':
        if (this.taint.holds(node)) this.refuse('An argument may not stand in a pattern or in braces')
        return false
      default:
        return false
    }
  }

  protected visitHereDocument({ delimiter, body }: HereDoc, place: PartContext): void {
    if (!delimiter?.quoted) {
      for (const part of body.parts ?? []) this.visit(part, { ...place, quote: 'here-document', splits: false })
      return
    }
    for (const { start, end, kind } of findPlaceholders(body.text, this.values.declaredNames)) {
      if (kind.type === 'fixed') {
        const value = this.values.fixed.get(kind.name)
        if (value !== undefined && !value.includes('\n')) this.#edit(body.pos + start, body.pos + end, value, value, value)
      } else if (kind.type !== 'digit' && kind.type !== 'file') {
        this.usesArguments = true
        this.refuse('An argument cannot be put into a here-document with a quoted delimiter; take the quotes off the delimiter')
      }
    }
  }

  #visitSimple(start: number, end: number, place: PartContext): void {
    const rest = this.source.slice(start, end + 260)
    const index = /^\$ARGUMENTS\[(\d{1,6})\]/.exec(rest)
    if (index && !this.#ownNames.has('ARGUMENTS')) {
      this.#place({ type: 'index', index: Number(index[1]) }, start, start + index[0].length, place)
      return
    }
    const digits = /^\$(\d+)/.exec(rest)?.[1]
    if (digits !== undefined) {
      const after = rest.slice(digits.length + 1, digits.length + 3)
      // `$1_old` is a parameter and text to the shell; of an amount it takes the digit, whatever we think.
      const read = isProse(digits, after) ? digits.slice(0, 1) : digits
      const kind: PlaceholderKind = { type: 'digit', number: Number(read) }
      if (isAmount(digits, after)) this.#visitOwn(read, start, end, place)
      else this.#place(kind, start, start + read.length + 1, place)
      return
    }
    const long = this.values.declaredNames.find(name => rest.startsWith(name, 1) && !/^[A-Za-z0-9_]/.test(rest.slice(name.length + 1)))
    const name = rest.slice(1, end - start)
    const position = long !== undefined && long !== name ? this.values.nameIndexes.get(long) : undefined
    if (long === undefined || position === undefined) this.#placeVariable(name, start, end, place)
    else this.#place({ type: 'index', index: position }, start, start + 1 + long.length, place)
  }

  #placeVariable(name: string, start: number, end: number, place: PartContext): void {
    const kind = this.#ownNames.has(name) ? undefined : kindOfVariable(name, this.values.names)
    if (kind) this.#place(kind, start, end, place)
    else this.#visitOwn(name, start, end, place)
  }

  /** A variable of the command itself: unquoted, argument text in it must not become file names. */
  #visitOwn(name: string, start: number, end: number, place: PartContext): void {
    if (!this.taint.isVariable(name)) return
    if (name === '@' || name === '*') this.usesParameters = true
    if (place.quote !== 'none' || !place.splits) return
    if ((name === '@' || name === '*') && !place.inBackticks) this.#edit(start, end, '"$@"', '"$@"', '"$@"')
    else this.needsNoGlob = true
  }

  #visitParameter(part: ParameterExpansionPart, place: PartContext): void {
    const { parameter, operation, index, pos, end } = part
    const tainted = this.taint.isVariable(parameter)
    if (part.prefix === '!' && this.taint.present) {
      this.refuse('`${!name}` beside an argument could read it as code')
      return
    }
    if (index && this.taint.namesOne(index.text)) {
      this.refuse('An argument may not stand in the index of an array')
      return
    }
    if (part.prefix === '#') return
    if (!operation && !index) {
      this.#placeVariable(parameter, pos, end, place)
      return
    }
    const kind = this.#ownNames.has(parameter) ? undefined : kindOfVariable(parameter, this.values.names)
    if (kind?.type === 'fixed' && operation?.type === 'Default' && operation.operator.endsWith('-') && this.values.fixed.get(kind.name)) {
      this.#place(kind, pos, end, place)
      return
    }
    const isOwn = kind?.type === 'digit' && (place.inFunction || !this.values.numbering.isArgument(kind.number))
    if (kind && kind.type !== 'fixed' && !isOwn) this.#noteUse(kind)
    if (kind?.type === 'digit' && this.values.numbering.first === 0 && !place.inFunction) {
      const number = String(kind.number + 1)
      this.#edit(part.parameterPos, part.parameterEnd, number, number, number)
    }
    const operandTainted = operation !== undefined && this.#operationTaint(part)
    if (!tainted && !operandTainted && kind?.type !== 'file') {
      this.#visitOperands(part, place)
      return
    }
    if (this.refusal) return
    if (place.quote !== 'none' || !place.splits) {
      this.#visitOperands(part, place)
      return
    }
    if (this.#placeDefaultList(part, kind, place)) return
    if (place.inBackticks || !isWrappable(part)) this.needsNoGlob = true
    else {
      this.#edit(pos, pos, '"', '"', '"')
      this.#edit(end, end, '"', '"', '"')
      this.#visitOperands(part, { ...place, quote: 'double' })
      return
    }
    this.#visitOperands(part, place)
  }

  /** Unquoted `${ARGUMENTS:-status}` is the list, or the word. */
  #placeDefaultList(part: ParameterExpansionPart, kind: PlaceholderKind | undefined, place: PartContext): boolean {
    const { operation } = part
    if (kind?.type !== 'all' || operation?.type !== 'Default' || operation.operator !== ':-' || place.oneWord) return false
    if (place.inFunction || place.inBackticks || this.#resetsParameters || !isPlain(operation.operand.text)) return false
    const list = `"\${@:-${operation.operand.text}}"`
    const filled = this.values.words.join(' ') === '' ? [operation.operand.text] : this.values.words
    this.usesParameters = true
    this.#edit(part.pos, part.end, list, list, filled.map(asWord).join(' '))
    return true
  }

  #operationTaint({ operation, parameter }: ParameterExpansionPart): boolean {
    const tainted = this.taint.isVariable(parameter)
    if (operation?.type === 'Default') return this.taint.holds(operation.operand)
    if (operation?.type === 'Transform' || operation?.type === 'Unknown') {
      if (tainted) this.refuse('`${name@…}` may read an argument as code')
      return false
    }
    if (operation?.type === 'Slice') {
      const words = [operation.offset, operation.length]
      if (words.some(word => word && this.taint.namesOne(word.text))) this.refuse('Arithmetic would read an argument as an expression')
      return false
    }
    const operands =
      operation?.type === 'Replace'
        ? [operation.pattern, operation.replacement]
        : operation && 'operand' in operation
          ? [operation.operand]
          : []
    if (operands.some(word => word && this.taint.holds(word))) this.refuse('An argument may not stand in the pattern of an expansion')
    return false
  }

  #visitOperands({ operation, index }: ParameterExpansionPart, place: PartContext): void {
    if (index) this.visitWord(index, { ...place, splits: false })
    if (!operation) return
    if ('operand' in operation && operation.operand) this.visitWord(operation.operand, place)
    else if (operation.type === 'Replace')
      for (const word of [operation.pattern, operation.replacement]) this.visitWord(word, { ...place, splits: false })
  }

  /** Puts what a placeholder stands for in its place. */
  #place(kind: PlaceholderKind, start: number, end: number, place: PartContext): void {
    const { values } = this
    if (kind.type === 'fixed') {
      const value = values.fixed.get(kind.name)
      if (value === undefined) this.unfilled.push(this.source.slice(start, end))
      else this.#placeText(value, start, end, place)
      return
    }
    if (kind.type === 'file') {
      this.usesArguments = true
      if (place.quote === 'none' && place.splits && !place.inBackticks) this.#edit(start, end, ...same('"${ARGUMENTS_FILE}"'))
      return
    }
    if (kind.type === 'digit') {
      const own = place.inFunction || !values.numbering.isArgument(kind.number)
      if (own) {
        this.#visitOwn(String(kind.number).slice(0, 1), start, end, place)
        return
      }
    }
    this.#noteUse(kind)
    const placed = placeArgument(kind, place, { values, written: this.source.slice(start, end), resetsParameters: this.#resetsParameters })
    if (placed.refusal) this.refuse(placed.refusal)
    if (placed.usesParameters) this.usesParameters = true
    if (placed.texts) this.#edit(start, end, ...placed.texts)
  }

  #noteUse(kind: PlaceholderKind): void {
    this.usesArguments = true
    if (kind.type === 'digit') this.usesParameters = true
  }

  /** Literal text in the place of a directory. */
  #placeText(value: string, start: number, end: number, place: PartContext): void {
    const text = literalText(value, place)
    if (text === undefined) this.refuse('A path with special signs may not stand in backticks; write `$( )`')
    else this.#edit(start, end, ...same(text))
  }

  #visitQuotedText(pos: number, end: number, place: PartContext, single: boolean): void {
    for (const { start, end: stop, kind, escaped } of findPlaceholders(this.source.slice(pos, end), this.values.declaredNames)) {
      if (escaped || kind.type === 'digit' || kind.type === 'file') continue
      const value = argumentValue(
        kind.type === 'name' ? { type: 'index', index: this.values.nameIndexes.get(kind.name) ?? 0 } : kind,
        this.values,
      )
      if (kind.type === 'fixed') {
        if (value === undefined) continue
        if (!single && !isPlain(value)) this.refuse("A path with special signs may not stand in $'…'")
        this.#edit(pos + start, pos + stop, ...same(insideSingleQuotes(value)))
        continue
      }
      this.usesArguments = true
      if (!single || place.inBackticks || place.quote !== 'none')
        this.refuse("An argument may not stand in $'…' or in nested quotes; use double quotes")
      const position = kind.type === 'name' ? this.values.nameIndexes.get(kind.name) : undefined
      const [reference, shown] = referenceTo(this.values, position === undefined ? kind : { type: 'index', index: position })
      this.#edit(pos + start, pos + stop, `'"${reference}"'`, `'"${shown}"'`, insideSingleQuotes((value ?? '').replaceAll('\0', '')))
    }
  }

  #edit(start: number, end: number, script: string, template: string, literal: string): void {
    this.edits.push({ start, end, script, template, literal })
  }
}
