// The words of echo, printf, set and the declaring builtins: why they would do more than print or steer.

import { type ShellWord, shownWord, splits } from '../bash/words.ts'
import { isHarmlessName, isPlainName } from './assignments.ts'
import type { AssignmentNames } from './tables.ts'

/** Any text may be printed; a glob that leaves the folder would list names elsewhere. */
export function echoProblem(words: readonly ShellWord[]): string | undefined {
  for (let index = 1; index < words.length; index++) {
    const problem = words[index]?.value === undefined && globProblem(words[index])
    if (problem) return problem
  }
  return undefined
}

function globProblem(word: ShellWord | undefined): string | undefined {
  if (!word?.pieces.some(piece => piece.type === 'glob')) return undefined
  const inside = word.pieces.every(piece => piece.type === 'glob' || (piece.type === 'literal' && !piece.value.includes('/')))
  return inside && !word.tilde ? undefined : `"${word.text}" could list names outside the workspace`
}

/** A known format first, so that nothing after it can be an option; `%n` would set a variable. */
export function printfProblem(words: readonly ShellWord[]): string | undefined {
  const first = words[1]?.value
  const format = first === '--' ? words[2]?.value : first
  if (format === undefined) return '"printf" needs a format that is known'
  if (first !== '--' && format.startsWith('-')) return `"printf" with the option "${format}" is not in the read-only set`
  if (/%[^A-Za-z%]*n/.test(format)) return '"%n" of "printf" sets a variable'
  return echoProblem(words)
}

const setFlags = /^[-+][euxfnvCbm]*o?$/
const setOptions: ReadonlySet<string> = new Set(['pipefail', 'errexit', 'nounset', 'xtrace', 'noglob', 'noclobber', 'verbose', 'errtrace'])

/** `set -euo pipefail`, and positional parameters behind `--`. */
export function setProblem(words: readonly ShellWord[]): string | undefined {
  for (let index = 1; index < words.length; index++) {
    const word = words[index]
    if (!word) break
    if (word.value === '--')
      return words
        .slice(index)
        .map(globProblem)
        .find(problem => problem !== undefined)
    if (word.value === undefined || !setFlags.test(word.value) || word.value.length < 2)
      return `"set" with "${shownWord(word)}" is not in the read-only set`
    if (!word.value.endsWith('o')) continue
    index += 1
    const option = words[index]
    if (option && !(option.value !== undefined && setOptions.has(option.value)))
      return `the option "${shownWord(option)}" of "set" is not in the read-only set`
  }
  return undefined
}

/** Plain lower-case names with any value, harmless ones with a literal. No attribute that gives a value another meaning. */
export function declareProblem(words: readonly ShellWord[], names: AssignmentNames): string | undefined {
  for (let index = 1; index < words.length; index++) {
    const word = words[index]
    if (!word || word.value === '--') continue
    if (word.value !== undefined && /^-[rxgp]+$/.test(word.value)) continue
    const problem = declaredProblem(word, names)
    if (problem) return problem
  }
  return undefined
}

function declaredProblem(word: ShellWord, names: AssignmentNames): string | undefined {
  const shown = shownWord(word)
  const [, name, assigns] = /^([A-Za-z_]\w*)(\+?=)?/.exec(word.pieces[0]?.type === 'literal' ? word.pieces[0].value : shown) ?? []
  if (name === undefined || (!assigns && word.value !== name)) return `"${shown}" is no plain assignment`
  if (splits(word)) return `"${shown}" could become several words`
  if (isPlainName(name)) return undefined
  if (isHarmlessName(name, names) && word.value !== undefined) return undefined
  return `setting "${name}" may change what programs do`
}
