// One rule: `Tool` or `Tool(pattern)`. Reading a rule checks it; a rule that cannot be understood is never a narrower one.

import { isKnownTool, toolAliases } from '../tool-names.ts'
import { compilePattern, type Pattern, type PatternPiece } from './match.ts'

export type RuleKind = 'allow' | 'ask' | 'deny'

export interface RuleOrigin {
  /** Where it stands, for people: `--allow`, a file, `allowed-tools of NAME`. */
  readonly source: string
  /** What `/` means in a file pattern (SPEC R16.4). */
  readonly root: string
  /** Line in `source`, from 1. */
  readonly line?: number
}

export interface Rule extends RuleOrigin {
  /** As written. */
  readonly text: string
  /** Bash, Read, Edit, WebFetch, Agent, Skill, or the name of an MCP tool. */
  readonly tool: string
  /** Bash: what the words of a command must be, any of these. Empty means every command. */
  readonly patterns: readonly Pattern[]
  /** Other tools: what stands in the brackets, absent for the bare tool. */
  readonly specifier?: readonly PatternPiece[]
  /** Holds only where one of these matches too (a grant under a ceiling, SPEC R5.11). */
  readonly within?: readonly Rule[]
}

export type ReadRule = { readonly rule: Rule } | { readonly problem: string }

// Rules on writing tools are Edit rules; a path of a searching tool is a Read rule, the bare tool is only itself (SPEC R5.6).
const writingTools: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const searchingTools: ReadonlySet<string> = new Set(['Glob', 'Grep'])

function toolOfRule(tool: string, hasPath: boolean): string {
  if (writingTools.has(tool)) return 'Edit'
  // Its older name.
  if (tool === 'Task') return 'Agent'
  return hasPath && searchingTools.has(tool) ? 'Read' : tool
}

/** Reads a rule. `pieces` is its text, with parts that came from a placeholder marked literal. */
export function readRule(pieces: readonly PatternPiece[], origin: RuleOrigin): ReadRule {
  const text = pieces.map(piece => (typeof piece === 'string' ? piece : piece.literal)).join('')
  const head = typeof pieces[0] === 'string' ? pieces[0].trimStart() : ''
  const match = /^([A-Za-z_][\w-]*(?:\*)?)\s*/.exec(head)
  const name = match?.[1]
  if (!match || name === undefined) return { problem: `"${text}" is no rule: write Tool or Tool(pattern), such as Bash(git log *)` }
  const tool = toolAliases[name] ?? name
  const rest = [head.slice(match[0].length), ...pieces.slice(1)]
  if (name.endsWith('*') && !name.startsWith('mcp__'))
    return { problem: `"${text}" has a wildcard in the name of the tool: only mcp__server__* may` }
  const colon = readColonForm(tool, rest)
  if (colon) return { rule: { ...origin, text, tool, patterns: [], specifier: colon } }
  if (!isKnownTool(tool)) return { problem: `"${text}" names an unknown tool "${name}"` }
  if (isEmpty(rest)) return { rule: { ...origin, text, tool: toolOfRule(tool, false), patterns: [] } }
  const inner = readBrackets(rest)
  if (!inner) return { problem: `"${text}" has no closing bracket at its end` }
  if (isEmpty(inner)) return { problem: `"${text}" has an empty pattern: write ${tool} for every use` }
  if (tool === 'Bash') return { rule: { ...origin, text, tool, patterns: bashPatterns(inner) } }
  const problem = specifierProblem(tool, inner, text)
  return problem ? { problem } : { rule: { ...origin, text, tool: toolOfRule(tool, true), patterns: [], specifier: inner } }
}

// `Bash(*)` is `Bash`. A pattern with quotes is also tried without them, as the words of a command have none.
function bashPatterns(inner: readonly PatternPiece[]): readonly Pattern[] {
  if (inner.length === 1 && inner[0] === '*') return []
  const squeezed = inner.map(piece => (typeof piece === 'string' ? piece.replace(/[ \t\n]+/g, ' ') : piece))
  const unquoted = squeezed.map(piece => (typeof piece === 'string' ? piece.replace(/["']/g, '') : piece))
  const hasQuotes = squeezed.some(piece => typeof piece === 'string' && /["']/.test(piece))
  return hasQuotes ? [compilePattern(squeezed), compilePattern(unquoted)] : [compilePattern(squeezed)]
}

// `Skill:name` and `Skill:prefix:*` are other spellings of `Skill(name)` and `Skill(prefix:*)`.
function readColonForm(tool: string, rest: readonly PatternPiece[]): readonly PatternPiece[] | undefined {
  const [first, ...others] = rest
  return tool === 'Skill' && typeof first === 'string' && /^:\S/.test(first) ? [first.slice(1), ...others] : undefined
}

function readBrackets(pieces: readonly PatternPiece[]): readonly PatternPiece[] | undefined {
  const first = pieces[0]
  const last = pieces.at(-1)
  if (typeof first !== 'string' || !first.startsWith('(') || typeof last !== 'string' || !last.trimEnd().endsWith(')')) return undefined
  const opened = [first.slice(1), ...pieces.slice(1)]
  const end = opened.at(-1)
  if (typeof end !== 'string') return undefined
  const inner = [...opened.slice(0, -1), end.trimEnd().slice(0, -1)]
  // Blanks at the ends would make a rule that never fires.
  const [start] = inner
  if (typeof start === 'string') inner[0] = start.trimStart()
  const final = inner.at(-1)
  if (typeof final === 'string') inner[inner.length - 1] = final.trimEnd()
  return inner.filter(piece => piece !== '')
}

function specifierProblem(tool: string, inner: readonly PatternPiece[], text: string): string | undefined {
  const first = inner[0]
  if (tool === 'WebFetch' && !(typeof first === 'string' && /^domain:\S+$/.test(first)))
    return `"${text}" needs a domain: write WebFetch(domain:example.com)`
  return undefined
}

function isEmpty(pieces: readonly PatternPiece[]): boolean {
  return pieces.every(piece => typeof piece === 'string' && piece.trim() === '')
}

/** What is wrong with a rule, for `validate`; undefined when it can be used. */
export function checkRule(text: string): string | undefined {
  const read = readRule([text], { source: '', root: '/' })
  return 'problem' in read ? read.problem : undefined
}
