// Matches the words of one simple command, joined by single blanks, with the pattern of a rule. Never the raw text of a command line.
// Linear time for a known text; bounded for one with open places.

/** A pattern: literal runs with any characters between them, anchored at both ends. */
export interface Pattern {
  readonly runs: readonly string[]
  /** Set for a word boundary (`ls *`, `ls:*`): the runs for when a blank and anything follow. */
  readonly followed?: readonly string[]
}

export type PatternPiece = string | { readonly literal: string }

/** `*` is any run of characters, a trailing ` *` or `:*` a word boundary, everything else literal; a literal piece has no signs at all. */
export function compilePattern(pieces: readonly PatternPiece[]): Pattern {
  const runs = ['']
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const [first = '', ...rest] = piece.split('*')
      runs[runs.length - 1] += first
      runs.push(...rest)
    } else runs[runs.length - 1] += piece.literal
  }
  const beforeLast = runs.at(-2)
  const last = pieces.at(-1)
  const boundary =
    runs.at(-1) === '' && typeof last === 'string' && /[ :]\*$/.test(last) && beforeLast !== undefined && /[ :]$/.test(beforeLast)
  if (!boundary || beforeLast === undefined) return { runs }
  const head = [...runs.slice(0, -2), beforeLast.slice(0, -1)]
  return { runs: head, followed: [...head.slice(0, -1), `${head.at(-1) ?? ''} `, ''] }
}

/** Whether any pattern sign stands in it: an exact pattern names one command. */
export function isExact(pattern: Pattern): boolean {
  return pattern.runs.length === 1 && !pattern.followed
}

export function matches(pattern: Pattern, text: string): boolean {
  return matchesRuns(pattern.runs, text) || (pattern.followed !== undefined && matchesRuns(pattern.followed, text))
}

function matchesRuns(runs: readonly string[], text: string): boolean {
  const first = runs[0] ?? ''
  if (runs.length === 1) return text === first
  if (!text.startsWith(first)) return false
  const last = runs[runs.length - 1] ?? ''
  if (!text.endsWith(last) || text.length < first.length + last.length) return false
  let position = first.length
  const end = text.length - last.length
  for (let index = 1; index < runs.length - 1; index++) {
    const run = runs[index] ?? ''
    const found = text.indexOf(run, position)
    if (found < 0 || found + run.length > end) return false
    position = found + run.length
  }
  return true
}

/** A text with open places: strings are known, `undefined` may be anything. */
export type OpenText = readonly (string | undefined)[]

// An open text is compared up to here; behind it anything may stand. It bounds the time and errs to "could match".
const maxOpenChars = 400

/** Whether some filling of the open places would match. Used for deny and ask only, where "perhaps" must not pass. */
export function couldMatch(pattern: Pattern, text: OpenText): boolean {
  // Most patterns already differ in what is known at the beginning.
  const [known = ''] = text
  const [start = ''] = pattern.runs
  const shared = Math.min(known.length, start.length)
  if (known.slice(0, shared) !== start.slice(0, shared)) return false
  const symbols = openSymbols(text)
  return couldMatchRuns(pattern.runs, symbols) || (pattern.followed !== undefined && couldMatchRuns(pattern.followed, symbols))
}

const any = -1

function openSymbols(text: OpenText): number[] {
  const symbols: number[] = []
  for (const part of text) {
    if (part === undefined) {
      if (symbols.at(-1) !== any) symbols.push(any)
    } else for (let index = 0; index < part.length && symbols.length < maxOpenChars; index++) symbols.push(part.charCodeAt(index))
    if (symbols.length >= maxOpenChars) return [...symbols, any]
  }
  return symbols
}

// Do the languages of two texts with wildcards meet? A row of states over the text, one step per sign of the pattern.
function couldMatchRuns(runs: readonly string[], text: readonly number[]): boolean {
  const width = text.length + 1
  let row = new Uint8Array(width)
  row[0] = 1
  spreadOverAny(row, text)
  for (const [number, run] of runs.entries()) {
    if (number > 0) {
      // A `*`: from any reached place every later place is reached.
      for (let place = 1; place < width; place++) if (row[place - 1]) row[place] = 1
    }
    for (let index = 0; index < run.length; index++) {
      const code = run.charCodeAt(index)
      const next = new Uint8Array(width)
      for (let place = 0; place < text.length; place++) {
        if (!row[place]) continue
        if (text[place] === any) next[place] = 1
        else if (text[place] === code) next[place + 1] = 1
      }
      row = next
      spreadOverAny(row, text)
    }
  }
  return row[width - 1] === 1
}

function spreadOverAny(row: Uint8Array, text: readonly number[]): void {
  for (let place = 0; place < text.length; place++) if (row[place] && text[place] === any) row[place + 1] = 1
}
