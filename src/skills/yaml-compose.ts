// Text → YAML document in two steps, with a look in between: the library composes by recursion, and a stack that overflows
// inside a regular expression ends the whole process and cannot be caught. Too deep a text never gets that far.

import { Composer, type CST, type Document, Parser } from 'yaml'

// 64 KiB of brackets nest 60,000 deep; a deep file that somebody wrote by hand is at about ten.
const maxDepth = 200

// 64 KiB of nothing but signs take the library half a second; a long text of words holds about 2,000.
const maxSigns = 10_000
const maxBrackets = 2_000

const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Duplicates are told by whoever reads the fields: the library would compare every key with every other.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

/** The first document of a text, or undefined when that would cost too much. Throws what the library throws. */
export function composeYaml(text: string): Document.Parsed | undefined {
  if (hasTooManySigns(text)) return undefined
  const tokens = [...new Parser().parse(text)]
  if (depthExceeds(tokens, maxDepth)) return undefined
  const [document] = new Composer(options).compose(tokens, true, text.length)
  return document
}

function hasTooManySigns(text: string): boolean {
  if (text.length <= maxBrackets) return false
  let signs = 0
  let brackets = 0
  for (const [sign] of text.matchAll(/[[\]{},:?&*!#|>"'\n-]/g)) {
    if (++signs > maxSigns || ((sign === '[' || sign === '{') && ++brackets > maxBrackets)) return true
  }
  return false
}

function depthExceeds(tokens: readonly CST.Token[], limit: number): boolean {
  let level: CST.Token[] = [...tokens]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    const below: CST.Token[] = []
    for (const token of level) {
      if (token.type === 'document' && token.value) below.push(token.value)
      if (!('items' in token)) continue
      for (const { key, value } of token.items) {
        if (key) below.push(key)
        if (value) below.push(value)
      }
    }
    level = below
  }
  return false
}
