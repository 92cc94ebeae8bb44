// What a script itself says about its variables, without running it. Insensitive to order on purpose: a value counts as known
// only if nothing else in the whole text may set the name, so loops and branches cannot change it behind our back.

import { type ArithmeticExpression, type Assignment, type Command, type SyntaxNode, walkNodes } from './parse.ts'
import { readWord } from './words.ts'

export interface VariableFacts {
  /** The one literal value of a variable at an offset, if it is certain. */
  readonly literalAt: (name: string, position: number) => string | undefined
  /** Whether the script may set it at all. */
  readonly isSet: (name: string) => boolean
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

const nothingIsSet: VariableFacts = { literalAt: () => undefined, isSet: () => false, isNumber: () => false, setBesides: new Set() }
// What a text must hold to set a variable. It may match too much, never too little.
const maySet =
  /[({]|\$\[|(^|[\s;&|`])[A-Za-z_]\w*(\[[^\]]*\])?\+?=|\b(for|select|coproc|read|mapfile|readarray|getopts|printf|wait|unset|let|declare|typeset|local|export|readonly|eval|source|trap)\b|(^|[\s;&|])\.[\s]|[\\'"]/

/** Reads all assignments of a script. `text` is its source. */
export function readVariables(root: SyntaxNode, text: string): VariableFacts {
  if (!maySet.test(text)) return nothingIsSet
  const facts = new Map<string, Fact>()
  const certain = new Set<SyntaxNode>()
  if (root.type === 'Script')
    for (const statement of root.commands) if (!statement.background && statement.command.type === 'Command') certain.add(statement.command)
  const setBesides = new Set<string>()
  let anythingMaySet = false

  const set = (name: string, literal: string | undefined, certainFrom: number | undefined, number: boolean): void => {
    const fact = facts.get(name)
    if (!fact) facts.set(name, { count: 1, literal, certainFrom, number })
    else facts.set(name, { count: fact.count + 1, literal: undefined, certainFrom: undefined, number: fact.number && number })
  }
  const setFrom = (assignment: Assignment, owner: Command | undefined): void => {
    const value = assignment.value.type === 'Word' ? readWord(assignment.value) : undefined
    const plain = value?.value !== undefined && assignment.append !== true && !assignment.index ? value.value : undefined
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
      const name = node.name ? readWord(node.name).value : undefined
      if (name !== undefined && settingBuiltins.has(name))
        for (const word of node.suffix) if (word.type === 'Word') setUnknown(readWord(word).value, set)
      if (name !== undefined && codeBuiltins.has(name)) anythingMaySet = true
    } else if (node.type === 'For' || node.type === 'Select') setUnknown(readWord(node.name).value, setBeside)
    else if (node.type === 'ArithmeticBinary' && /^[-+*/%&|^<>]*=$/.test(node.operator) && !/^[=!<>]=$/.test(node.operator))
      setNumber(node.left, setBeside)
    else if (node.type === 'ArithmeticUnary' && /^(\+\+|--)$/.test(node.operator)) setNumber(node.operand, setBeside)
    else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
      setUnknown(node.parameter, setBeside)
    else if (node.type === 'Redirect' && node.descriptor?.type === 'FileDescriptorVariable') setUnknown(node.descriptor.name, setBeside)
    else if (node.type === 'Coproc') setUnknown(node.name ? readWord(node.name).value : 'COPROC', setBeside)
    return undefined
  })

  return {
    literalAt: (name, position) => {
      const fact = facts.get(name)
      return !anythingMaySet && fact?.count === 1 && fact.certainFrom !== undefined && fact.certainFrom <= position
        ? fact.literal
        : undefined
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
const codeBuiltins: ReadonlySet<string> = new Set(['eval', 'source', '.', 'trap'])

type SetVariable = (name: string, literal: string | undefined, certainFrom: number | undefined, number: boolean) => void

function setUnknown(name: string | undefined, set: SetVariable): void {
  if (name !== undefined && /^[A-Za-z_]\w*$/.test(name)) set(name, undefined, undefined, false)
}

function setNumber(left: ArithmeticExpression, set: SetVariable): void {
  if (left.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(left.value)) set(left.value, undefined, undefined, true)
}
