// Text of a skill and its arguments → the plan of its prompt (SPEC R3, R4.1, R4.6). Pure and synchronous; nothing runs here.

import { type ParsedBash, parseBash } from '../bash/parse.ts'
import { isReservedName } from '../bash/variable-names.ts'
import { type Dialect, dialects } from '../dialect.ts'
import type { Diagnostic } from '../errors.ts'
import { splitArguments } from './arguments.ts'
import { type BodyStructure, type Injection, readStructure } from './injections.ts'
import { LineMap } from './line-map.ts'
import { type DigitUse, decideNumbering, type Numbering } from './numbering.ts'
import { findPlaceholders } from './placeholders.ts'
import type { ExpansionPlan, ExpansionRequest, PlannedCommand, Segment } from './plan.ts'
import { type PreparedCommand, prepareCommand, readDigits } from './shell-arguments.ts'
import { fixedValues, type ShellValues, shellValues } from './shell-values.ts'
import { fillPlaceholder, placeInText, type TextPlaceholder, type TextValues, takesArguments } from './template.ts'

/** Plans an expansion. Bounded time on any body; never throws for what a body or its arguments hold. */
export function planExpansion(request: ExpansionRequest): ExpansionPlan {
  return new Planner(request).plan()
}

class Planner {
  readonly #request: ExpansionRequest
  readonly #dialect: Dialect
  readonly #structure: BodyStructure
  readonly #names: readonly (string | undefined)[]
  readonly #words: readonly string[]
  readonly #lines: LineMap
  readonly #diagnostics: Diagnostic[] = []
  readonly #parsed = new Map<string, ParsedBash>()
  #shellValues: ShellValues | undefined

  constructor(request: ExpansionRequest) {
    this.#request = request
    this.#dialect = dialects[request.dialect]
    this.#structure = readStructure(request.body)
    this.#words = splitArguments(request.argumentsText)
    this.#names = request.argumentNames.map(name => (isReservedName(name) ? undefined : name))
    this.#lines = new LineMap(request.body, request.bodyLine)
  }

