// Takes a parsed text apart into its simple commands: words, assignments, redirections, where each would run and what its stdin holds.
// Everything that runs is visited: lists, pipes, subshells, loops, functions, substitutions in any quoting, here-documents.

import {
  type Command,
  type CompoundList,
  forEachChildNode,
  type ParsedBash,
  type PipelineNode,
  type Redirection,
  type Script,
  type Statement,
  type SyntaxNode,
} from '../bash/parse.ts'
import { nothingIsSet, readVariables } from '../bash/variables.ts'
import { readWord, type ShellWord } from '../bash/words.ts'
import { type AssignmentFact, CommandWords, type FileRedirection, isPlainWord, plainWords, wordsIn } from './command-words.ts'
import { afterCommand, afterEach, changesDirectory, mayChangeDirectory } from './directory-change.ts'
import type { DiskLooks } from './disk-looks.ts'
import { type Ends, type Flow, join, merge, noStdin, type Stdin, same, unknownStdin } from './flow.ts'
import { definedNames } from './opaque.ts'
import { testsOf } from './test-command.ts'

export interface SimpleCommand {
  /** As it stands in the text. */
  readonly text: string
  /** The name and its arguments, assignments among the arguments included. Empty for a bare assignment or redirection. */
  readonly words: readonly ShellWord[]
  readonly assignments: readonly AssignmentFact[]
  readonly redirections: readonly FileRedirection[]
  readonly stdin: Stdin
  /** Absolute folders it may run in; undefined when they cannot be known. */
  readonly directories: readonly string[] | undefined
  /** Why no pattern may allow it. */
  readonly opaque: readonly string[]
  /** The same with each value of the loop variables in it, where they are known. */
  readonly values?: readonly SimpleCommand[]
}

export interface CollectContext {
  /** Whether setting a name changes what programs do. */
  readonly isSpecial: (name: string) => boolean
  /** Absolute. */
  readonly home: string
  readonly directories: readonly string[] | undefined
  readonly looks: DiskLooks
  /** Called where folders are followed: where `cd` leads is the disk's word. */
  readonly onDisk: () => void
}

// unbash stops at 256 levels; a partial tree may be deeper and must not overflow the stack.
const maxRecursion = 1_200

