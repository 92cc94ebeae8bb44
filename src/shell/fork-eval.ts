// Whether a command may run by `eval` in a fork of the shell host, which spares the start of a bash, or by `exec bash -c` (SPEC R17.5).
// A list of what is known to be the same in both; anything else, and all that could notice the fork, starts a bash. If unsure, exec.

import { parseBash } from '../bash/parse.ts'
import type { CommandRequest } from './command.ts'

// Long ones gain nothing, and a request is read whole by the shell.
const maxChars = 2_000

const plainText = /^[\t\n\x20-\x7e]*$/

// `$` begins a plain parameter, a substitution, or stands for itself; not $$ $! $- $0 $_ ${!x} $'…' $"…", nor ${x?…}, which ends with another code.
const otherDollar =
  /\$(?![1-9@*#?({ \n]|$|[A-Za-z][A-Za-z0-9_]*|\((?!\())|\$\{(?![1-9]\}|[A-Za-z][A-Za-z0-9_]*(?:\}|:?[-+=]|##?|%%?|\/))|\$\(\(/

// Values that differ: ids, counters of the host, where the text stands.
const otherNames =
  /\b(?:BASH\w*|PPID|SECONDS|S?RANDOM|EPOCH\w+|SHELLOPTS|FUNCNAME|SHLVL|OPTIND|HISTCMD|OLDPWD|COMP_\w+|DIRSTACK|PIPESTATUS)\b/

// What asks for jobs, options, traps, functions or variables of the shell, replaces it, reads text again, or looks at processes.
const otherWords = new RegExp(
  `(?:^|[^\\w./-])(?:${[
    'exec|eval|source|trap|wait|jobs|fg|bg|disown|suspend|kill|set|shopt|return|caller|alias|unalias|enable|builtin|history|fc|bind|times',
    'coproc|declare|typeset|local|export|readonly|compgen|complete|compopt|getopts|hash|type|logout|help|dirs|pushd|popd|select|function',
    'ps|pgrep|pkill|pstree|top|killall|lsof|fuser|setsid|nohup|time|umask|ulimit',
  ].join('|')})(?![\\w./-])|(?:^|[\\s;&|({])\\.\\s|/proc|[<>]\\(|/dev/(?:fd|std|tty)`,
)

// A bracket after a word: an array, an extended pattern, a function, or an error that the parser may not see.
const otherBracket = /[^\s;&|({$!]\s*\((?!\))/

export function mayRunInFork({ script, shell, parameters, variables, stdin }: CommandRequest): boolean {
  if (shell !== 'bash' || stdin !== undefined || Object.keys(variables).length > 0) return false
  const length = parameters.reduce((sum, value) => sum + value.length, script.length)
  if (length > maxChars || !plainText.test(script)) return false
  if (otherDollar.test(script) || otherNames.test(script) || otherWords.test(script) || otherBracket.test(script)) return false
  // A syntax error has another message and another status in `eval`.
  return parseBash(script).problems.length === 0
}
