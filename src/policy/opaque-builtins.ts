// Builtins of bash that read an operand as code, or set names that decide what runs (lesson 4, S5). A name with a subscript runs
// the substitutions in it, even in single quotes.

import { type ShellWord, splits } from '../bash/words.ts'
import { isSpecialName } from './assignments.ts'

type Check = (operands: readonly ShellWord[]) => string | undefined

const checksByName: Readonly<Record<string, Check>> = {
  alias: () => 'gives names another meaning',
  unalias: () => 'gives names another meaning',
  eval: () => 'runs its operands as code',
  trap: operands => (keepsCode(operands) ? 'keeps code for later' : undefined),
  let: () => 'reads its operands as arithmetic',
  complete: () => 'registers code',
  compgen: () => 'may run code',
  compopt: () => 'registers code',
  bind: () => 'registers code',
  enable: () => 'loads or hides builtins',
  fc: () => 'runs commands again',
  hash: operands => (hasFlag(operands, 'p') ? 'gives a name another program' : undefined),
  jobs: operands => (hasFlag(operands, 'x') ? 'runs its operands' : undefined),
  wait: operands => (hasFlag(operands, 'p') ? namesProblem(operands) : undefined),
  shopt: operands => (operands.every(word => harmlessShopt.test(word.value ?? '')) ? undefined : 'changes how text is read'),
  set: operands => (setProblem(operands) ? 'changes how text is read' : undefined),
  test: testProblem,
  '[': testProblem,
  printf: operands => {
    if (hasFlag(operands.slice(0, 1), 'v')) return namesProblem(operands.slice(0, 2)) ?? 'sets a variable'
    const [format] = operands
    return format?.value === undefined && format && (operands.length > 1 || splits(format))
      ? 'takes an option from a word that is not known'
      : undefined
  },
  read: namesProblem,
  mapfile: operands => (hasFlag(operands, 'C') ? 'runs code for each line' : namesProblem(operands)),
  readarray: operands => (hasFlag(operands, 'C') ? 'runs code for each line' : namesProblem(operands)),
  getopts: operands => namesProblem(operands.slice(1, 2)),
  unset: namesProblem,
  export: declarationProblem,
  declare: declarationProblem,
  typeset: declarationProblem,
  local: declarationProblem,
  readonly: declarationProblem,
}

const checks: ReadonlyMap<string, Check> = new Map(Object.entries(checksByName))

const harmlessShopt = /^(-[suq]+|nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit|pipefail)$/

/** Why no pattern may allow a use of a builtin; undefined for programs and for plain uses. */
export function opaqueBuiltin(words: readonly ShellWord[]): string | undefined {
  const name = words[0]?.value
  const check = name === undefined ? undefined : checks.get(name)
  const problem = check?.(words.slice(1))
  return problem && `"${name}" ${problem}`
}

function hasFlag(operands: readonly ShellWord[], letter: string): boolean {
  return operands.some(({ value }) => value !== undefined && /^-[A-Za-z]/.test(value) && value.includes(letter))
}

/** `trap - INT` and `trap '' INT` keep none. */
function keepsCode(operands: readonly ShellWord[]): boolean {
  const [code, signal] = operands[0]?.value === '--' ? operands.slice(1) : operands
  return signal !== undefined && code !== undefined && !/^(-[lpP]?)?$/.test(code.value ?? 'code')
}

/** Every operand must be an option or a plain name that nothing depends on. */
function namesProblem(operands: readonly ShellWord[]): string | undefined {
  for (const { value, text } of operands) {
    if (value === undefined) return `sets a name that is not known, "${text}"`
    if (value.startsWith('-')) continue
    if (value.includes('[')) return `reads the subscript of "${value}" as code`
    if (isSpecialName(value)) return `sets ${value}, which changes what programs do`
  }
  return undefined
}

function declarationProblem(operands: readonly ShellWord[]): string | undefined {
  for (const { value, text, pieces } of operands) {
    const [first] = pieces
    if (value === undefined && !(first?.type === 'unknown' && first.syntax === 'Assignment'))
      return `declares a name that is not known, "${text}"`
    const shown = value ?? text
    if (/^-[A-Za-z]*[infF]/.test(shown)) return `${shown} changes how values or names are read`
    const name = /^[^=+]*/.exec(shown)?.[0] ?? ''
    if (!shown.startsWith('-') && name.includes('[')) return `reads the subscript of "${name}" as code`
    if (isSpecialName(name)) return `sets ${name}, which changes what programs do`
  }
  return undefined
}

function setProblem(operands: readonly ShellWord[]): boolean {
  for (const { value } of operands) {
    if (value === '--' || value === '-') return false
    if (value === undefined) return true
    if (/^[-+][A-Za-z]*k/.test(value) || value === 'keyword') return true
  }
  return false
}

function testProblem(operands: readonly ShellWord[]): string | undefined {
  const inside = operands.at(-1)?.value === ']' ? operands.slice(0, -1) : operands
  if (inside.some(({ value }) => value === '-v' || value === '-R')) return 'with -v reads its operand as code'
  if (inside.some(word => word.value === undefined && splits(word) && word.pieces.some(piece => piece.type === 'unknown')))
    return 'takes operators from a word that is not known'
  const [first, second] = inside[0]?.value === '!' ? inside.slice(1) : inside
  if (first && first.value === undefined && second && !testOperator.test(second.value ?? ''))
    return 'takes its operator from a word that is not known'
  return undefined
}

const testOperator = /^(=|==|!=|<|>|-[a-z]{1,2})$/
