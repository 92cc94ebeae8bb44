// The rules of all sources as one set (SPEC R5.2): a deny anywhere wins. Which rule covers which command.

import type { Level } from './levels.ts'
import { couldMatch, isExact, matches, type Pattern } from './match.ts'
import type { Rule } from './rule.ts'

export interface RuleSet {
  readonly allow: readonly Rule[]
  readonly ask: readonly Rule[]
  readonly deny: readonly Rule[]
}

/** What a decision asks of all rules at once. */
export interface RuleTraits {
  /** A Bash rule denies or asks. */
  readonly guarded: boolean
  /** A Read or Edit rule denies or asks. */
  readonly watchesFiles: boolean
  /** A rule allows every command. */
  readonly hasBlanket: boolean
}

const traits = new WeakMap<RuleSet, RuleTraits>()

/** Remembered, as a rule set never changes. */
export function traitsOf(rules: RuleSet): RuleTraits {
  const known = traits.get(rules)
  if (known) return known
  const { allow, ask, deny } = rules
  const watches = ({ tool }: Rule): boolean => tool === 'Read' || tool === 'Edit'
  const guards = ({ tool }: Rule): boolean => tool === 'Bash'
  const found: RuleTraits = {
    guarded: deny.some(guards) || ask.some(guards),
    watchesFiles: deny.some(watches) || ask.some(watches),
    hasBlanket: allow.some(isBlanket),
  }
  traits.set(rules, found)
  return found
}

export type Fired = { readonly rule: Rule; readonly certain: boolean }

/** The first deny or ask rule that a level fires, on any spelling. Not certain: an unknown word could make it match. */
export function firedBy(rules: readonly Rule[], level: Level): Fired | undefined {
  let possible: Fired | undefined
  for (const rule of rules) {
    if (rule.tool !== 'Bash') continue
    if (rule.patterns.length === 0) return { rule, certain: true }
    if (level.words.length === 0) continue
    for (const pattern of rule.patterns) {
      if (matches(pattern, level.joined) || (level.baseName !== level.joined && matches(pattern, level.baseName)))
        return { rule, certain: true }
      if (level.plain) {
        if (level.plain.some(({ joined }) => matches(pattern, joined))) return { rule, certain: true }
        if (!possible && level.plain.some(({ open }) => open && couldMatch(pattern, open.joined))) possible = { rule, certain: false }
      }
      if (!possible && level.open && (couldMatch(pattern, level.open.joined) || couldMatch(pattern, level.open.baseName)))
        possible = { rule, certain: false }
    }
  }
  return possible
}

export interface Candidate {
  /** The words as rules see them, perhaps with assignments in front. */
  readonly text: string
  /** Words that a wildcard does not cover: the rule must spell them. */
  readonly dangerous: () => readonly string[]
}

/** Whether an allow rule covers a command, and its ceiling too. */
export function covers(rule: Rule, candidate: Candidate): boolean {
  if (rule.tool !== 'Bash' || !coversAlone(rule, candidate)) return false
  return rule.within === undefined || rule.within.some(ceiling => ceiling.tool === 'Bash' && coversAlone(ceiling, candidate))
}

function coversAlone(rule: Rule, { text, dangerous }: Candidate): boolean {
  if (rule.patterns.length === 0) return true
  for (const pattern of rule.patterns)
    if (matches(pattern, text) && (isExact(pattern) || dangerous().every(word => spells(pattern, word)))) return true
  return false
}

function spells(pattern: Pattern, word: string): boolean {
  return pattern.runs.some((run, index) => {
    const spaced = `${index === 0 ? ' ' : ''}${run}${index === pattern.runs.length - 1 ? ' ' : ''}`
    return spaced.includes(` ${word} `) || spaced.includes(` ${word}=`) || (index < pattern.runs.length - 1 && spaced.endsWith(` ${word}`))
  })
}

/** Bare `Bash`: every command. */
export function isBlanket(rule: Rule): boolean {
  return rule.tool === 'Bash' && rule.patterns.length === 0
}
