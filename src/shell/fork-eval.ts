// Whether a command may run by `eval` in a fork of the shell host, which spares the start of a bash, or by `exec bash -c` (SPEC R17.5).
// A list of what is known to be the same in both; anything else, and all that could notice the fork, starts a bash. If unsure, exec.
// What still differs: `$_` in the environment of the first program, and the id of the parent, which is the host.

import { type ParsedScript, parseBash, type SyntaxNode, walkNodes } from '../bash/parse.ts'
import type { CommandRequest } from './command.ts'
import { hasPlainOutput, isPlainTarget } from './plain-output.ts'

export interface ForkScript {
  /** The text in two parts; `exec ` may stand between them. */
  readonly parts: readonly [string, string]
  /** Name or path of the program that comes last, which may replace the shell as in a fresh bash; empty where none may. */
  readonly program: string
  /** Nothing in it opens its own output by name again (plain-output.ts). */
  readonly plain: boolean
}

// Long ones gain nothing, and a request is read whole by the shell.
const maxChars = 2_000

// No controls but tab and newline.
const plainText = /^[\t\n\x20-\x7e\u00a0-\uffff]*$/

// `$` begins a plain parameter, a substitution, or stands for itself; not $$ $! $- $0 $_ ${!x} $'…' $"…", nor ${x?…}, which ends with another code.
const otherDollar =
  /\$(?![1-9@*#?({ \n]|$|[A-Za-z][A-Za-z0-9_]*|\((?!\())|\$\{(?![1-9]\}|[A-Za-z][A-Za-z0-9_]*(?:\}|:?[-+=]|##?|%%?|\/))|\$\(\(/

// Values that differ: ids, counters of the host, where the text stands.
const otherNames =
  /\b(?:BASH\w*|PPID|SECONDS|S?RANDOM|EPOCH\w+|SHELLOPTS|FUNCNAME|SHLVL|OPTIND|HISTCMD|OLDPWD|COMP_\w+|DIRSTACK|PIPESTATUS)\b/

// What looks at processes, times them, or reaches descriptors by name.
const otherWords =
  /(?:^|[^\w./-])(?:ps|pgrep|pkill|pstree|top|killall|lsof|fuser|setsid|nohup|time|kill)(?![\w./-])|\/proc|\/dev\/(?:fd|std|tty)|__skillcell/

// What asks for jobs, options, traps, functions or variables of the shell, replaces it, or reads text again.
const otherBuiltins: ReadonlySet<string> = new Set(
  (
    '. alias bg bind builtin caller compgen complete compopt declare dirs disown enable eval exec export fc fg getopts hash help history ' +
    'jobs kill local logout popd pushd readonly return select set shopt source suspend times trap type typeset ulimit umask unalias wait'
  ).split(' '),
)

const builtins: ReadonlySet<string> = new Set([
  ...otherBuiltins,
  ...': [ break cd command continue echo exit false let mapfile printf pwd read readarray shift test true unset'.split(' '),
])

const otherSyntax: ReadonlySet<string> = new Set([
  ...['AnsiCQuoted', 'LocaleString', 'ArrayValue', 'ExtendedGlob', 'ProcessSubstitution', 'Coproc', 'Select'],
  ...['ArithmeticCommand', 'ArithmeticCommandExpansion', 'ArithmeticExpansion', 'ArithmeticFor'],
])

// A bracket after a word: an array, an extended pattern, a function, or an error that the parser may not see.
const otherBracket = /[^\s;&|({$!]\s*\((?!\))/

const programName = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[A-Za-z0-9_][\w.+-]*$/

// Skills are run again and again, and reading a text costs as much as half the fork. Oldest first.
const known = new Map<string, ForkScript | undefined>()
const maxKnown = 256

/** Undefined where it takes a bash of its own. */
export function forkScript({ script, shell, parameters }: CommandRequest): ForkScript | undefined {
  const length = parameters.reduce((sum, value) => sum + value.length, script.length)
  if (shell !== 'bash' || length > maxChars) return undefined
  if (known.has(script)) return known.get(script)
  const read = readScript(script)
  const [oldest] = known.size < maxKnown ? [] : known.keys()
  if (oldest !== undefined) known.delete(oldest)
  known.set(script, read)
  return read
}

function readScript(script: string): ForkScript | undefined {
  if (!plainText.test(script)) return undefined
  if (otherDollar.test(script) || otherNames.test(script) || otherWords.test(script)) return undefined
  // A syntax error has another message and another status in `eval`.
  const { script: tree, problems } = parseBash(script)
  if (problems.length > 0) return undefined
  let bare = script
  let lastMayStay = true
  let same = true
  let plain = true
  const isQuoted = (node: SyntaxNode) => {
    if (node.type !== 'Word' && node.type !== 'SingleQuoted' && node.type !== 'DoubleQuoted') return false
    return script.slice(node.pos, node.end) === node.text && /^(?:'[^']*'|"[^"$`\\]*")$/.test(node.text)
  }
  walkNodes(tree, node => {
    if (otherSyntax.has(node.type)) same = false
    if (node.type === 'Command' && !isSame(node.name?.value, node.suffix)) same = false
    if (node.type === 'Redirect' && !isPlainTarget(node)) plain = false
    if (node.type === 'Command' && !builtins.has(node.name?.value ?? ':') && !hasPlainOutput(node)) plain = false
    if (node.type === 'Command' && node.name?.parts !== undefined && node.name.parts.length > 0) same = false
    // Found by its name before the text runs, so nothing in it may change what the name means.
    if (node.type === 'Function' || (node.type === 'Assignment' && node.name === 'PATH')) lastMayStay = false
    if (isQuoted(node)) bare = bare.slice(0, node.pos) + 'q'.repeat(node.end - node.pos) + bare.slice(node.end)
    return same
  })
  if (!same || otherBracket.test(bare.replaceAll(/\\[()]/g, 'qq'))) return undefined
  const last = lastMayStay ? lastProgram(tree) : undefined
  if (last === undefined) return { parts: [script, ''], program: '', plain }
  return { parts: [script.slice(0, last.position), script.slice(last.position)], program: last.name, plain }
}

function isSame(name: string | undefined, suffix: readonly { readonly type: string; readonly value?: unknown }[]): boolean {
  if (name === undefined) return true
  if (otherBuiltins.has(name)) return false
  return name !== 'command' || suffix.every(word => typeof word.value !== 'string' || !otherBuiltins.has(word.value))
}

/** The program that a bash would not fork for: the last of the text, by itself. */
function lastProgram({ commands }: ParsedScript): { name: string; position: number } | undefined {
  const statement = commands.at(-1)
  if (statement === undefined || statement.background === true) return undefined
  const command = statement.command.type === 'AndOr' ? statement.command.commands.at(-1) : statement.command
  if (command?.type !== 'Command' || command.name === undefined || command.prefix.length > 0) return undefined
  const { text, value, pos } = command.name
  if (text !== value || !programName.test(text) || builtins.has(text)) return undefined
  return { name: text, position: pos }
}
