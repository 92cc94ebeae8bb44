// What counts as a placeholder in the author's text (SPEC R3.3, R3.4), before anything is known of the arguments.
// One scan; each find is an offset into the body. Whether a digit is filled is decided by numbering.ts.

export type PlaceholderKind =
  /** `$ARGUMENTS`, `${ARGUMENTS}`: the text as typed. */
  | { readonly type: 'all' }
  /** `$ARGUMENTS[N]` and `${ARGN}`; `index` counts from 0. */
  | { readonly type: 'index'; readonly index: number }
  /** `$N`. */
  | { readonly type: 'digit'; readonly number: number }
  | { readonly type: 'name'; readonly name: string }
  /** `${ARGUMENTS_FILE}`. */
  | { readonly type: 'file' }
  /** A directory, the session or the effort, by the name written. */
  | { readonly type: 'fixed'; readonly name: string }

export interface Placeholder {
  readonly start: number
  readonly end: number
  readonly kind: PlaceholderKind
  /** Written with a backslash before it. */
  readonly escaped: boolean
}

const prefixes = ['SKILLCELL', 'WAVE', 'CLAUDE']
const subjects = ['SKILL_DIR', 'PLUGIN_ROOT', 'PROJECT_DIR', 'SESSION_ID']

/** The names of directories, session and effort, with what each stands for. */
export const fixedNames: ReadonlyMap<string, string> = new Map([
  ...prefixes.flatMap(prefix => subjects.map((subject): [string, string] => [`${prefix}_${subject}`, subject])),
  ['CLAUDE_EFFORT', 'EFFORT'],
])

/** What a name in braces stands for, if it is one of ours. */
export function kindOfName(name: string): PlaceholderKind | undefined {
  if (name === 'ARGUMENTS') return { type: 'all' }
  if (name === 'ARGUMENTS_FILE') return { type: 'file' }
  if (fixedNames.has(name)) return { type: 'fixed', name }
  const index = /^ARG([1-9]\d{0,5})$/.exec(name)
  return index ? { type: 'index', index: Number(index[1]) - 1 } : undefined
}

/** Digits that are an amount or the beginning of a word: `$1.50`, `$1,000`, `$100K`, `$007`. */
export function isProse(digits: string, after: string): boolean {
  return digits.length > 4 || (digits.length > 1 && digits.startsWith('0')) || /^(?:[.,]\d|[A-Za-z_])/.test(after)
}

/** Digits that are an amount of money: `$1.50`, `$1,000`, `$5M`. */
export function isAmount(digits: string, after: string): boolean {
  return isProse(digits, '') || /^(?:[.,]\d|[KMBTkmbt](?![A-Za-z0-9_]))/.test(after)
}

/** Finds everything in `text` that has the shape of a placeholder, in order. Linear. */
export function findPlaceholders(text: string, names: readonly string[]): Placeholder[] {
  if (!text.includes('$')) return []
  const found: Placeholder[] = []
  for (const match of text.matchAll(placeholderPattern(names))) {
    const kind = kindOfMatch(match, text)
    if (kind) found.push({ start: match.index, end: match.index + match[0].length, kind, escaped: isEscaped(text, match.index) })
  }
  return found
}

function kindOfMatch(match: RegExpExecArray, text: string): PlaceholderKind | undefined {
  const [whole, index, braced, digits, name] = match
  if (index !== undefined) return { type: 'index', index: Number(index) }
  if (braced !== undefined) return kindOfName(braced)
  if (name !== undefined) return { type: 'name', name }
  if (digits === undefined) return { type: 'all' }
  const end = match.index + whole.length
  return isProse(digits, text.slice(end, end + 2)) ? undefined : { type: 'digit', number: Number(digits) }
}

const patterns = new Map<string, RegExp>()

function placeholderPattern(names: readonly string[]): RegExp {
  const key = names.join('\n')
  const known = patterns.get(key)
  if (known) return known
  const alternatives = [...names]
    .filter(name => name !== '')
    .sort((a, b) => b.length - a.length)
    .map(name => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  const named = alternatives.length > 0 ? `|(${alternatives.join('|')})(?![A-Za-z0-9_])` : ''
  const pattern = new RegExp(`\\$(?:ARGUMENTS\\[(\\d{1,6})\\]|\\{([A-Z][A-Z0-9_]*)\\}|(\\d+)|ARGUMENTS(?![A-Za-z0-9_])${named})`, 'g')
  // One pattern per list of names; skills are many, so the oldest goes.
  if (patterns.size > 200) patterns.delete(patterns.keys().next().value ?? '')
  patterns.set(key, pattern)
  return pattern
}

/** Whether an odd number of backslashes stands before a position. */
function isEscaped(text: string, position: number): boolean {
  let count = 0
  while (text[position - 1 - count] === '\\') count += 1
  return count % 2 === 1
}
