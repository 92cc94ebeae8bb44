// How a shell is started: with code after -c, with a script file, or reading its program from stdin.
// Shells read their own options: letters cluster, -o and -O take the next word even in a cluster, and the code is the first operand.

import type { Unwrapped } from './unwrap.ts'
import { knownStart, type ShellWord } from './words.ts'

const optionsWithValue: ReadonlySet<string> = new Set(['--rcfile', '--init-file', '--emulate'])
const informing: ReadonlySet<string> = new Set(['--version', '--help', '--dump-strings', '--dump-po-strings'])
const stdinFiles: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '/proc/thread-self/fd/0'])

/** What a shell would run. A script file that is known by path is a program like any other: nothing is looked into. */
export function unwrapShell(words: readonly ShellWord[], wrapper: string): readonly Unwrapped[] {
  let takesCode = false
  let takesStdin = false
  const found: Unwrapped[] = []
  let index = 1
  for (; index < words.length; index++) {
    const word = words[index]
    if (!word) break
    const start = word.value ?? knownStart(word)
    if (start === '--' || (start === '-' && word.value !== undefined)) {
      index += 1
      break
    }
    if (word.value === undefined && (start === '' || start.startsWith('-') || start.startsWith('+'))) {
      // It may be `-c`: then what follows is code. If it is a file, it is one that nobody knows.
      return [...found, ...codeOf(words[index + 1], wrapper), { kind: 'code', wrapper, code: undefined }]
    }
    if (informing.has(start)) return found
    if (start.startsWith('--')) {
      const name = start.split('=', 1)[0] ?? start
      if (name === '--command' || name === '--init-command') {
        const attached = start.includes('=')
        found.push({ kind: 'code', wrapper, code: attached ? start.slice(name.length + 1) : words[index + 1]?.value })
        takesStdin = false
        if (!attached) index += 1
      } else if (optionsWithValue.has(start)) {
        if (start !== '--emulate') found.push({ kind: 'code', wrapper, code: undefined })
        index += 1
      }
      continue
    }
    if (start.length < 2 || (start[0] !== '-' && start[0] !== '+')) break
    for (const letter of start.slice(1)) {
      if (letter === 'c') takesCode = true
      else if (letter === 's') takesStdin = true
      else if (letter === 'o' || letter === 'O') index += 1
      else if (letter === 'C' && wrapper === 'fish') found.push({ kind: 'code', wrapper, code: words[index + 1]?.value })
    }
  }
  const operand = words[index]
  if (takesCode) return [...found, { kind: 'code', wrapper, code: operand?.value }]
  if (takesStdin || !operand || (operand.value !== undefined && stdinFiles.has(operand.value)))
    return found.some(({ kind }) => kind === 'code') && !takesStdin ? found : [...found, { kind: 'stdin-code', wrapper }]
  // `bash <(…)` and `bash "$x"` run what nobody can read from the text.
  const isFile = operand.value !== undefined || knownStart(operand) !== ''
  return isFile ? found : [...found, { kind: 'code', wrapper, code: undefined }]
}

function codeOf(word: ShellWord | undefined, wrapper: string): readonly Unwrapped[] {
  return word?.value === undefined ? [] : [{ kind: 'code', wrapper, code: word.value }]
}
