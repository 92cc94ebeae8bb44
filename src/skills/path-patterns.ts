// The patterns of `paths` (SPEC R10.1): as in .gitignore, over paths relative to the workspace. Pure, and bounded whatever a pattern
// says: picomatch sees one part of a path at a time, so no two wildcards of different parts can multiply.

import picomatch from 'picomatch'

export interface PathPatterns {
  /** `path` is relative to the workspace, with `/`; hidden files count like others. */
  matches(path: string): boolean
  /** What was not as the patterns want, for people. */
  readonly problems: readonly string[]
}

const maxPatterns = 1_000
const maxPatternChars = 1_024
const maxPathChars = 4_096
// Ways to match a name of 255 characters: each further star of one part multiplies them.
const maxWays = 500_000

interface Rule {
  readonly isNegated: boolean
  readonly parts: readonly Part[]
}

/** A part matches one name; `**` any number of them. */
type Part = '**' | ((name: string) => boolean)

/** The last pattern that matches decides, `!` takes back. A list of nothing but `!` means everything else. */
export function compilePaths(patterns: readonly string[]): PathPatterns {
  const problems: string[] = []
  let room = maxPatterns
  let ways = maxWays
  const rules = patterns.flatMap((written): readonly Rule[] => {
    if (written.length > maxPatternChars) {
      problems.push(`Left out a pattern of ${written.length} characters: ${maxPatternChars} are the limit`)
      return []
    }
    const expanded = expandBraces(written.trim(), room)
    if (expanded === undefined) problems.push(`Took "${written}" as written: its braces give more than ${maxPatterns} patterns in all`)
    room -= expanded?.length ?? 1
    return (expanded ?? [written.trim()]).flatMap(text => {
      const cost = waysOf(text)
      if (cost > ways) {
        problems.push(`Left out "${text}": it has too many stars in one name`)
        return []
      }
      ways -= cost
      return ruleOf(text, problems)
    })
  })
  const onlyNegated = rules.length > 0 && rules.every(rule => rule.isNegated)
  return {
    problems,
    matches: path => {
      if (path === '' || path.length > maxPathChars) return false
      const names = path.split('/')
      let matched = onlyNegated
      for (const rule of rules) if (rule.isNegated === matched && matchesRule(rule.parts, names)) matched = !rule.isNegated
      return matched
    },
  }
}

function ruleOf(text: string, problems: string[]): readonly Rule[] {
  const isNegated = text.startsWith('!')
  let body = (isNegated ? text.slice(1) : text.replace(/^\\(?=[!#])/, '')).replace(/^(?:\.\/)+/, '')
  // Without a slash but the last it may stand at any depth.
  const isAnchored = body.slice(0, -1).includes('/')
  const isFolder = body.endsWith('/')
  body = body.replace(/^\/+|\/+$/g, '')
  const written = body.split(/\/+/)
  if (body === '' || written.some(part => part === '..' || part === '.')) {
    problems.push(`Left out "${text}": it names nothing inside the workspace`)
    return []
  }
  const parts = written.map(part => (/^\*\*+$/.test(part) ? '**' : matcherOf(part)))
  // What lies below a folder that matches belongs to it; with a slash at the end only that does.
  const tail: readonly Part[] = isFolder ? [anyName, '**'] : parts.at(-1) === '**' ? [anyName] : ['**']
  return [{ isNegated, parts: [...(isAnchored ? [] : (['**'] as const)), ...parts, ...tail] }]
}

const anyName = (): boolean => true

const globOptions = { dot: true, nobrace: true, noextglob: true, nonegate: true, noglobstar: true } as const

/** Only `*`, `?`, `[…]` and a backslash are signs; `(group)` of a router is a name. `[slug]` is a class, and a name as well. */
function matcherOf(part: string): (name: string) => boolean {
  const text = part.replace(/\*+/g, '*').replace(/\[!/g, '[^')
  const literal = part.replace(/\\(.)/g, '$1')
  if (!/[*?[]/.test(text.replace(/\\./g, ''))) return name => name === literal
  const isMatch = picomatch(text.replace(/(?<!\\)[(){}|+@$^]/g, escapeSign), globOptions)
  const isNamed = text.includes('[') ? picomatch(text.replace(/(?<!\\)[(){}|+@$^[\]]/g, '\\$&'), globOptions) : isMatch
  return name => name.length <= 255 && (isMatch(name) || isNamed(name))
}

/** Not the `^` that turns a class round. */
function escapeSign(sign: string, at: number, text: string): string {
  return sign === '^' && text[at - 1] === '[' ? sign : `\\${sign}`
}

function waysOf(text: string): number {
  return text.split('/').reduce((sum, part) => {
    const stars = /^\*+$/.test(part) ? 0 : (part.match(/\*+/g)?.length ?? 0)
    return sum + 255 ** Math.max(0, stars - 1)
  }, 0)
}

/** Whether the parts cover all names: which parts may stand next is kept as a set, so the time is their product at most. */
function matchesRule(parts: readonly Part[], names: readonly string[]): boolean {
  let open = closeOver(new Set([0]), parts)
  for (const name of names) {
    const next = new Set<number>()
    for (const at of open) {
      const part = parts[at]
      if (part === '**') next.add(at)
      else if (part?.(name)) next.add(at + 1)
    }
    if (next.size === 0) return false
    open = closeOver(next, parts)
  }
  return open.has(parts.length)
}

/** `**` may also stand for no name at all. */
function closeOver(open: Set<number>, parts: readonly Part[]): Set<number> {
  for (const at of open) if (parts[at] === '**') open.add(at + 1)
  return open
}

/** `a.{ts,tsx}` → two texts, nested ones too; undefined when there are more than `most`. Braces without a comma stay. */
export function expandBraces(text: string, most: number): readonly string[] | undefined {
  const group = firstGroup(text)
  if (group === undefined) return most >= 1 ? [text] : undefined
  const found: string[] = []
  for (const choice of group.choices) {
    const expanded = expandBraces(text.slice(0, group.start) + choice + text.slice(group.end), most - found.length)
    if (expanded === undefined) return undefined
    found.push(...expanded)
  }
  return found
}

function firstGroup(text: string): { readonly start: number; readonly end: number; readonly choices: readonly string[] } | undefined {
  for (let start = 0; start < text.length; start++) {
    if (text[start] === '\\') start++
    else if (text[start] === '{') {
      const group = groupAt(text, start)
      if (group !== undefined && group.choices.length > 1) return { start, ...group }
    }
  }
  return undefined
}

function groupAt(text: string, start: number): { readonly end: number; readonly choices: readonly string[] } | undefined {
  const choices: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (sign === '{') depth++
    else if (sign === '}' && --depth === 0) return { end: at + 1, choices: [...choices, text.slice(from, at)] }
    else if (sign === ',' && depth === 1) {
      choices.push(text.slice(from, at))
      from = at + 1
    }
  }
  return undefined
}
