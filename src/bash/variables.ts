// What a script itself says about its variables, without running it. Insensitive to order on purpose: a value counts as known
// only if nothing else in the whole text may set the name, so loops and branches cannot change it behind our back.

import { type ArithmeticExpression, type Assignment, type Command, type SyntaxNode, type Word, walkNodes } from './parse.ts'
import { readWord, type ShellWord } from './words.ts'

export interface VariableFacts {
  /** The one literal value of a variable at an offset, if it is certain. */
  readonly literalAt: (name: string, position: number) => string | undefined
  /** Whether the script may set it at all. */
  readonly isSet: (name: string) => boolean
  /** The words of the loop over a name, where an offset stands in its body and nothing else in the text sets the name. */
  readonly loopAt: (name: string, position: number) => readonly Word[] | undefined
  /** Whether every value the script gives it is a whole number, so that arithmetic cannot read code from it. */
  readonly isNumber: (name: string) => boolean
  /** Names that are set by something else than an assignment: loops, arithmetic, `{name}>file`, `${name:=…}`. */
  readonly setBesides: ReadonlySet<string>
}

interface Fact {
  count: number
  literal: string | undefined
  /** Offset from which the literal holds; none when it is set in a branch, loop, subshell or function. */
  certainFrom: number | undefined
  number: boolean
}

