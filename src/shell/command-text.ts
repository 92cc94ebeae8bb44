// What the text of a command tells before it runs: whether the shell host can start its programs itself, without a bash between (SPEC R17.5),
// and whether its output may go to files. Reads text only; system-programs.ts looks at the disk.
//
// A bash costs more to start than most of what skills run. So a text made of nothing but known programs (plain-output.ts) and plain words, which
// bash and a POSIX shell read alike, is run by the host's own fork; anything else, and all that could notice, gets a fresh `bash -c` in a group of
// processes of its own. A list of what is known to be the same; if unsure, bash. What differs: the words in which a shell says that a program of a
// pipe or list ended by a signal.

import {
  type Command,
  type CommandNode,
  type ParsedScript,
  type PipelineNode,
  parseBash,
  type Statement,
  type SyntaxNode,
  walkNodes,
} from '../bash/parse.ts'
import type { CommandRequest } from './command.ts'
import { hasPlainOutput, isPlainTarget, looksForNoShell } from './plain-output.ts'

export interface CommandText {
  /** Set where the shell host may start its programs itself, if they all are the system's. */
  readonly direct?: DirectText
  /** Set where nothing in it opens its own output by name again, if these all are the system's: names and paths of programs. */
  readonly plainPrograms?: readonly string[]
  /** Something in it may look for the shell around it, or its group of processes. */
  readonly looksForShell: boolean
}

export interface DirectText {
  /** Names and paths, in order. */
  readonly programs: readonly string[]
  /** Names of variables in it: they have to be those of the request. */
  readonly variables: readonly string[]
  /** POSIX text. `paths` are where the programs were found. */
  render(paths: readonly string[]): string
}

// Long ones gain nothing.
const maxChars = 2_000

// Skills are run again and again, and reading a text costs as much as half the fork. Oldest first.
const known = new Map<string, CommandText>()
const maxKnown = 256

export function readCommandText({ script, shell, parameters }: CommandRequest): CommandText {
  const length = parameters.reduce((sum, value) => sum + value.length, script.length)
  if (shell !== 'bash' || length > maxChars) return nothingKnown
  const found = known.get(script)
  if (found !== undefined) return found
  const read = readText(script)
  const [oldest] = known.size < maxKnown ? [] : known.keys()
  if (oldest !== undefined) known.delete(oldest)
  known.set(script, read)
  return read
}

const nothingKnown: CommandText = { looksForShell: true }

const namesDescriptors = /\/proc\b|\/dev\/(?!null\b)/

// No controls but tab and newline.
const plainCharacters = /^[\t\n\x20-\x7e\u00a0-\uffff]*$/

function readText(script: string): CommandText {
  if (!plainCharacters.test(script)) return nothingKnown
  const { script: tree, problems } = parseBash(script)
  if (problems.length > 0) return nothingKnown
  const direct = directText(tree)
  const plainPrograms = namesDescriptors.test(script) || changesPrograms.test(script) ? undefined : programsOfPlain(tree)
  return {
    ...(direct === undefined ? {} : { direct }),
    ...(plainPrograms === undefined ? {} : { plainPrograms }),
    looksForShell: looksForShell(tree),
  }
}

function looksForShell(tree: ParsedScript): boolean {
  let looks = false
  walkNodes(tree, node => {
    if (node.type === 'Coproc' || (node.type === 'Command' && !isUnaware(node))) looks = true
    return !looks
  })
  return looks
}

function isUnaware({ name, suffix }: Command): boolean {
  if (name === undefined) return true
  return plainBuiltins.has(name.value) ? name.parts === undefined : looksForNoShell({ name, suffix })
}

// Where programs are found, what git is told by the home, and code in a subscript, which bash runs where it reads a name.
const changesPrograms = /(?<![${])\b(?:PATH|HOME)\b|\w\[[^\]]*[$`]/

// Builtins that neither open files nor run what others wrote.
const plainBuiltins: ReadonlySet<string> = new Set(': [ break cd continue echo exit false printf pwd read shift test true unset'.split(' '))

// With these a value may be read as code, or something starts that is not seen here.
const otherSyntax: ReadonlySet<string> = new Set([
  ...['ProcessSubstitution', 'Coproc', 'Select', 'Function', 'ArrayValue'],
  ...['ArithmeticCommand', 'ArithmeticCommandExpansion', 'ArithmeticExpansion', 'ArithmeticFor'],
])

function programsOfPlain(tree: ParsedScript): readonly string[] | undefined {
  const programs = new Set<string>()
  let plain = true
  const isCommandPlain = ({ name, prefix, suffix }: Command) => {
    if (name === undefined) return true
    if (prefix.some(({ type }) => type === 'Assignment')) return false
    if (plainBuiltins.has(name.value)) return name.parts === undefined
    programs.add(name.value)
    return hasPlainOutput({ name, suffix })
  }
  walkNodes(tree, node => {
    if (otherSyntax.has(node.type) || isRedirectedElsewhere(node) || (node.type === 'Command' && !isCommandPlain(node))) plain = false
    if (node.type === 'ParameterExpansion' && /[@!]/.test(node.text)) plain = false
    return plain
  })
  return plain ? [...programs] : undefined
}

function isRedirectedElsewhere(node: SyntaxNode): boolean {
  return node.type === 'Redirect' && !isPlainTarget(node)
}

// What both shells take alike: of the expansions these, between double quotes. Without quotes letters and signs that mean nothing, braces around
// one word, a tilde in mid-word, a backslash before a sign; in quotes anything else.
const parameter = /\$(?:[1-9](?![0-9])|\{[1-9]\}|@|([A-Za-z][A-Za-z0-9_]*)|\{([A-Za-z][A-Za-z0-9_]*)\})/g
const bare = /[A-Za-z0-9_./:@%+,=^!-]|\{[A-Za-z0-9_-]*\}|(?<=[A-Za-z0-9_^])~|\\[!-/:-@[-`{-~]/
const plainWord = new RegExp(`^(?:${bare.source}|'[^']*'|"(?:[^"$\`\\\\]|\\\\[^\\n]|${parameter.source})*")+$`)

const programName = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[A-Za-z0-9_][\w.+-]*$/

// Builtins of bash: their names are not those of programs.
const builtins: ReadonlySet<string> = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export ' +
    'false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift ' +
    'shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'
  ).split(' '),
)