  plan(): ExpansionPlan {
    const request = this.#request
    const { code, injections, unrun } = this.#structure
    for (const [index, name] of this.#names.entries()) {
      if (name === undefined)
        this.#report(
          'ARGUMENT_NAME_RESERVED',
          'warning',
          `Cannot use "${request.argumentNames[index]}" as the name of an argument: it means something to the shell; choose another name`,
        )
    }
    for (const { position, severity, reason } of unrun) this.#report('INJECTION_NOT_RUN', severity, reason, position)
    const names = this.#names.flatMap(name => (name === undefined ? [] : [name]))
    const placeholders = placeInText(request.body, findPlaceholders(request.body, names), code, injections)
    const fixed = fixedValues(request)
    const numbering = this.#number(placeholders)
    const values: TextValues = {
      text: request.argumentsText,
      words: this.#words,
      nameIndexes: new Map(this.#names.flatMap((name, index) => (name === undefined ? [] : [[name, index] as const]))),
      fixed,
      argumentsFile: request.argumentsFile,
      numbering,
      missing: this.#dialect.missingPositional,
    }
    const prepared = this.#prepareCommands(values)
    const taken = placeholders.some(each => takesArguments(each, values)) || prepared.some(each => each?.usesArguments)
    const segments = this.#segments(placeholders, values, prepared)
    return { segments: taken ? segments : this.#append(segments), commands: this.#commands(prepared), diagnostics: this.#diagnostics }
  }

  #number(placeholders: readonly TextPlaceholder[]): Numbering {
    const { body, hasArgumentHint, argumentNames, argumentsText, argumentsBase, dialect } = this.#request
    const digits: DigitUse[] = []
    let usesAll = false
    for (const { kind, escaped, own, inCode, start } of placeholders) {
      if (escaped || own) continue
      if (kind.type === 'digit') digits.push({ number: kind.number, inCode })
      else if (kind.type === 'all' || (kind.type === 'index' && body.startsWith('$ARGUMENTS[', start))) usesAll = true
    }
    for (const { command } of this.#structure.injections) {
      if (!command.includes('$')) continue
      const found = readDigits(command, () => this.#parse(command))
      usesAll ||= found.usesAll
      for (const number of found.digits) digits.push({ number, inCode: false })
    }
    return decideNumbering({
      dialect,
      ...(argumentsBase === 0 ? { argumentsBase } : {}),
      hasArgumentHint,
      hasArgumentNames: argumentNames.length > 0,
      usesAll,
      argumentsGiven: argumentsText.trim() !== '',
      argumentCount: this.#words.length,
      digits,
    })
  }

  #prepareCommands({ fixed, numbering, missing }: TextValues): (PreparedCommand | undefined)[] {
    const { injections } = this.#structure
    if (injections.length === 0) return []
    const values = shellValues({ request: this.#request, words: this.#words, argumentNames: this.#names, fixed, numbering, missing })
    this.#shellValues = values
    return injections.map(injection => (injection.command === '' ? undefined : this.#prepare(injection, values)))
  }

  #parse(command: string): ParsedBash {
    const known = this.#parsed.get(command)
    if (known) return known
    const parsed = parseBash(command)
    this.#parsed.set(command, parsed)
    return parsed
  }

  #prepare(injection: Injection, values: ShellValues): PreparedCommand {
    const prepared = prepareCommand(injection.command, () => this.#parse(injection.command), values)
    if (prepared.refusal)
      this.#report('COMMAND_REFUSED', 'warning', `Cannot run the command safely: ${prepared.refusal}`, injection.commandStart)
    for (const text of new Set(prepared.unfilled)) this.#reportUnfilled(text, injection.commandStart)
    if (prepared.passesWord && values.oversized) {
      const message =
        'Arguments of this size may be too long for a program ("Argument list too long"); give it the file "${ARGUMENTS_FILE}" instead'
      this.#report('ARGUMENTS_TOO_LARGE', 'warning', message, injection.commandStart)
    }
    return prepared
  }

  #segments(placeholders: readonly TextPlaceholder[], values: TextValues, prepared: readonly (PreparedCommand | undefined)[]): Segment[] {
    const segments: Segment[] = []
    const { body } = this.#request
    const unfilled = new Set<string>()
    let next = 0
    let commandIndex = 0
    const addText = (start: number, end: number): void => {
      let text = ''
      let from = start
      for (; next < placeholders.length; next += 1) {
        const placeholder = placeholders[next]
        if (!placeholder || placeholder.start >= end) break
        const value = fillPlaceholder(placeholder, values)
        if (value === undefined) {
          const written = body.slice(placeholder.start, placeholder.end)
          // Outside code the backslash of an escape is not part of the text.
          if (placeholder.escaped && !placeholder.inCode) {
            text += body.slice(from, placeholder.start - 1)
            from = placeholder.start
          } else if (placeholder.kind.type === 'fixed' && !placeholder.escaped && !unfilled.has(written)) {
            unfilled.add(written)
            this.#reportUnfilled(written, placeholder.start)
          }
          continue
        }
        text += body.slice(from, placeholder.start) + value
        from = placeholder.end
      }
      text += body.slice(from, end)
      if (text !== '') segments.push({ type: 'text', text })
    }
    let from = 0
    for (const [index, injection] of this.#structure.injections.entries()) {
      addText(from, injection.start)
      if (prepared[index]) {
        segments.push({ type: 'command', index: commandIndex })
        commandIndex += 1
      }
      from = injection.end
    }
    addText(from, body.length)
    return segments
  }

  #commands(prepared: readonly (PreparedCommand | undefined)[]): PlannedCommand[] {
    const values = this.#shellValues
    if (!values) return []
    return this.#structure.injections.flatMap(({ command, commandStart }, index) => {
      const ready = prepared[index]
      if (!ready) return []
      const { script, parameters, decisionTexts, refusal } = ready
      const { environment, variables } = values
      return [
        {
          source: command,
          script,
          parameters,
          variables,
          environment,
          decisionTexts,
          ...(refusal ? { refusal } : {}),
          ...this.#lines.at(commandStart),
        },
      ]
    })
  }

  /** SPEC R3.6: no placeholder took the arguments, so they stand at the end. */
  #append(segments: readonly Segment[]): readonly Segment[] {
    const text = this.#request.argumentsText
    if (text.trim() === '') return segments
    const last = segments.at(-1)
    const ending = last?.type === 'text' ? last.text.replace(/\n+$/, '') : ''
    const kept = last?.type === 'text' ? segments.slice(0, -1) : segments
    const isEmpty = ending === '' && kept.length === 0
    const labelled = this.#dialect.appendedArguments === 'labelled'
    const glue = isEmpty ? '' : labelled ? '\n\n' : /\s$/.test(ending) ? '' : ' '
    return [...kept, { type: 'text', text: `${ending}${glue}${labelled ? 'ARGUMENTS: ' : ''}${text}` }]
  }

  #reportUnfilled(written: string, position: number): void {
    const why = written.includes('PLUGIN_ROOT')
      ? 'this skill is not part of a plugin'
      : written.includes('EFFORT')
        ? 'the skill names no effort'
        : 'it has no value here'
    this.#report('PLACEHOLDER_WITHOUT_SOURCE', 'warning', `Left "${written}" as written: ${why}`, position)
  }

  #report(code: string, severity: Diagnostic['severity'], message: string, position?: number): void {
    this.#diagnostics.push({
      code,
      severity,
      message,
      path: this.#request.path,
      ...(position === undefined ? {} : this.#lines.at(position)),
    })
  }
}
