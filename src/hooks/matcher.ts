// Which values of an event a handler is for. '', `*`: all. Only letters, digits, `_`, `-`, blanks, `,` and `|`: exact names.
// Anything else is a regular expression, unanchored and in linear time (linear-pattern.ts). What cannot be compared matches: a hook can
// only forbid.

import { toolAliases } from '../tool-names.ts'
import { compileLinear, maxTextChars } from './linear-pattern.ts'

export interface Matcher {
  matches(value: string): boolean
  /** Why it could not be read: then it matches every value. */
  readonly problem?: string
  /** It can be read and probably does not mean what its author wants. */
  readonly hint?: string
}

const maxRemembered = 64

export function compileMatcher(text: string): Matcher {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === '*') return { matches: () => true }
  if (/^[\w\- ,|]+$/.test(trimmed)) return exactMatcher(trimmed)
  const pattern = compileLinear(trimmed)
  if ('problem' in pattern) return { matches: () => true, problem: `"${trimmed.slice(0, 100)}" is no usable pattern: ${pattern.problem}` }
  const { test } = pattern
  // The same few names come again and again.
  const answers = new Map<string, boolean>()
  return {
    matches(value) {
      if (value.length > maxTextChars) return true
      const known = answers.get(value)
      if (known !== undefined) return known
      const answer = test(value)
      if (answers.size < maxRemembered) answers.set(value, answer)
      return answer
    },
  }
}

function exactMatcher(text: string): Matcher {
  const names = text
    .split(/[|,]/)
    .map(name => name.trim())
    .filter(name => name !== '')
  const wanted = new Set(names.map(name => (Object.hasOwn(toolAliases, name) ? toolAliases[name] : name)))
  const server = names.find(name => /^mcp__[A-Za-z\d-]+(?:_[A-Za-z\d-]+)*$/.test(name))
  return {
    matches: value => wanted.has(value),
    ...(server === undefined ? {} : { hint: `"${server}" is the name of no tool: write "${server}__.*" for the tools of that server` }),
  }
}