interface Piece {
  readonly program?: string
  /** `path` where the program was found; `last`: it may take the place of the shell. */
  render(path: string, last: boolean): string
}

function directText(tree: ParsedScript): DirectText | undefined {
  const programs: string[] = []
  const names = new Set<string>()
  const pieces: (Piece | string)[] = []
  const addCommand = (node: CommandNode): boolean => {
    const piece = node.type === 'Command' ? pieceOf(node, names) : undefined
    if (piece === undefined) return false
    if (piece.program !== undefined) programs.push(piece.program)
    pieces.push(piece)
    return true
  }
  const addPipeline = (node: PipelineNode): boolean => {
    if (node.type !== 'Pipeline') return addCommand(node)
    if (node.prefixes.length > 0) return false
    return node.commands.every((command, index) => {
      const operator = node.operators[index - 1]
      if (operator !== undefined) pieces.push(operator)
      return (operator ?? '|') === '|' && addCommand(command)
    })
  }
  const addStatement = ({ command, background }: Statement): boolean => {
    if (background === true) return false
    if (command.type !== 'AndOr') return addPipeline(command)
    return command.commands.every((part, index) => {
      const operator = command.operators[index - 1]
      if (operator !== undefined) pieces.push(operator)
      return addPipeline(part)
    })
  }
  const isDirect = tree.commands.every((statement, index) => {
    if (index > 0) pieces.push('\n')
    return addStatement(statement)
  })
  if (!isDirect || pieces.length === 0) return undefined
  // As in bash, the last program takes the place of the shell, if it stands in no pipe.
  const mayReplace = pieces.at(-2) !== '|'
  return {
    programs,
    variables: [...names],
    render(paths) {
      let next = 0
      return pieces
        .map((piece, index) => {
          if (typeof piece === 'string') return piece
          const path = piece.program === undefined ? '' : (paths[next++] ?? '')
          return piece.render(path, mayReplace && index === pieces.length - 1)
        })
        .join(' ')
    },
  }
}

function pieceOf({ name, prefix, suffix }: Command, names: Set<string>): Piece | undefined {
  if (name === undefined || prefix.length > 0 || name.parts !== undefined || name.text !== name.value) return undefined
  const words: string[] = []
  const redirections: string[] = []
  for (const node of suffix) {
    const redirection = node.type === 'Redirect' ? nullRedirection(node) : undefined
    if (redirection !== undefined) redirections.push(redirection)
    else if (node.type !== 'Word' || !plainWord.test(node.text) || namesDescriptors.test(node.text)) return undefined
    else words.push(node.text)
  }
  const text = [name.text, ...words, ...redirections].join(' ')
  if (isSameBuiltin(name.text, words)) return { render: () => text }
  if (!programName.test(name.text) || builtins.has(name.text) || !looksForNoShell({ name, suffix })) return undefined
  for (const word of words) addNames(word, names)
  // What bash tells each program: where it was found, and how many shells are around it. It stays where it redirected something.
  const depth = redirections.length > 0 ? 1 : 0
  return { program: name.text, render: (path, last) => `_=${path} SHLVL=${last ? `${depth} exec` : '1'} ${text}` }
}

function addNames(word: string, names: Set<string>): void {
  for (const [quote] of word.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g)) {
    if (!quote.startsWith('"')) continue
    for (const [, plain, braced] of quote.matchAll(parameter)) {
      const name = plain ?? braced
      if (name !== undefined) names.add(name)
    }
  }
}

/** `echo` of a POSIX shell reads backslashes, and one of bash options. */
function isSameBuiltin(name: string, words: readonly string[]): boolean {
  if (name === 'pwd') return words.length === 0
  if (name === 'echo') return words.every(word => !/[\\$]/.test(word)) && !/^["']*-/.test(words[0] ?? '')
  return name === 'true' || name === 'false' || name === ':'
}

/** To /dev/null, or of one output to the other. */
function nullRedirection({ operator, descriptor, target }: Extract<Command['suffix'][number], { type: 'Redirect' }>): string | undefined {
  if (descriptor !== undefined && (descriptor.type !== 'FileDescriptor' || descriptor.value > 2)) return undefined
  const from = descriptor === undefined ? '' : String(descriptor.value)
  const to = target?.text
  if (operator === '>&' && (to === '1' || to === '2')) return `${from}>&${to}`
  if (to !== '/dev/null') return undefined
  if (operator === '&>') return '>/dev/null 2>&1'
  return operator === '>' || operator === '>>' || operator === '<' ? `${from}${operator}/dev/null` : undefined
}
