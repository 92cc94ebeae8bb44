// Assignments can change what an allowed program does (S7). Few are harmless; the rest must be spelled by the rule.
// Which names are which is data: policies/command-facts.yaml.

import type { AssignmentFact } from './command-words.ts'
import type { AssignmentNames, NameSet } from './tables.ts'

export type AssignmentPlace = 'before-a-command' | 'alone'

/** Why an assignment keeps a command from being allowed; undefined when it is harmless. */
export function assignmentProblem(fact: AssignmentFact, place: AssignmentPlace, names: AssignmentNames): string | undefined {
  const { name, value } = fact
  if (isSpecialName(name, names)) return `assigning ${name} changes what programs do`
  if (fact.indexed && !isPlainName(name, names)) return `assigning an element of ${name}`
  if (isHarmlessName(name, names) && value?.value !== undefined) return undefined
  if (place === 'alone' && isPlainName(name, names)) return undefined
  return place === 'alone' ? `assigning ${name} may change what programs do` : `assigning ${name} for a command may change what it does`
}

/** Whether a name decides which program runs or what it loads. */
export function isSpecialName(name: string, { special }: AssignmentNames): boolean {
  return holds(special, name)
}

/** A variable of the script's own: no program and no shell reads it for another purpose. */
export function isPlainName(name: string, names: AssignmentNames): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && name !== '_' && !holds(names.special, name)
}

/** A variable that may be set to a literal value for any program. */
export function isHarmlessName(name: string, { harmless }: AssignmentNames): boolean {
  return holds(harmless, name)
}

function holds({ exact, beginnings, endings }: NameSet, name: string): boolean {
  return exact.has(name) || beginnings.some(beginning => name.startsWith(beginning)) || endings.some(ending => name.endsWith(ending))
}