/** Of a text without a variable. */
export const nothingIsSet: VariableFacts = {
  literalAt: () => undefined,
  loopAt: () => undefined,
  isSet: () => false,
  isNumber: () => false,
  setBesides: new Set(),
}
// What a text must hold to set a variable. It may match too much, never too little.
const maySet =
  /[({$]|(^|[\s;&|`])[A-Za-z_]\w*(\[[^\]]*\])?\+?=|\b(for|select|coproc|read|mapfile|readarray|getopts|printf|wait|unset|let|declare|typeset|local|export|readonly|eval|source|trap)\b|(^|[\s;&|])\.[\s]|[\\'"]/

/** Reads all assignments of a script. `text` is its source. */
export function readVariables(root: SyntaxNode, text: string): VariableFacts {
  if (!maySet.test(text)) return nothingIsSet
  const facts = new Map<string, Fact>()
  const certain = new Set<SyntaxNode>()
  if (root.type === 'Script')
    for (const statement of root.commands) if (!statement.background && statement.command.type === 'Command') certain.add(statement.command)
  const setBesides = new Set<string>()
  const unknownNames: ShellWord[] = []
  const loops = new Map<string, { readonly words: readonly Word[]; readonly from: number; readonly to: number }>()
  let anythingMaySet = false

  const set = (name: string, literal: string | undefined, certainFrom: number | undefined, number: boolean): void => {
    const fact = facts.get(name)
    if (!fact) facts.set(name, { count: 1, literal, certainFrom, number })
    else facts.set(name, { count: fact.count + 1, literal: undefined, certainFrom: undefined, number: fact.number && number })
  }
  const setFrom = (assignment: Assignment, owner: Command | undefined): void => {
    const value = assignment.value.type === 'Word' ? readWord(assignment.value) : undefined
    // `~` is a folder at the beginning and behind a colon.
    const isPlain = value?.value !== undefined && assignment.append !== true && !assignment.index && !value.text.includes('~')
    const plain = isPlain ? value.value : undefined
    const certainFrom = owner && certain.has(owner) && !owner.name ? assignment.end : undefined
    const arithmetic = value?.pieces.length === 1 && value.pieces[0]?.type === 'unknown' && value.pieces[0].syntax === 'ArithmeticExpansion'
    set(assignment.name, plain, certainFrom, (plain !== undefined && /^-?\d{1,18}$/.test(plain)) || arithmetic === true)
  }

  const setBeside: SetVariable = (name, literal, certainFrom, number) => {
    setBesides.add(name)
    set(name, literal, certainFrom, number)
  }

  walkNodes(root, node => {
    if (node.type === 'Command') {
      for (const part of node.prefix) if (part.type === 'Assignment') setFrom(part, node)
      for (const part of node.suffix) if (part.type === 'Assignment') setFrom(part, undefined)
      anythingMaySet ||= setByCommand(node, set)
      if (node.name && readWord(node.name).value === undefined) unknownNames.push(readWord(node.name))
    } else if (node.type === 'For' || node.type === 'Select') {
      const name = readWord(node.name).value
      const { wordlist, body } = node
      const numbers = wordlist?.every(word => /^(-?\d{1,18}|\{-?\d{1,9}\.\.-?\d{1,9}\})$/.test(word.text)) === true
      if (name !== undefined && numbers && /^[A-Za-z_]\w*$/.test(name)) setBeside(name, undefined, undefined, true)
      else setUnknown(name, setBeside)
      if (name !== undefined && wordlist && node.type === 'For') loops.set(name, { words: wordlist, from: body.pos, to: body.end })
    }
    if (node.type === 'ArithmeticBinary' && /^[-+*/%&|^<>]*=$/.test(node.operator) && !/^[=!<>]=$/.test(node.operator))
      setNumber(node.left, setBeside)
    else if (node.type === 'ArithmeticUnary' && /^(\+\+|--)$/.test(node.operator)) setNumber(node.operand, setBeside)
    else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
      setUnknown(node.parameter, setBeside)
    else if (node.type === 'Redirect' && node.descriptor?.type === 'FileDescriptorVariable') setUnknown(node.descriptor.name, setBeside)
    else if (node.type === 'Coproc') setUnknown(node.name ? readWord(node.name).value : 'COPROC', setBeside)
    return undefined
  })

  // `r=read; $r x` sets x; `r=ls; $r x` does not.
  for (const { pieces } of unknownNames) {
    const [piece] = pieces
    const fact = pieces.length === 1 && piece?.type === 'unknown' && piece.variable !== undefined ? facts.get(piece.variable) : undefined
    const known = fact?.count === 1 && fact.literal !== undefined && !/\s/.test(fact.literal) ? fact.literal : undefined
    anythingMaySet ||= known === undefined || settingBuiltins.has(known) || codeBuiltins.has(known) || /^(command|builtin)$/.test(known)
  }

  return {
    literalAt: (name, position) => {
      const fact = facts.get(name)
      return !anythingMaySet && fact?.count === 1 && fact.certainFrom !== undefined && fact.certainFrom <= position
        ? fact.literal
        : undefined
    },
    loopAt: (name, position) => {
      const loop = loops.get(name)
      const only = !anythingMaySet && loop !== undefined && facts.get(name)?.count === 1
      return only && loop.from <= position && position < loop.to ? loop.words : undefined
    },
    setBesides,
    isSet: name => anythingMaySet || facts.has(name),
    isNumber: name => !anythingMaySet && facts.get(name)?.number === true,
  }
}

/** Builtins whose operands are names that they set. */
const settingBuiltins: ReadonlySet<string> = new Set([
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'printf',
  'wait',
  'unset',
  'let',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
])
/** Builtins that run code, which may set anything. */
const codeBuiltins: ReadonlySet<string> = new Set(['eval', 'source', '.', 'trap', 'alias', 'let', 'enable', 'complete', 'compgen', 'bind'])

/** What a builtin sets; true when it may set anything: code, a name that is not known, a name for another name. */
function setByCommand(node: Command, set: SetVariable): boolean {
  if (!node.name) return false
  const values = [readWord(node.name).value, ...node.suffix.flatMap(word => (word.type === 'Word' ? [readWord(word).value] : []))]
  let at = 0
  while (values[at] === 'command' || values[at] === 'builtin' || (at > 0 && values[at]?.startsWith('-'))) at += 1
  if (at >= values.length) return false
  const name = values[at]
  const operands = values.slice(at + 1)
  // A name that is not known is looked at when all assignments are read.
  if (at === 0 && name === undefined) return false
  if (name === undefined || codeBuiltins.has(name)) return true
  if (!settingBuiltins.has(name)) return false
  for (const [index, operand] of operands.entries()) {
    if (operand === undefined) {
      // `printf %s "$x"` prints it; any other may take it for a name.
      if (name !== 'printf' || index === 0) return true
    } else if (operand.startsWith('-')) {
      if (declaring.has(name) && /^-[A-Za-z]*n/.test(operand) && name !== 'export') return true
      // `printf -vNAME`, `read -aNAME`
      for (let from = 1; from < Math.min(operand.length, 4); from++) setUnknown(/^[A-Za-z_]\w*$/.exec(operand.slice(from))?.[0], set)
    } else setUnknown(/^[A-Za-z_]\w*/.exec(operand)?.[0], set)
  }
  return false
}

const declaring: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

type SetVariable = (name: string, literal: string | undefined, certainFrom: number | undefined, number: boolean) => void

function setUnknown(name: string | undefined, set: SetVariable): void {
  if (name !== undefined && /^[A-Za-z_]\w*$/.test(name)) set(name, undefined, undefined, false)
}

function setNumber(left: ArithmeticExpression, set: SetVariable): void {
  if (left.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(left.value)) set(left.value, undefined, undefined, true)
}
