// The one place that knows the parser. unbash is tolerant by design, so this wrapper makes it fail closed:
// whatever it reports, at any depth, and whatever it is known to miss becomes a problem, and a text with a problem is opaque.

import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash'

export type * from 'unbash'

export interface ParseProblem {
  readonly reason: string
  /** Offset into the text, in UTF-16 units. */
  readonly position: number
}

export interface ParsedBash {
  readonly text: string
  /** What could be read. With problems it may be partial: good for deny, never for allow. */
  readonly script: ParsedScript
  readonly problems: readonly ParseProblem[]
  /** Whether it is read whole and holds only commands of plain words: no expansion, quote, assignment, redirection or construct. */
  readonly isPlain: boolean
}

export interface ParseLimits {
  /** Characters (UTF-16 units). */
  readonly maxChars: number
  /** Levels of nesting; unbash itself reports an error from 257 on. */
  readonly maxDepth: number
}

export const defaultParseLimits: ParseLimits = { maxChars: 10_000, maxDepth: 256 }

// A text of 10,000 characters has fewer nodes than this unless it was made to be slow.
const maxNodes = 20_000

// Above this not even deny looks in: the time of a decision stays bounded.
const maxReadableChars = 1_048_576

/** Parses bash text and never throws. */
export function parseBash(text: string, limits: ParseLimits = defaultParseLimits): ParsedBash {
  const problems: ParseProblem[] = []
  if (text.length > limits.maxChars)
    problems.push({ reason: `longer than ${limits.maxChars.toLocaleString('en-US')} characters`, position: limits.maxChars })
  const end = readableEnd(text, limits)
  if (end < text.length) problems.push({ reason: 'more than can be read', position: end })
  const script = parseOrNothing(end < text.length ? text.slice(0, end) : text, problems)
  let isPlain = false
  try {
    isPlain = findProblems(text, script, limits, problems)
  } catch (error) {
    problems.push({ reason: `cannot be walked (${error instanceof Error ? error.message : String(error)})`, position: 0 })
  }
  return { text, script, problems, isPlain: isPlain && problems.length === 0 }
}

/** Calls back with each child of a node, in document order. */
export function forEachChildNode(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit)
}

/** Visits every node in document order without recursion. `depth` counts syntax levels. Returning false leaves a node's children out. */
export function walkNodes(root: SyntaxNode, visit: (node: SyntaxNode, depth: number) => boolean | undefined): void {
  const stack: [SyntaxNode, number][] = [[root, 0]]
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const [node, depth] = entry
    if (visit(node, depth) === false) continue
    const first = stack.length
    forEachChild(node, child => void stack.push([child, depth + 1]))
    reverseFrom(stack, first)
  }
}

function reverseFrom<T>(list: T[], first: number): void {
  if (list.length - first > 1) list.push(...list.splice(first).reverse())
}

const emptyScript: ParsedScript = { type: 'Script', pos: 0, end: 0, shebang: undefined, commands: [] }

// Deep nesting costs the parser time by the square. A text that opens more than it may is read up to there, so that deny still sees
// its beginning.
function readableEnd(text: string, { maxDepth }: ParseLimits): number {
  const end = Math.min(text.length, maxReadableChars)
  const most = maxDepth + 16
  if (end < most) return end
  let open = 0
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code === 40 || code === 123) open += 1
    else if ((code === 41 || code === 125) && open > 0) open -= 1
    if (open > most) return index
  }
  return end
}

function parseOrNothing(text: string, problems: ParseProblem[]): ParsedScript {
  try {
    return parse(text)
  } catch (error) {
    problems.push({ reason: `cannot be parsed (${error instanceof Error ? error.message : String(error)})`, position: 0 })
    return emptyScript
  }
}