/** Never throws; what could not be read is in `parsed.problems`. */
export function collectCommands(parsed: ParsedBash, context: CollectContext): readonly SimpleCommand[] {
  const collector = new Collector(parsed, context)
  try {
    collector.statements(parsed.script.commands, { directories: context.directories, stdin: noStdin }, parsed.text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    collector.addOpaque('nested too deep to be read')
  }
  return collector.commands.length > 0 ? collector.commands : collector.tests
}

class Collector {
  readonly commands: SimpleCommand[] = []
  /** What `[[ ]]` asks, for a text with no other command. */
  readonly tests: SimpleCommand[] = []
  readonly #words: CommandWords
  readonly #home: string
  readonly #looks: DiskLooks
  readonly #defined: ReadonlySet<string>
  readonly #changesDirectory: boolean
  #depth = 0

  constructor(parsed: ParsedBash, { home, isSpecial, looks, onDisk }: CollectContext) {
    // Where no word expands, nobody asks what is set.
    const variables = parsed.isPlain ? nothingIsSet : readVariables(parsed.script, parsed.text)
    this.#words = new CommandWords(variables, home)
    for (const name of variables.setBesides) if (isSpecial(name)) this.addOpaque(`${name} is set, which changes what programs do`)
    this.#home = home
    this.#looks = looks
    this.#changesDirectory = mayChangeDirectory(parsed.text)
    if (this.#changesDirectory) onDisk()
    this.#defined = definedNames(parsed)
  }

  addOpaque(reason: string): void {
    this.#add({ text: '', directories: undefined, opaque: [reason] })
  }

  statements(statements: readonly Statement[], flow: Flow, source: string): Flow {
    let now = flow
    for (const { command, background } of statements) {
      const ends = this.node(command, now, source)
      if (!background) now = join(ends)
    }
    return now
  }

  list(list: CompoundList, flow: Flow, source: string): Flow {
    return this.statements(list.commands, flow, source)
  }

  node(node: PipelineNode | Statement['command'], flow: Flow, source: string): Ends {
    this.#depth += 1
    if (this.#depth > maxRecursion) throw new RangeError('too deep')
    try {
      return this.#node(node, flow, source)
    } finally {
      this.#depth -= 1
    }
  }

  #node(node: PipelineNode | Statement['command'], flow: Flow, source: string): Ends {
    switch (node.type) {
      case 'Command':
        return this.#command(node, flow, source)
      case 'AndOr': {
        const [first, ...others] = node.commands
        if (!first) return same(flow)
        let ends = this.node(first, flow, source)
        for (const [index, other] of others.entries()) {
          const and = node.operators[index] === '&&'
          const next = this.node(other, and ? ends.success : ends.failure, source)
          ends = and
            ? { success: next.success, failure: merge(ends.failure, next.failure) }
            : { success: merge(ends.success, next.success), failure: next.failure }
        }
        return ends
      }
      case 'Pipeline': {
        if (node.commands.length === 1 && node.commands[0]) {
          const ends = this.node(node.commands[0], flow, source)
          return node.prefixes.some(prefix => prefix.type === 'Negation') ? { success: ends.failure, failure: ends.success } : ends
        }
        let stdin = flow.stdin
        for (const [index, command] of node.commands.entries()) {
          const own = this.commands.length
          const isSimple = command.type === 'Command'
          // A construct may read a part of it: then what is left begins somewhere.
          this.node(command, { directories: flow.directories, stdin: isSimple || index === 0 ? stdin : unknownStdin }, source)
          const simple = isSimple && node.operators[index] === '|' ? this.commands[own] : undefined
          stdin = simple ? { kind: 'output', of: simple } : unknownStdin
        }
        return same(flow)
      }
      case 'Redirected': {
        this.#construct(node.redirects, node.redirects, flow, source)
        return this.node(node.command, { ...flow, stdin: this.#words.stdin(node.redirects, flow.stdin) }, source)
      }
      case 'Subshell':
        this.list(node.body, flow, source)
        return same(flow)
      case 'BraceGroup':
        return same(this.list(node.body, flow, source))
      case 'If': {
        let last = this.list(node.clause, flow, source)
        let after = this.list(node.then, last, source)
        for (const elif of node.elif) {
          last = this.list(elif.clause, last, source)
          after = merge(after, this.list(elif.then, last, source))
        }
        return same(merge(after, node.else ? this.list(node.else, last, source) : last))
      }
      case 'While': {
        const inside = this.#repeated(flow, node, source)
        return same(this.list(node.body, this.list(node.clause, inside, source), source))
      }
      case 'For':
      case 'Select':
        this.#construct([node.name, ...(node.wordlist ?? [])], [], flow, source)
        return same(this.list(node.body, this.#repeated(flow, node.body, source), source))
      case 'ArithmeticFor': {
        const parts = [node.initialize, node.test, node.update].filter(part => part !== undefined)
        this.#construct(parts, [], flow, source)
        return same(this.list(node.body, this.#repeated(flow, node.body, source), source))
      }
      case 'Case': {
        this.#construct([node.word, ...node.items.flatMap(item => item.pattern)], [], flow, source)
        let after = flow
        // `;&` and `;;&` go on to the next body.
        for (const item of node.items) after = merge(after, this.list(item.body, after, source))
        return same(after)
      }
      case 'Function': {
        const inside = this.#repeated({ ...flow, stdin: unknownStdin }, undefined, source)
        if (node.body.type === 'CompoundList') this.list(node.body, inside, source)
        else this.node(node.body, inside, source)
        return same(flow)
      }
      case 'Coproc': {
        const inside = { ...flow, stdin: unknownStdin }
        if (node.body.type === 'CompoundList') this.list(node.body, inside, source)
        else this.node(node.body, inside, source)
        return same(flow)
      }
      case 'TestCommand':
      case 'ArithmeticCommand':
        this.#construct([node], [], flow, source)
        for (const words of node.type === 'TestCommand' ? testsOf(node.expression) : none)
          this.#add({ text: source.slice(node.pos, node.end), words, ...flow, opaque: none }, this.tests)
        return same(flow)
    }
  }

  #command(node: Command, flow: Flow, source: string): Ends {
    const { redirects, prefix, name, args } = node
    const text = source.slice(node.pos, node.end)
    const { stdin, directories } = flow
    if (name && !name.parts && redirects.length === 0 && prefix.length === 0 && args.every(isPlainWord)) {
      const words = plainWords(name, args)
      this.commands.push({ text, words, assignments: none, redirections: none, stdin, directories, opaque: this.#nameProblem(words[0]) })
      return this.#changesDirectory ? afterCommand(words, flow, this.#home, this.#looks) : same(flow)
    }
    this.#words.directories = directories
    const command = this.#read(node, text, flow)
    const values = this.#words.forEachValue(wordsIn(command), () => this.#read(node, text, flow))
    this.commands.push(values ? { ...command, values } : command)
    this.#inner(node, flow, source)
    return this.#changesDirectory ? afterEach(values ?? [command], flow, this.#home, this.#looks) : same(flow)
  }

  #read(node: Command, text: string, { stdin, directories }: Flow): SimpleCommand {
    const { redirects, prefix, name, args } = node
    const words: ShellWord[] = name ? [this.#words.word(name)] : []
    const assignments: AssignmentFact[] = []
    for (const part of prefix) if (part.type === 'Assignment') assignments.push(this.#words.assignment(part))
    for (const argument of args) {
      if (argument.type === 'Word') for (const word of this.#words.words(argument)) words.push(word)
      else {
        const fact = this.#words.assignment(argument)
        assignments.push(fact)
        words.push(this.#words.declaration(argument, fact))
      }
    }
    const opaque = this.#words.opaque([node])
    if (name && readWord(name).value === undefined) opaque.push(`its name "${name.text}" is not a literal`)
    else opaque.push(...this.#nameProblem(words[0]))
    const redirections = this.#words.files(redirects)
    return { text, words, assignments, redirections, stdin: this.#words.stdin(redirects, stdin), directories, opaque }
  }

  #nameProblem(name: ShellWord | undefined): readonly string[] {
    if (!name) return none
    if (name.value === '') return ['its name is empty']
    return name.value !== undefined && this.#defined.has(name.value) ? [`"${name.value}" is defined in the command itself`] : none
  }

  /** A construct that is no command of its own: its redirections, and what in it cannot be read. */
  #construct(nodes: readonly SyntaxNode[], redirects: readonly Redirection[], flow: Flow, source: string): void {
    const opaque = this.#words.opaque(nodes)
    const redirections = this.#words.files(redirects)
    const [first] = nodes
    if (first && (opaque.length > 0 || redirections.length > 0))
      this.#add({ text: source.slice(first.pos, nodes.at(-1)?.end), redirections, directories: flow.directories, opaque })
    for (const node of nodes) this.#inner(node, flow, source)
  }

  #add(command: Partial<SimpleCommand> & Pick<SimpleCommand, 'text' | 'directories' | 'opaque'>, to = this.commands): void {
    const { text, words = none, assignments = none, redirections = none, stdin = noStdin, directories, opaque } = command
    to.push({ text, words, assignments, redirections, stdin, directories, opaque })
  }

  /** Visits the scripts inside a node. They run in a subshell: nothing flows out. */
  #inner(root: SyntaxNode, { directories, stdin }: Flow, source: string): void {
    // Several of them may read the input, each a part.
    this.#scripts(root, { directories, stdin: stdin.kind === 'output' ? unknownStdin : stdin }, source)
  }

  #scripts(root: SyntaxNode, flow: Flow, source: string): void {
    forEachChildNode(root, child => {
      if (child.type === 'Script') this.#script(child, flow, source)
      else if (child.type === 'Word' ? child.parts !== undefined : child.type !== 'Literal') this.#scripts(child, flow, source)
    })
  }

  #script(script: Script, flow: Flow, source: string): void {
    this.#depth += 1
    if (this.#depth > maxRecursion) throw new RangeError('too deep')
    if (script.source !== undefined) this.#words.blind += 1
    this.statements(script.commands, flow, script.source ?? source)
    if (script.source !== undefined) this.#words.blind -= 1
    this.#depth -= 1
  }

  /** A body that may run again after a `cd` in it, or in a function. */
  #repeated(flow: Flow, body: SyntaxNode | undefined, source: string): Flow {
    const moves = this.#changesDirectory && (!body || this.#defined.size > 0 || changesDirectory(body, source))
    return moves ? { ...flow, directories: undefined } : flow
  }
}

const none: readonly never[] = []
