// The patterns of `paths` (SPEC R10.1): as in .gitignore, over paths relative to the workspace. Pure, and bounded whatever a pattern
// says: picomatch sees the pieces between the stars of one name, and whatever stars stand for is found once from left to right, so no two
// of them can multiply: the time is the product of the two lengths.

import picomatch from 'picomatch'

export interface PathPatterns {
  /** `path` is relative to the workspace, with `/`; hidden files count like others. */
  matches(path: string): boolean
  /** What was not as the patterns want, for people. */
  readonly problems: readonly string[]
}

// Of one skill, braces written out. With the next two: at most some 30 million steps for the longest path there is.
const maxPatterns = 256
const maxCharsInAll = 8_192
const maxPatternChars = 1_024
const maxPathChars = 4_096

interface Rule {
  readonly isNegated: boolean
  readonly parts: readonly Part[]
}

/** A part matches one name; `**` any number of them. */
type Part = '**' | ((name: string) => boolean)

/** The last pattern that matches decides, `!` takes back. A list of nothing but `!` means everything else. */
export function compilePaths(patterns: readonly string[]): PathPatterns {
  const problems: string[] = []
  const texts: string[] = []
  for (const written of patterns) {
    if (texts.length === maxPatterns) {
      problems.push(
        `Left out the patterns from "${written.slice(0, 100)}" on: ${maxPatterns} of one skill are the limit, braces written out`,
      )
      break
    }
    if (written.length > maxPatternChars)
      problems.push(`Left out a pattern of ${written.length} characters: ${maxPatternChars} are the limit`)
    else {
      const open = unclosedSign(written)
      if (open !== undefined) problems.push(`Took the "${open}" of "${written}" as a character: nothing closes it`)
      const expanded = expandBraces(written.trim(), maxPatterns - texts.length)
      if (expanded === undefined) problems.push(`Took "${written}" as written: its braces give more than ${maxPatterns} patterns in all`)
      texts.push(...(expanded ?? [written.trim()]))
    }
  }
  let room = maxCharsInAll
  const rules = texts.flatMap((text): readonly Rule[] => {
    const isOver = room < 0
    room -= text.length
    if (room >= 0) return ruleOf(text, problems)
    if (!isOver) problems.push(`Left out the patterns from "${text.slice(0, 100)}" on: ${maxCharsInAll} characters in all are the limit`)
    return []
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
  return [{ isNegated, parts: [...(isAnchored ? [] : (['**'] as const)), ...parts, ...tailOf(parts, isFolder)].filter(isNoRepeat) }]
}

/** What lies below a folder that matches belongs to it; with a slash at the end only that does, since what matches has to be a folder. */
function tailOf(parts: readonly Part[], isFolder: boolean): readonly Part[] {
  const within: readonly Part[] = parts.at(-1) === '**' ? [anyName] : []
  return isFolder ? [...within, '**', anyName] : within.length > 0 ? within : ['**']
}

const anyName = (): boolean => true

/** Two `**` in a row stand for what one does. */
function isNoRepeat(part: Part, index: number, parts: readonly Part[]): boolean {
  return part !== '**' || parts[index - 1] !== '**'
}

const globOptions = { dot: true, nobrace: true, noextglob: true, nonegate: true, noglobstar: true, maxLength: 8 * maxPatternChars } as const

/** Only `*`, `?`, `[…]` and a backslash are signs; `(group)` of a router is a name. `[slug]` is a class, and a name as well. */
function matcherOf(part: string): (name: string) => boolean {
  const text = part.replace(/\[!/g, '[^')
  const literal = part.replace(/\\(.)/g, '$1')
  if (!/[*?[]/.test(text.replace(/\\./g, ''))) return name => name === literal
  const isMatch = compileName(text.replace(/(?<!\\)[(){}|+@$^]/g, escapeSign))
  const isNamed = text.includes('[') ? compileName(text.replace(/(?<!\\)[(){}|+@$^[\]]/g, '\\$&')) : isMatch
  return name => name.length <= 255 && (isMatch(name) || isNamed(name))
}

function compileName(text: string): (name: string) => boolean {
  try {
    return compilePieces(text)
  } catch {
    // No expression can be made of it, such as a class without an end: git would not match it either.
    return () => false
  }
}

/** The piece before the first star stands at the beginning, the one after the last at the end, the others where they are first found. */
function compilePieces(text: string): (name: string) => boolean {
  const pieces = piecesOf(text)
  const [first = '', ...rest] = pieces.map(piece => (piece === '' ? '' : picomatch.parse(piece, globOptions).output))
  const last = rest.pop()
  if (last === undefined) return matcherFrom(`^(?:${first})$`)
  const beginning = new RegExp(`^(?:${first})`)
  const between = rest.filter(source => source !== '').map(source => new RegExp(source, 'g'))
  const end = new RegExp(`(?:${last})$`)
  return name => {
    let at = beginning.exec(name)?.[0].length ?? -1
    for (const piece of between) {
      if (at < 0) return false
      piece.lastIndex = at
      at = piece.test(name) ? piece.lastIndex : -1
    }
    return at >= 0 && end.test(name.slice(at))
  }
}

function matcherFrom(source: string): (name: string) => boolean {
  const pattern = new RegExp(source)
  return name => pattern.test(name)
}

/** Cut at the stars; one in a class or behind a backslash is a character. */
function piecesOf(text: string): readonly string[] {
  return text.replace(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\*+/g, found => (found.startsWith('*') ? '\0' : found)).split('\0')
}

/** Not the `^` that turns a class round. */
function escapeSign(sign: string, at: number, text: string): string {
  return sign === '^' && text[at - 1] === '[' ? sign : `\\${sign}`
}

/** Whether the parts cover all names. What the last `**` stands for grows when the rest does not fit: no earlier one has to. */
function matchesRule(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0
  let name = 0
  let afterStars = -1
  let resumeAt = 0
  while (name < names.length) {
    const wanted = parts[part]
    if (wanted === '**') {
      part += 1
      afterStars = part
      resumeAt = name
    } else if (wanted?.(names[name] ?? '')) {
      part += 1
      name += 1
    } else {
      if (afterStars < 0) return false
      part = afterStars
      resumeAt += 1
      name = resumeAt
    }
  }
  while (parts[part] === '**') part += 1
  return part === parts.length
}

/** The first `[` or `{` that nothing closes; a class does not reach over a slash. */
function unclosedSign(text: string): '[' | '{' | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (sign === '{') depth++
    else if (sign === '}') depth = Math.max(0, depth - 1)
    else if (sign === '[') {
      const end = text.indexOf(']', at + (/^\[[!^]/.test(text.slice(at, at + 2)) ? 3 : 2))
      if (end === -1 || text.slice(at, end).includes('/')) return '['
      at = end
    }
  }
  return depth > 0 ? '{' : undefined
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
