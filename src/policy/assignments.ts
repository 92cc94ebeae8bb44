// Assignments can change what an allowed program does (S7). Few are harmless; the rest must be spelled by the rule.
// Which names are harmless is data: policies/command-facts.yaml. Which decide what runs: bash/variable-names.ts.

import { holdsName } from '../bash/names.ts'
import { isDecidingName } from '../bash/variable-names.ts'
import type { AssignmentFact } from './command-words.ts'
import type { AssignmentNames } from './tables.ts'

export type AssignmentPlace = 'before-a-command' | 'alone'

/** Why an assignment keeps a command from being allowed; undefined when it is harmless. */
export function assignmentProblem(fact: AssignmentFact, place: AssignmentPlace, names: AssignmentNames): string | undefined {
  const { name, value } = fact
  if (isSpecialName(name)) return `assigning ${name} changes what programs do`
  if (fact.indexed && !isPlainName(name)) return `assigning an element of ${name}`
  if (isHarmlessName(name, names) && value?.value !== undefined) return undefined
  if (place === 'alone' && isPlainName(name)) return undefined
  return place === 'alone' ? `assigning ${name} may change what programs do` : `assigning ${name} for a command may change what it does`
}

/** Whether a name decides which program runs or what it loads. */
export function isSpecialName(name: string): boolean {
  return isDecidingName(name)
}

/** A variable of the script's own: no program and no shell reads it for another purpose. */
export function isPlainName(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && name !== '_' && !isDecidingName(name)
}

/** A variable that may be set to a literal value for any program. */
export function isHarmlessName(name: string, { harmless }: AssignmentNames): boolean {
  return holdsName(harmless, name)
}
