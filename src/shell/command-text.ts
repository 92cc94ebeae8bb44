// What the text of a command tells before it runs: whether the shell host can start its programs itself, without a bash between (SPEC R17.5),
// and whether its output may go to files. Reads text only; system-programs.ts looks at the disk.
//
// A bash costs more to start than most of what skills run. So a text made of nothing but known programs (plain-output.ts) and plain words, which
// bash and a POSIX shell read alike, is run by the host's own fork; anything else, and all that could notice, gets a fresh `bash -c` in a group of
// processes of its own. A list of what is known to be the same; if unsure, bash. What differs: the words in which a shell says that a program of a
// pipe or list ended by a signal.

import { type Command, parseBash, walkNodes } from '../bash/parse.ts'
import type { CommandRequest } from './command.ts'
import { type DirectText, directText } from './direct-text.ts'
import { hasPlainOutput, hasPlainWords, isKnownBuiltin, isPlainTarget, looksForNoShell } from './plain-output.ts'

export interface CommandText {
  /** Set where the shell host may start its programs itself, if they all are the system's. */
  readonly direct?: DirectText
  /** Names and paths of all programs in it. Of what is said below nothing holds of a program that is not the system's. */
  readonly programs: readonly string[]
  /** Nothing in it opens its own output by name again. */
  readonly hasPlainOutput: boolean
  /** Nothing in it looks for the shell around it, or its group of processes. */
  readonly looksForNoShell: boolean
}

// Long ones gain nothing.
const maxChars = 2_000
// Deep nesting takes long to read.
const maxBrackets = 60

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

const nothingKnown: CommandText = { programs: [], hasPlainOutput: false, looksForNoShell: false }

// No controls but tab and newline.
const plainCharacters = /^[\t\n\x20-\x7e\u00a0-\uffff]*$/

// Descriptors by name; where programs are found; what git is told by the home; code in a subscript, which bash runs where it reads a name.
const otherText = /\/proc\b|\/dev\/(?!null\b)|(?<![${])\b(?:PATH|HOME)\b|\w\[[^\]]*[$`]/

// With these a value may be read as code, or something starts that is not seen here.
const otherSyntax: ReadonlySet<string> = new Set([
  ...['ProcessSubstitution', 'Coproc', 'Select', 'Function', 'ArrayValue', 'TestCommand'],
  ...['ArithmeticCommand', 'ArithmeticCommandExpansion', 'ArithmeticExpansion', 'ArithmeticFor'],
])

function readText(script: string): CommandText {
  if (!plainCharacters.test(script) || script.replace(/[^({<]/g, '').length > maxBrackets) return nothingKnown
  const { script: tree, problems } = parseBash(script)
  if (problems.length > 0) return nothingKnown
  const programs = new Set<string>()
  let isPlain = !otherText.test(script)
  let isUnaware = true
  const addCommand = (command: Command) => {
    if (command.name === undefined) return
    if (command.prefix.some(({ type }) => type === 'Assignment')) isPlain = false
    if (isKnownBuiltin(command)) {
      isPlain &&= hasPlainWords(command)
      return
    }
    programs.add(command.name.value)
    isPlain &&= hasPlainOutput(command)
    isUnaware &&= looksForNoShell(command)
  }
  walkNodes(tree, node => {
    if (node.type === 'Command') addCommand(node)
    else if (otherSyntax.has(node.type)) isPlain = false
    else if (node.type === 'Redirect' && !isPlainTarget(node)) isPlain = false
    // A prompt, another name, a subscript, an offset: read as code.
    else if (node.type === 'ParameterExpansion' && /[@![]|:(?![-+=?])/.test(node.text)) isPlain = false
    if (node.type === 'Coproc') isUnaware = false
    return undefined
  })
  const direct = directText(tree)
  return { ...(direct && { direct }), programs: [...programs], hasPlainOutput: isPlain, looksForNoShell: isUnaware }
}
