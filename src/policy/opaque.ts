// Constructs whose effect cannot be read from the text (S5): some strings are code although quoted. A command that holds one is
// never allowed by a pattern.

import {
  type ArithmeticExpression,
  forEachChildNode,
  type ParameterExpansionPart,
  type ParsedBash,
  type SyntaxNode,
  type TestBinaryExpression,
} from '../bash/parse.ts'
import type { VariableFacts } from '../bash/variables.ts'
import { readWord } from '../bash/words.ts'

/** The first such construct inside a node, for people; nested scripts are judged with their own commands. */
export function opaqueConstruct(root: SyntaxNode, variables: VariableFacts): string | undefined {
  const stack: SyntaxNode[] = [root]
  for (let node = stack.pop(); node; node = stack.pop()) {
    const reason = reasonOf(node, variables)
    if (reason) return reason
    if (node.type === 'Script') continue
    forEachChildNode(node, child => void (mayBeOpaque(child) && stack.push(child)))
  }
  return undefined
}

// A word without parts is text.
function mayBeOpaque(node: SyntaxNode): boolean {
  return node.type === 'Word' ? node.parts !== undefined : node.type !== 'Script' && node.type !== 'CompoundList'
}

function reasonOf(node: SyntaxNode, variables: VariableFacts): string | undefined {
  switch (node.type) {
    case 'ExtendedGlob':
      return `the extended glob "${node.text}" is off in a command`
    case 'ParameterExpansion':
      return parameterReason(node, variables)
    case 'ArithmeticWord':
      return isPlainNumber(node, variables) ? undefined : `arithmetic reads "${node.value}" as code`
    case 'ArithmeticExpansion':
      return node.expression ? undefined : 'arithmetic that cannot be read'
    case 'TestBinary':
      return numericTestReason(node, variables)
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R' ? `[[ ${node.operator} ]] reads its operand as code` : undefined
    case 'Assignment':
      if (node.index && !/^\d+$/.test(readWord(node.index).value ?? '')) return `the index of "${node.text}" is read as code`
      return undefined
    case 'ArrayValue':
      for (const { text } of node.elements)
        if (/^\[.*\]\+?=/s.test(text) && !/^\[\d+\]/.test(text)) return `the index in "${text}" is read as code`
      return undefined
    case 'FileDescriptorVariable':
      return /^\w+(\[\d+\])?$/.test(node.name) ? undefined : `the index in "{${node.name}}" is read as code`
    default:
      return undefined
  }
}

function parameterReason(part: ParameterExpansionPart, variables: VariableFacts): string | undefined {
  if (part.parameter === '') return `"${part.text}" names no variable`
  if (part.prefix === '!') return `"${part.text}" reads a variable whose name is in another`
  if (part.index && !/^(\d+|[@*])$/.test(readWord(part.index).value ?? part.index.text))
    return `the index in "${part.text}" is read as code`
  switch (part.operation?.type) {
    case 'Transform':
    case 'Unknown':
      return `the operator in "${part.text}" may run code`
    case 'Slice':
      for (const word of [part.operation.offset, part.operation.length])
        if (word && !isNumericText(readWord(word).value ?? word.text, variables)) return `the position in "${part.text}" is read as code`
      return undefined
    default:
      return undefined
  }
}

function isPlainNumber(node: ArithmeticExpression, variables: VariableFacts): boolean {
  if (node.type !== 'ArithmeticWord') return false
  if (!node.parts) return isNumericText(node.value, variables)
  return node.parts.every(part => {
    if (part.type === 'Literal') return /^\d*$/.test(part.value)
    // Lengths, counts and statuses are numbers whatever their variable holds.
    if (part.type === 'ParameterExpansion') return part.prefix === '#' || (!part.operation && variables.isNumber(part.parameter))
    if (part.type === 'SimpleExpansion') return /^\$[#?$!]$/.test(part.text) || variables.isNumber(part.text.slice(1))
    return part.type === 'ArithmeticExpansion'
  })
}

function isNumericText(text: string, variables: VariableFacts): boolean {
  const trimmed = text.trim()
  if (/^-?(0[xX][0-9a-fA-F]+|\d+(#\w+)?)?$/.test(trimmed)) return true
  return /^\$?[A-Za-z_]\w*$/.test(trimmed) && variables.isNumber(trimmed.replace('$', ''))
}

const numericTests: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

function numericTestReason(node: TestBinaryExpression, variables: VariableFacts): string | undefined {
  if (!numericTests.has(node.operator)) return undefined
  for (const word of [node.left, node.right]) {
    const shell = readWord(word)
    const [piece] = shell.pieces
    const counts = shell.pieces.length === 1 && piece?.type === 'unknown' && /^\$([#?$!]|\{#[\w@*[\]]+\})$/.test(piece.text)
    if (!counts && !isNumericText(shell.value ?? (piece?.type === 'unknown' && piece.variable ? piece.variable : word.text), variables))
      return `[[ ${node.operator} ]] reads "${word.text}" as code`
  }
  return undefined
}

/** Functions that the text defines; using such a name runs something else (S13). Aliases are opaque as commands. */
export function definedNames({ text, script }: ParsedBash): ReadonlySet<string> {
  if (!text.includes('(') && !text.includes('function')) return nothingDefined
  const names = new Set<string>()
  const stack: SyntaxNode[] = [script]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === 'Function') names.add(readWord(node.name).value ?? node.name.text)
    forEachChildNode(node, child => void stack.push(child))
  }
  return names
}

const nothingDefined: ReadonlySet<string> = new Set()
