// Where in a command the text of an argument can be: the placeholders, the variables they are put into, and the substitutions that
// print them. Errs on the side of yes: what is not certain counts as argument text.

import { type Assignment, type ParsedScript, type SyntaxNode, walkNodes } from '../bash/parse.ts'
import { readWord } from '../bash/words.ts'
import { findPlaceholders } from './placeholders.ts'
import { kindOfVariable } from './shell-values.ts'

export class Taint {
  /** Variables that hold argument text. */
  readonly #variables = new Set<string>()
  readonly #names: ReadonlyMap<string, string>
  readonly #positional: boolean
  #pattern: RegExp
  /** Whether the command names an argument at all. Without one nothing in it is argument text. */
  readonly present: boolean

  /** `positional`: the shell gets arguments as `$1`, `$2`, …. */
  constructor(source: string, script: ParsedScript, names: ReadonlyMap<string, string>, positional: boolean) {
    this.#names = names
    this.#positional = positional
    this.#pattern = this.#makePattern()
    this.present = true
    this.present = exportedName.test(source) || this.#isNamed(script)
    if (!this.present) return
    // A variable may be used above the line that sets it (loops, functions): repeat until nothing is added.
    for (let size = -1, rounds = 0; size !== this.#variables.size; rounds += 1) {
      size = this.#variables.size
      walkNodes(script, node => {
        this.#learn(node, rounds >= maxRounds)
        return undefined
      })
      this.#pattern = this.#makePattern()
    }
  }

  /** Whether the value of a variable or parameter can be argument text. */
  isVariable(name: string): boolean {
    if (!this.present) return false
    if (this.#variables.has(name)) return true
    if (/^[@*]$/.test(name)) return this.#positional
    const kind = kindOfVariable(name, this.#names)
    if (kind?.type === 'digit') return this.#positional
    return kind !== undefined && kind.type !== 'fixed' && kind.type !== 'file'
  }

  /** Whether argument text can come out of a node. */
  holds(root: SyntaxNode): boolean {
    let found = false
    if (!this.present) return false
    walkNodes(root, node => {
      if (found) return false
      if (node.type === 'SimpleExpansion') found = this.isVariable(node.text.slice(1))
      else if (node.type === 'ParameterExpansion') found = node.prefix === '#' ? false : this.isVariable(node.parameter)
      else if (node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted') found = this.#isFilledIn(node.text)
      else if (node.type === 'HereDocBody' && !node.parts) found = this.#isFilledIn(node.text)
      // A program in it may ask the environment: `printenv ARGUMENTS`.
      else if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') found = exportedName.test(node.text)
      else if (node.type === 'ArithmeticWord') found = this.namesOne(node.value)
      return !found
    })
    return found
  }

  /** Whether a text that a shell reads as code or as an expression names argument text. */
  namesOne(text: string): boolean {
    return this.present && this.#pattern.test(text)
  }

  /** Whether an argument stands in a script; the parameters of its own functions are none. */
  #isNamed(script: ParsedScript): boolean {
    let found = false
    walkNodes(script, node => {
      if (found || node.type === 'Function') return false
      if (node.type === 'For' || node.type === 'Select') found = this.#positional && node.wordlist === undefined
      else if (node.type === 'SimpleExpansion') found = this.isVariable(node.text.slice(1))
      else if (node.type === 'ParameterExpansion') found = this.isVariable(node.parameter)
      else if (node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted' || node.type === 'HereDocBody')
        found = this.#isFilledIn(node.text)
      else if (node.type === 'ArithmeticWord') found = this.namesOne(node.value)
      return !found
    })
    return found
  }

  /** In single quotes only `$ARGUMENTS` and named arguments are filled in; `$1` is the program's own there. */
  #isFilledIn(text: string): boolean {
    return findPlaceholders(text, [...this.#names.keys()]).some(
      ({ kind }) => kind.type === 'all' || kind.type === 'index' || kind.type === 'name',
    )
  }

  #makePattern(): RegExp {
    const names = ['ARGUMENTS', 'ARGUMENTS_FILE', 'ARG\\d+', ...this.#names.keys(), ...this.#variables].join('|')
    const positional = this.#positional ? '|\\$\\{?[!#]?[\\d@*]' : ''
    return new RegExp(`(?<![A-Za-z0-9_])(?:${names})(?![A-Za-z0-9_])${positional}`)
  }

  #learn(node: SyntaxNode, all: boolean): void {
    if (node.type === 'Assignment') {
      if (all) this.#variables.add(node.name)
      else this.#learnAssignment(node)
    }
    if (node.type === 'For' || node.type === 'Select') {
      // Without a list the loop goes over the parameters.
      if (node.wordlist === undefined ? this.#positional : node.wordlist.some(word => this.holds(word)))
        this.#variables.add(node.name.value)
    } else if (node.type === 'ParameterExpansion') {
      const { operation } = node
      if (operation?.type === 'Default' && operation.operator.endsWith('=') && this.holds(operation.operand))
        this.#variables.add(node.parameter)
    } else if (node.type === 'Command') {
      const words = [node.name, ...node.args].flatMap(word => (word?.type === 'Word' ? [readWord(word).value] : []))
      const at = words.findIndex(word => word !== undefined && readingBuiltins.has(word))
      if (at === -1) return
      // What it reads is not known here, so it counts as argument text.
      for (const word of words.slice(at + 1)) if (word !== undefined && /^[A-Za-z_]\w*$/.test(word)) this.#variables.add(word)
      for (const name of ['REPLY', 'MAPFILE', 'OPTARG']) this.#variables.add(name)
    }
  }

  #learnAssignment({ name, value }: Assignment): void {
    if (this.#variables.has(name)) return
    const words = value.type === 'Word' ? [value] : value.elements
    if (words.some(word => this.holds(word))) this.#variables.add(name)
  }
}

// A longer chain of assignments was made to be slow: from here on every variable counts.
const maxRounds = 12

const exportedName = /\bARG(?:UMENTS|\d)/

const readingBuiltins: ReadonlySet<string> = new Set(['read', 'mapfile', 'readarray', 'getopts'])
