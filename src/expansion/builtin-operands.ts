// Builtins of the shell: which take argument text as data, and in which shape.

import type { CommandWord } from './code-readers.ts'

const dataBuiltins: ReadonlySet<string> = new Set([
  'echo',
  ':',
  'true',
  'false',
  'cd',
  'pushd',
  'popd',
  'dirs',
  'pwd',
  'exit',
  'return',
  'kill',
  'type',
  'break',
  'continue',
  'umask',
  'times',
  'logout',
])
const codeBuiltins: ReadonlySet<string> = new Set(
  'eval source . trap alias unalias bind complete compgen compopt enable fc history hash jobs let read mapfile readarray getopts set shopt shift unset wait caller coproc disown fg bg suspend ulimit declare typeset local export readonly'.split(
    ' ',
  ),
)
const declarations: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

/** Builtins to which a word of any length can be given. */
export function isDataBuiltin(name: string): boolean {
  return dataBuiltins.has(name) || codeBuiltins.has(name) || name === 'printf' || name === 'test' || name === '['
}

/** `export X="$1"` and its like: their assignments are checked where they stand. */
export function isDeclaration(name: string): boolean {
  return declarations.has(name)
}

/** Undefined: no builtin. Empty: fine. Else why not. */
export function builtinRefusal(name: string, operands: readonly CommandWord[]): string | undefined {
  if (dataBuiltins.has(name)) return ''
  if (name === 'printf') return operands[0]?.value !== undefined && !operands[0].value.startsWith('-v') ? '' : printfRefusal(operands)
  if (name === 'test') return testRefusal(operands)
  if (name === '[')
    return operands.at(-1)?.value === ']' ? testRefusal(operands.slice(0, -1)) : 'Cannot read the words of `[`: its last one is not `]`'
  return codeBuiltins.has(name) && operands.some(word => word.tainted)
    ? `\`${name}\` would read an argument as code`
    : codeBuiltins.has(name)
      ? ''
      : undefined
}

function printfRefusal(operands: readonly CommandWord[]): string {
  const at = operands[0]?.value === '--' ? 1 : 0
  if (at === 1 && operands[1]?.value !== undefined) return ''
  return operands.some(word => word.tainted)
    ? '`printf` needs a literal format before an argument, else the argument could be `-v` and a name that is read as code'
    : ''
}

const unaryTests: ReadonlySet<string> = new Set([...'abcdefghknprstuwxzGLNOS'].map(letter => `-${letter}`))
const binaryTests: ReadonlySet<string> = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])

/** Only shapes in which no value can be taken for an operator: `-v` reads its operand as code. */
function testRefusal(operands: readonly CommandWord[]): string {
  if (!operands.some(word => word.tainted)) return ''
  const refusal = 'An argument of `test` may be taken for an operator; write `[ -n "$1" ]` or `[ "$1" = word ]`, one test at a time'
  if (operands.some(word => word.list)) return refusal
  const words = operands[0]?.value === '!' && operands.length > 1 ? operands.slice(1) : operands
  if (words.length === 1) return ''
  if (words.length === 2) return unaryTests.has(words[0]?.value ?? '') ? '' : refusal
  return words.length === 3 && binaryTests.has(words[1]?.value ?? '') ? '' : refusal
}
