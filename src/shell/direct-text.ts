// The text of a command as a POSIX shell is given it, where that shell and bash are known to do the same with it (command-text.ts).

import type { Command, CommandNode, ParsedScript, PipelineNode, Statement } from '../bash/parse.ts'
import { looksForNoShell } from './plain-output.ts'

export interface DirectText {
  /** Names of variables in it: they have to be those of the request. */
  readonly variables: readonly string[]
  /** POSIX text. `pathOf` says where a program was found. */
  render(pathOf: (program: string) => string): string
}

// What both shells take alike: of the expansions these, between double quotes, and `$@` alone in its own. Without quotes letters and signs that
// mean nothing, braces around one word, a tilde in mid-word, a backslash before a sign; in quotes anything else.
const parameter = /\$(?:[1-9](?![0-9])|\{[1-9]\}|([A-Za-z][A-Za-z0-9_]*)(?![A-Za-z0-9_])|\{([A-Za-z][A-Za-z0-9_]*)\})/g
const bare = /[A-Za-z0-9_./:@%+,=^!-]|\{[A-Za-z0-9_-]*\}|(?<=[A-Za-z0-9_^])~|\\[!-/:-@[-`{-~]/
const plainWord = new RegExp(`^(?:${bare.source}|'[^']*'|"\\$@"|"(?:[^"$\`\\\\]|\\\\[^\\n]|${parameter.source})*")+$`)

const programName = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[A-Za-z0-9_][\w.+-]*$/

// Builtins of bash: their names are not those of programs.
const builtins: ReadonlySet<string> = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export ' +
    'false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift ' +
    'shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'
  ).split(' '),
)

/** One command. `last`: it may take the place of the shell. */
type Piece = (pathOf: (program: string) => string, last: boolean) => string

/** Undefined for a text that a bash has to read. */
export function directText(tree: ParsedScript): DirectText | undefined {
  const names = new Set<string>()
  const pieces: (Piece | string)[] = []
  const addCommand = (node: CommandNode): boolean => {
    const piece = node.type === 'Command' ? pieceOf(node, names) : undefined
    if (piece === undefined) return false
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
    variables: [...names],
    render(pathOf) {
      return pieces
        .map((piece, index) => (typeof piece === 'string' ? piece : piece(pathOf, mayReplace && index === pieces.length - 1)))
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
    else if (node.type !== 'Word' || !plainWord.test(node.text) || /\/proc\b|\/dev\/(?!null\b)/.test(node.text)) return undefined
    else words.push(node.text)
  }
  const text = [name.text, ...words, ...redirections].join(' ')
  if (isSameBuiltin(name.text, words)) return () => text
  if (!programName.test(name.text) || builtins.has(name.text) || !looksForNoShell({ name, suffix })) return undefined
  for (const word of words) addNames(word, names)
  // What bash tells each program: where it was found, and how many shells are around it. It stays where it redirected something.
  const depth = redirections.length > 0 ? 1 : 0
  return (pathOf, last) => `_=${pathOf(name.text)} SHLVL=${last ? `${depth} exec` : '1'} ${text}`
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
