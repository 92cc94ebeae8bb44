// Walks the syntax tree of one command and notes what to replace and what forbids the run. A white list: argument text may stand
// where a case below says so; every other place is a refusal.

import type { Assignment, Command, ParsedScript, Redirection, SyntaxNode, TestExpression, Word } from '../bash/parse.ts'
import { walkNodes } from '../bash/parse.ts'
import { isReservedName } from '../bash/variable-names.ts'
import { knownStart } from '../bash/words.ts'
import { isDataBuiltin } from './builtin-operands.ts'
import { chosenFolderRefusal } from './chosen-folder.ts'
import { type CommandWord, codeRefusal, isCodeText } from './code-readers.ts'
import { inputRefusal } from './input-readers.ts'
import { programRules } from './program-rules.ts'
import type { PartContext } from './shell-placement.ts'
import type { ShellValues } from './shell-values.ts'
import { filledWord, isList } from './word-facts.ts'
import { WordRewriter } from './word-rewriter.ts'

interface Place extends PartContext {
  /** Argument text comes on the input. */
  readonly stdinTainted: boolean
}

export class CommandRewriter extends WordRewriter {
  /** A program that is no builtin gets an argument as a word. */
  passesWord = false
  readonly #script: ParsedScript

  constructor(source: string, script: ParsedScript, values: ShellValues) {
    super(source, script, values)
    this.#script = script
  }

  rewrite(): void {
    const top: Place = { quote: 'none', splits: true, inFunction: false, inBackticks: false, stdinTainted: false }
    this.visit(this.#script, top)
    const chosen = this.taint.present ? chosenFolderRefusal(this.#script, this.taint) : undefined
    if (chosen) this.refuse(chosen)
    if (this.needsNoGlob && this.#hasAuthorGlob()) {
      this.refuse('What comes of an argument would be split and matched with file names; put it in double quotes')
    }
  }

  protected override visit(node: SyntaxNode, place: Place): void {
    switch (node.type) {
      case 'Script':
        // Text inside escaped backticks has positions of its own.
        if (node.source === undefined) this.#visitChildren(node, { ...place, quote: 'none', splits: true })
        else if (this.taint.holds(node)) this.refuse('An argument may not stand in nested backticks; write `$( )`')
        return
      case 'Command':
        this.#visitCommand(node, place)
        return
      case 'Pipeline': {
        let stdinTainted = place.stdinTainted
        for (const command of node.commands) {
          this.visit(command, { ...place, stdinTainted })
          stdinTainted ||= this.emits(command)
        }
        return
      }
      case 'Redirected':
        this.visit(node.command, { ...place, stdinTainted: place.stdinTainted || this.#inputTainted(node.redirects) })
        for (const redirect of node.redirects) this.#visitRedirection(redirect, place)
        return
      case 'For':
      case 'Select':
        if (this.taint.present && isReservedName(node.name.value))
          this.refuse(`\`${node.name.value}\` may not be set by a loop beside an argument`)
        this.#visitChildren(node, place)
        return
      case 'Function':
        this.visit(node.body, { ...place, inFunction: true })
        return
      case 'Case':
        this.visit(node.word, { ...place, splits: false })
        for (const item of node.items) {
          for (const pattern of item.pattern) this.visit(pattern, { ...place, splits: false })
          this.visit(item.body, place)
        }
        return
      case 'TestCommand':
        this.#visitTest(node.expression, place)
        return
      case 'ArithmeticFor':
        this.#checkArithmetic(node.pos, node.body.pos)
        this.visit(node.body, place)
        return
      case 'ArithmeticCommand':
      case 'ArithmeticExpansion':
        this.#checkArithmetic(node.pos, node.end)
        this.#visitChildren(node, { ...place, quote: 'none', splits: false })
        return
      case 'Assignment':
        this.#visitAssignment(node, place)
        return
      case 'HereDoc':
      case 'HereString':
      case 'Redirect':
        this.#visitRedirection(node, place)
        return
      case 'Word':
        this.visitWord(node, place)
        return
      default:
        if (!this.visitPart(node, place)) this.#visitChildren(node, place)
    }
  }

  #visitChildren(node: SyntaxNode, place: Place): void {
    walkNodes(node, (child, depth) => {
      if (depth === 0) return undefined
      this.visit(child, place)
      return false
    })
  }

  #visitCommand(command: Command, place: Place): void {
    const stdinTainted = place.stdinTainted || this.#inputTainted(command.redirects)
    const words = [command.name, ...command.args].filter(word => word?.type === 'Word')
    if (this.taint.present) this.#checkCommand(command, words, stdinTainted)
    this.#checkDirectories(words)
    for (const node of command.prefix) this.visit(node, place)
    if (command.name) this.visit(command.name, place)
    for (const node of command.suffix) this.visit(node, place)
  }

  #checkCommand(command: Command, words: readonly Word[], stdinTainted: boolean): void {
    const readsCode = words.some(
      word => programRules.has(word.value.slice(word.value.lastIndexOf('/') + 1)) || word.value === 'source' || word.value === '.',
    )
    const read = words.map(word => this.#readCommandWord(word, readsCode))
    const refusal = codeRefusal(read, stdinTainted) ?? inputRefusal(read, stdinTainted)
    if (refusal) this.refuse(refusal)
    const name = read[0]?.value ?? ''
    if (
      isDeclarationWithCode(name, read) ||
      (/^(?:eval|trap|let|alias)$/.test(name) && words.some(word => this.taint.namesOne(word.text)))
    ) {
      this.refuse(`\`${name}\` would read an argument as code`)
    }
    if (name !== '' && !isDataBuiltin(name) && read.slice(1).some(word => word.tainted)) this.passesWord = true
    for (const node of command.prefix) {
      if (node.type === 'Assignment' && isReservedName(node.name) && this.taint.holds(node)) this.#refuseSetting(node.name)
    }
  }

  #readCommandWord(word: Word, readsCode: boolean): CommandWord {
    const filled = filledWord(word, this.values.fixed)
    const tainted = this.taint.holds(word) || (readsCode && word.text.includes('ARGUMENTS_FILE'))
    const list = tainted && isList(word, this.values.names)
    // An argument as one word is written in quotes, whatever the author wrote.
    const pieces =
      tainted && !list ? filled.pieces.map(piece => (piece.type === 'unknown' ? { ...piece, quoted: true } : piece)) : filled.pieces
    return { ...filled, pieces, tainted, list }
  }

  /** A path put into code would be code; one without any sign is harmless. */
  #checkDirectories(words: readonly Word[]): void {
    if (words.length < 2 || this.unsafeFixedNames.size === 0) return
    let read: CommandWord[] | undefined
    for (const [index, word] of words.entries()) {
      const unsafe = [...this.unsafeFixedNames].find(name => word.text.includes(name))
      if (unsafe === undefined) continue
      read ??= words.map(each => this.#readCommandWord(each, false))
      if (isCodeText(read, index))
        this.refuse(`The value of \`${unsafe}\` would be read as code, and it holds signs that mean something there`)
    }
  }

  #visitAssignment(node: Assignment, place: Place): void {
    if (node.index && this.taint.namesOne(node.index.text)) this.refuse('An argument may not stand in the index of an array')
    if (this.taint.present && isReservedName(node.name) && this.taint.holds(node)) this.#refuseSetting(node.name)
    if (node.value.type === 'Word') {
      this.visit(node.value, { ...place, splits: false })
      return
    }
    for (const element of node.value.elements) {
      if (element.text.startsWith('[') && this.taint.holds(element)) this.refuse('An argument may not stand beside the index of an array')
      this.visit(element, place)
    }
  }

