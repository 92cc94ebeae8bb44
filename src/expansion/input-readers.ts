// Commands that read code from where an argument may have gone unseen: stdin by another name, a descriptor, a substitution. In a text
// that takes arguments they are refused whatever way the argument went.

import { isReservedName } from '../bash/variable-names.ts'
import type { CommandWord } from './code-readers.ts'
import { programRules } from './program-rules.ts'
import { lastPathPart } from './word-facts.ts'

const stdinName = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/[^/]+\/fd\/\d+)$/
const shells = /^(?:bash|sh|dash|ash|zsh|ksh|mksh|fish|csh|tcsh|rbash)$/

/** For a command of a text that takes arguments; undefined when it reads no code from its input. */
export function inputRefusal(words: readonly CommandWord[], stdinTainted: boolean): string | undefined {
  const [first, ...operands] = words
  const name = first && lastPathPart(first)
  if (name === undefined) return undefined
  const refused = `\`${name}\` would read its code from where an argument may have gone`
  if (name === 'eval' || name === 'source' || name === '.') {
    const known = operands.every(({ value }) => value !== undefined && !stdinName.test(value))
    return known && !(stdinTainted && name === 'eval') ? undefined : refused
  }
  if (name === 'exec' && operands.length === 0 && stdinTainted) return refused
  const named = operands.some(({ value }) => value !== undefined && stdinName.test(value.replace(/^--?[a-z-]+=/, '')))
  if (shells.test(name)) return named || !takesScript(operands) ? refused : undefined
  if (name === 'read' && operands.some(({ value }) => value !== undefined && isReservedName(value)))
    return 'An argument may not become the value of a variable that changes what programs do'
  return named && stdinTainted && programRules.has(name.replace(/-?\d+(?:\.\d+)*$/, '')) ? refused : undefined
}

/** Whether a shell has code or a script among its operands; else it reads its input. */
function takesScript(operands: readonly CommandWord[]): boolean {
  const values = operands.map(({ value }) => value ?? '?')
  if (values.some(value => /^-[A-Za-z]*c$|^--version$|^--help$/.test(value))) return true
  if (values.some(value => /^-[A-Za-z]*s/.test(value))) return false
  return values.some((value, index) => !/^[-+]/.test(value) && !/^[-+]o$/i.test(values[index - 1] ?? ''))
}
