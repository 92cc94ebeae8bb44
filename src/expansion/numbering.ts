// Which `$N` are arguments (SPEC R3.4): dollar digits are prices and awk fields far more often than placeholders.
// All facts about the body are gathered first; the answers are then a matter of this table.

import { type DialectName, dialects } from '../dialect.ts'

export interface DigitUse {
  readonly number: number
  /** In a span, a fence or indented code; an injected command is not code in this sense. */
  readonly inCode: boolean
}

interface NumberingFacts {
  readonly dialect: DialectName
  readonly argumentsBase?: 0
  readonly hasArgumentHint: boolean
  readonly hasArgumentNames: boolean
  /** A `$ARGUMENTS` stands in the body. */
  readonly usesAll: boolean
  readonly argumentsGiven: boolean
  readonly argumentCount: number
  /** Digits that may be placeholders by where they stand. */
  readonly digits: readonly DigitUse[]
}

export interface Numbering {
  /** The number of the first argument. */
  readonly first: 0 | 1
  /** Whether the skill declares arguments. */
  readonly declared: boolean
  /** Whether `$number` is a placeholder here. */
  isArgument(number: number): boolean
}

export function decideNumbering(facts: NumberingFacts): Numbering {
  const first = firstNumber(facts)
  const explicit = facts.hasArgumentHint || facts.hasArgumentNames
  const declared = explicit || facts.usesAll
  const firstOutside = facts.digits.some(({ number, inCode }) => number === first && !inCode)
  const firstStands = firstOutside || (declared && facts.digits.some(({ number }) => number === first))
  const enabled = declared || (facts.argumentsGiven && firstOutside)
  const isArgument = (number: number): boolean => {
    if (!enabled || number < first) return false
    if (number === first) return true
    const present = number - first < facts.argumentCount
    // A number of two digits without such an argument is an amount: "$20 for $1".
    if (!present && (!firstStands || number > 9)) return false
    return firstStands || explicit
  }
  return { first, declared, isArgument }
}

function firstNumber({ dialect, argumentsBase, digits }: NumberingFacts): 0 | 1 {
  if (argumentsBase === 0 || dialects[dialect].firstPositional === 'zero') return 0
  return digits.some(({ number, inCode }) => number === 0 && !inCode) ? 0 : 1
}
