// Which values of an event a handler is for. '', `*`: all. Only letters, digits, `_`, `-`, blanks, `,` and `|`: exact names.
// Anything else is a regular expression, unanchored and in linear time (linear-pattern.ts). What cannot be compared matches: a hook can
// only forbid.

import { editDistance } from '../edit-distance.ts'
import { isKnownTool, toolAliases, toolNames } from '../tool-names.ts'
import { compileLinear, maxMatchedChars } from './linear-pattern.ts'

export interface Matcher {
  matches(value: string): boolean
  /** Why it could not be read: then it matches every value. */
  readonly problem?: string
  /** It can be read and probably does not mean what its author wants. */
  readonly hint?: string
}

const maxRemembered = 64
const isExact = /^[\w\- ,|]+$/

export function compileMatcher(text: string): Matcher {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === '*') return { matches: () => true }
  if (isExact.test(trimmed)) return exactMatcher(trimmed)
  const pattern = compileLinear(trimmed)
  if ('problem' in pattern) return { matches: () => true, problem: `"${trimmed.slice(0, 100)}" is no usable pattern: ${pattern.problem}` }
  const { test } = pattern
  // The same few names come again and again.
  const answers = new Map<string, boolean>()
  return {
    matches(value) {
      if (value.length > maxMatchedChars) return true
      const known = answers.get(value)
      if (known !== undefined) return known
      const answer = test(value)
      if (answers.size < maxRemembered) answers.set(value, answer)
      return answer
    },
  }
}

function exactMatcher(text: string): Matcher {
  const names = namesOf(text)
  const wanted = new Set(names.map(name => (Object.hasOwn(toolAliases, name) ? toolAliases[name] : name)))
  const server = names.find(name => /^mcp__[A-Za-z\d-]+(?:_[A-Za-z\d-]+)*$/.test(name))
  return {
    matches: value => wanted.has(value),
    ...(server === undefined ? {} : { hint: `"${server}" is the name of no tool: write "${server}__.*" for the tools of that server` }),
  }
}

/** What an exact matcher of tools may have meant: a name that is none and looks like one. Others may be tools of the host. */
export function toolHint(text: string): string | undefined {
  if (!isExact.test(text.trim())) return undefined
  for (const name of namesOf(text)) {
    if (isKnownTool(name) || Object.hasOwn(toolAliases, name)) continue
    const near = toolNames.find(tool => editDistance(name.toLowerCase(), tool.toLowerCase()) <= (tool.length < 4 ? 1 : 2))
    if (near !== undefined) return `there is no tool "${name.slice(0, 100)}", and names are compared letter by letter: "${near}" is one`
  }
  return undefined
}

function namesOf(text: string): readonly string[] {
  return text
    .split(/[|,]/)
    .map(name => name.trim())
    .filter(name => name !== '')
}
