// The parts of a JavaScript regular expression without flags, for linear-pattern.ts. Takes only a pattern that JavaScript accepts.
// A single sign or class keeps JavaScript's own meaning: it is asked for each unit.

export type PatternNode =
  | { readonly type: 'unit'; readonly test: (unit: string) => boolean }
  | { readonly type: 'edge'; readonly edge: '^' | '$' | '\\b' | '\\B' }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'either'; readonly ways: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'look'; readonly wanted: boolean; readonly part: PatternNode }

const maxNesting = 100

/** @throws {Error} that says what in the pattern cannot be used */
export function parsePattern(source: string): PatternNode {
  return new PatternReader(source).either(0)
}

class PatternReader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  either(depth: number): PatternNode {
    if (depth > maxNesting) throw new Error(`its groups are nested more than ${maxNesting} deep`)
    const ways = [this.#sequence(depth)]
    while (this.#take(/\|/y) !== undefined) ways.push(this.#sequence(depth))
    const [only] = ways
    return ways.length === 1 && only ? only : { type: 'either', ways }
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const part = this.#atom(depth)
      const count = this.#count()
      parts.push(count ? { type: 'repeat', part, ...count } : part)
    }
    return { type: 'sequence', parts }
  }

  #atom(depth: number): PatternNode {
    const group = this.#take(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y)
    if (group !== undefined) {
      if (group === '(?<=' || group === '(?<!') throw new Error('it looks behind, which is not supported; a look-ahead is')
      const part = this.either(depth + 1)
      this.#take(/\)/y)
      return group === '(?=' || group === '(?!' ? { type: 'look', wanted: group === '(?=', part } : part
    }
    const edge = this.#take(/\^|\$|\\[bB]/y)
    if (edge === '^' || edge === '$' || edge === '\\b' || edge === '\\B') return { type: 'edge', edge }
    if (this.#take(/\\[1-9k]/y) !== undefined) throw new Error('it refers back to a group, which is not supported')
    if (this.#take(/\\c(?![A-Za-z])/y) !== undefined) throw new Error('it has a "\\c" without a letter')
    const text = this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0[0-7]{0,2}|[\s\S])|[\s\S]/y) ?? ''
    const unit = new RegExp(`^(?:${text})$`)
    return { type: 'unit', test: each => unit.test(each) }
  }

  #count(): { min: number; max: number } | undefined {
    const text = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y)
    if (text === undefined) return undefined
    if (text.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('?')) return { min: 0, max: 1 }
    const [, min = '0', comma, max] = /^\{(\d+)(,)?(\d+)?/.exec(text) ?? []
    if (comma === undefined) return { min: Number(min), max: Number(min) }
    return { min: Number(min), max: max === undefined ? Number.POSITIVE_INFINITY : Number(max) }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}