/** Adds what is wrong, and tells whether only plain nodes were seen. */
function findProblems(text: string, script: ParsedScript, limits: ParseLimits, problems: ParseProblem[]): boolean {
  let nodes = 0
  let isPlain = true
  let scriptDepth = 0
  const brackets = text.includes('(') ? new CoverageMap(text) : undefined
  const unquotedSuspects = suspectCharacters.test(text) ? new QuotedMap(text) : undefined
  walkNodes(script, (node, depth) => {
    nodes += 1
    if (nodes > maxNodes) throw new Error(`more than ${maxNodes.toLocaleString('en-US')} parts`)
    if (!knownTypes.has(node.type)) problems.push({ reason: `an unknown construct (${node.type})`, position: node.pos })
    if (depth > limits.maxDepth * 4) scriptDepth = depth
    if (node.type === 'Script')
      for (const error of node.errors ?? []) problems.push({ reason: `a syntax error (${error.message})`, position: error.pos })
    if (node.type === 'HereDoc' && !node.closing) problems.push({ reason: 'a here-document without its closing line', position: node.pos })
    if (node.type === 'Word') {
      if (node.parts !== undefined) isPlain = false
      else if (hidesAnExpansion(node.text)) problems.push({ reason: 'an expansion that the parser did not take apart', position: node.pos })
    } else if (isPlain && !plainTypes.has(node.type)) isPlain = false
    if (
      (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution' || node.type === 'ArithmeticCommandExpansion') &&
      !node.script
    )
      problems.push({ reason: 'a substitution that the parser did not take apart', position: node.pos })
    unquotedSuspects?.see(node)
    brackets?.see(node)
    return undefined
  })
  if (scriptDepth > 0) problems.push({ reason: `nested deeper than ${limits.maxDepth} levels`, position: 0 })
  const bracket = script === emptyScript ? undefined : brackets?.firstUncovered()
  if (bracket !== undefined) problems.push({ reason: 'a bracket that belongs to nothing', position: bracket })
  const suspect = unquotedSuspects?.firstUnquoted()
  if (suspect) problems.push(suspect)
  return isPlain
}

// An unescaped `$x`, `$(`, `${`, `$[`, backtick, `<(` or `>(` in a word that has no parts: `r=( $(x) )glued` comes back so from unbash 6.0.4.
const expansionSign = /(?<!\\)(?:\\\\)*(\$[\w({[@*#?!$-]|`|[<>]\()/

function hidesAnExpansion(text: string): boolean {
  return expansionSign.test(text)
}

// Controls but tab and newline, and characters that do not show: no-break space, zero-width and bidirectional signs, separators,
// fillers, variation selectors, the byte order mark.
const suspectPattern =
  '\\p{Zl}|\\p{Zp}|\\p{Cf}|[\\x00-\\x08\\x0b-\\x1f\\x7f-\\xa0]|[\\u{1680}\\u{2000}-\\u{200a}\\u{202f}\\u{205f}\\u{3000}]|[\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{3164}\\u{ffa0}\\u{2800}]|\\u{034f}|[\\u{180b}-\\u{180d}]|[\\u{fe00}-\\u{fe0f}]'
const suspectCharacters = new RegExp(suspectPattern, 'u')
const suspectOutsideQuotes = new RegExp(suspectPattern, 'gu')

/** Knows which characters stand in quotes, where a suspect character is data. NUL never is: bash drops it. */
class QuotedMap {
  readonly #text: string
  readonly #quoted: Uint8Array

  constructor(text: string) {
    this.#text = text
    this.#quoted = new Uint8Array(text.length)
  }

  see(node: SyntaxNode): void {
    if (quotingTypes.has(node.type)) this.#quoted.fill(1, node.pos, node.end)
    else if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') this.#quoted.fill(0, node.pos, node.end)
  }

  firstUnquoted(): ParseProblem | undefined {
    for (const match of this.#text.matchAll(suspectOutsideQuotes)) {
      const code = match[0].codePointAt(0) ?? 0
      if ((code === 0xfe0f || code === 0x200d) && (this.#text.charCodeAt(match.index - 1) || 0) > 0x2000) continue // part of an emoji
      if (code === 0 || !this.#quoted[match.index])
        return { reason: `a character that does not show (U+${code.toString(16).toUpperCase().padStart(4, '0')})`, position: match.index }
    }
    return undefined
  }
}

/** Every bracket must stand in a construct that has brackets: unbash 6.0.4 passes over the one in `name (`. */
class CoverageMap {
  readonly #text: string
  readonly #covered: Uint8Array

  constructor(text: string) {
    this.#text = text
    this.#covered = new Uint8Array(text.length)
  }

  // Outer before inner: what stands in a substitution is judged by its own nodes again.
  see(node: SyntaxNode): void {
    if (bracketTypes.has(node.type)) this.#covered.fill(1, node.pos, node.end)
    else if (node.type === 'Subshell') {
      this.#covered[node.pos] = 1
      this.#covered[node.end - 1] = 1
    } else if (node.type === 'Function') this.#covered.fill(1, node.name.end, node.body.pos)
    else if (node.type === 'CaseItem') this.#covered.fill(1, node.pos, node.body.pos)
    else if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution' || node.type === 'ArithmeticCommandExpansion') {
      // The positions in an escaped backtick script are those of its own source.
      if (node.script && node.script.source === undefined) this.#covered.fill(0, node.script.pos, node.script.end)
    }
  }

  firstUncovered(): number | undefined {
    let comment = false
    for (let index = 0; index < this.#text.length; index++) {
      const character = this.#text[index]
      if (character === '\n') comment = false
      else if (character === '#' && !this.#covered[index] && /^$|[\s;&|()]/.test(this.#text[index - 1] ?? '')) comment = true
      else if (character === '(' && !comment && !this.#covered[index]) return index
    }
    return undefined
  }
}

const bracketTypes: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'ArithmeticExpansion',
  'ArithmeticCommand',
  'ArithmeticFor',
  'TestCommand',
  'HereDocBody',
  'HereDocDelimiter',
])

const quotingTypes: ReadonlySet<string> = new Set(['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString', 'HereDocBody'])

const plainTypes: ReadonlySet<string> = new Set<SyntaxNode['type']>(['Script', 'Statement', 'AndOr', 'Pipeline', 'Command'])

const knownTypes: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  'AndOr',
  'AnsiCQuoted',
  'ArithmeticBinary',
  'ArithmeticCommand',
  'ArithmeticCommandExpansion',
  'ArithmeticExpansion',
  'ArithmeticFor',
  'ArithmeticGroup',
  'ArithmeticTernary',
  'ArithmeticUnary',
  'ArithmeticWord',
  'ArrayValue',
  'Assignment',
  'BraceExpansion',
  'BraceGroup',
  'Case',
  'CaseItem',
  'CaseModification',
  'Command',
  'CommandExpansion',
  'CompoundList',
  'Coproc',
  'Default',
  'DoubleQuoted',
  'Elif',
  'ExtendedGlob',
  'FileDescriptor',
  'FileDescriptorVariable',
  'For',
  'Function',
  'Glob',
  'HereDoc',
  'HereDocBody',
  'HereDocDelimiter',
  'HereString',
  'If',
  'Literal',
  'LocaleString',
  'Names',
  'Negation',
  'ParameterExpansion',
  'Pipeline',
  'ProcessSubstitution',
  'Redirect',
  'Redirected',
  'Remove',
  'Replace',
  'Script',
  'Select',
  'SimpleExpansion',
  'SingleQuoted',
  'Slice',
  'Statement',
  'Subshell',
  'TestBinary',
  'TestCommand',
  'TestGroup',
  'TestLogical',
  'TestNot',
  'TestUnary',
  'Time',
  'Transform',
  'Unknown',
  'While',
  'Word',
])