  #refuseSetting(name: string): void {
    this.refuse(`An argument may not become the value of \`${name}\`, which changes what programs do`)
  }

  #inputTainted(redirects: readonly Redirection[]): boolean {
    return redirects.some(redirect => {
      if (redirect.type === 'Redirect')
        return redirect.operator.startsWith('<') && redirect.target !== undefined && this.emits(redirect.target)
      return this.emits(redirect.type === 'HereDoc' ? redirect.body : redirect)
    })
  }

  #visitRedirection(redirect: Redirection, place: Place): void {
    if (redirect.type === 'HereDoc') {
      this.visitHereDocument(redirect, place)
      return
    }
    const { target } = redirect
    if (!target) return
    if (redirect.type === 'Redirect' && redirect.operator.endsWith('&') && this.taint.holds(target)) {
      this.refuse('An argument may not choose a file descriptor')
    }
    if (redirect.descriptor?.type === 'FileDescriptorVariable' && this.taint.present)
      this.refuse('A descriptor variable beside an argument is not supported')
    this.visit(target, { ...place, splits: redirect.type === 'Redirect', oneWord: true })
  }

  #visitTest(expression: TestExpression, place: Place): void {
    const whole = { ...place, splits: false }
    switch (expression.type) {
      case 'TestUnary':
        if (/^-[vRo]$/.test(expression.operator) && this.taint.namesOne(expression.operand.text))
          this.refuse(`\`${expression.operator}\` would read an argument as code`)
        this.visit(expression.operand, whole)
        return
      case 'TestBinary':
        if (
          /^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) &&
          [expression.left, expression.right].some(word => this.taint.namesOne(word.text))
        ) {
          this.refuse(
            `\`[[ ${expression.operator} ]]\` would read an argument as an expression; write \`[ "$1" ${expression.operator} 1 ]\``,
          )
        }
        if (expression.operator === '=~' && this.taint.holds(expression.right))
          this.refuse('An argument may not stand in a regular expression of `[[ ]]`')
        this.visit(expression.left, whole)
        this.visit(expression.right, whole)
        return
      case 'TestLogical':
        for (const operand of expression.operands) this.#visitTest(operand, place)
        return
      case 'TestNot':
        this.#visitTest(expression.operand, place)
        return
      case 'TestGroup':
        this.#visitTest(expression.expression, place)
        return
    }
  }

  #checkArithmetic(start: number, end: number): void {
    if (this.taint.namesOne(this.source.slice(start, end))) this.refuse('Arithmetic would read an argument as an expression')
  }

  /** Globs that the author wrote, for which `set -f` may not be used. */
  #hasAuthorGlob(): boolean {
    let found = false
    walkNodes(this.#script, node => {
      if (node.type === 'TestCommand') return false
      if (node.type === 'ExtendedGlob') found = true
      if (node.type === 'Glob' && !this.source.slice(0, node.pos).endsWith('$ARGUMENTS')) found = true
      return !found
    })
    return found
  }
}

/** `declare -i x` makes each later value an expression, `declare -n x` a name. */
function isDeclarationWithCode(name: string, words: readonly CommandWord[]): boolean {
  return (
    /^(?:declare|typeset|local|export|readonly)$/.test(name) &&
    words
      .slice(1)
      .map(knownStart)
      .some(start => /^[-+][A-Za-z]*[in]/.test(start) && !/^-n?$/.test(name === 'export' ? start : ''))
  )
}
