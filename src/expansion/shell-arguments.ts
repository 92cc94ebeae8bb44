// Rewrites one command so that arguments reach it as shell parameters and never as shell text (SPEC R4.6), by positions of its
// syntax tree. Pure. Where a value would be read again as code the command is refused; where it is not certain, too.

import { type ParsedBash, walkNodes } from '../bash/parse.ts'
import { CommandRewriter } from './command-rewriter.ts'
import type { PlaceholderKind } from './placeholders.ts'
import { findPlaceholders } from './placeholders.ts'
import { applyEdits } from './shell-edits.ts'
import { isPlain } from './shell-quote.ts'
import { argumentValue, type ShellValues } from './shell-values.ts'

export interface PreparedCommand {
  readonly script: string
  readonly parameters: readonly string[]
  readonly decisionTexts: readonly string[]
  readonly refusal?: string
  /** An argument placeholder of the author's stands in it (SPEC R3.6). */
  readonly usesArguments: boolean
  /** Placeholders without a source. */
  readonly unfilled: readonly string[]
  /** A program that is no builtin gets an argument as a word. */
  readonly passesWord: boolean
}

/** Prepares a command for its decision and its run. `parse` is asked only when the command can hold a placeholder. */
export function prepareCommand(source: string, parse: () => ParsedBash, values: ShellValues): PreparedCommand {
  if (!mayUse(source, values)) {
    return { script: source, parameters: [], decisionTexts: [source], usesArguments: false, unfilled: [], passesWord: false }
  }
  const parsed = parse()
  if (parsed.problems.length > 0) return prepareUnreadable(source, parsed, values)
  const rewriter = new CommandRewriter(source, parsed.script, values)
  rewriter.rewrite()
  const script = (rewriter.needsNoGlob ? 'set -f; ' : '') + applyEdits(source, rewriter.edits, 'script')
  const template = applyEdits(source, rewriter.edits, 'template')
  const literal = applyEdits(source, rewriter.edits, 'literal')
  const nul =
    rewriter.usesArguments && values.text.includes('\0') ? 'An argument with a NUL character cannot be given to a command' : undefined
  const refusal = rewriter.refusal ?? nul
  return {
    script,
    parameters: rewriter.usesParameters ? values.words : [],
    decisionTexts: values.given && literal !== template ? [template, literal] : [template],
    ...(refusal === undefined ? {} : { refusal }),
    usesArguments: rewriter.usesArguments,
    unfilled: rewriter.unfilled,
    passesWord: rewriter.passesWord,
  }
}

/** A quick look: without one of these signs a command cannot hold a placeholder. */
function mayUse(source: string, values: ShellValues): boolean {
  if (/ARG|\$[{#!]*[\d@*]|SKILLCELL_|WAVE_|CLAUDE_/.test(source)) return true
  for (const name of values.declaredNames) if (source.includes(name)) return true
  return /\b(?:for|select|shift|set)\b/.test(source) && values.words.length > 0
}

/** bash itself reports what is wrong with such a text; an argument has no safe place in it. */
function prepareUnreadable(source: string, parsed: ParsedBash, values: ShellValues): PreparedCommand {
  const found = findPlaceholders(source, values.declaredNames).filter(({ escaped }) => !escaped)
  const usesArguments = found.some(({ kind }) => isArgument(kind, values)) || /\bARG(?:UMENTS|\d)/.test(source)
  const edits = found.flatMap(({ start, end, kind }) => {
    const value = kind.type === 'fixed' ? argumentValue(kind, values) : undefined
    return value !== undefined && isPlain(value) ? [{ start, end, script: value, template: value, literal: value }] : []
  })
  const script = applyEdits(source, edits, 'script')
  const reason = parsed.problems[0]?.reason ?? 'unknown'
  return {
    script,
    parameters: [],
    decisionTexts: [script],
    ...(usesArguments ? { refusal: `Cannot place the arguments safely: the command holds ${reason}` } : {}),
    usesArguments,
    unfilled: [],
    passesWord: false,
  }
}

function isArgument(kind: PlaceholderKind, { numbering }: ShellValues): boolean {
  if (kind.type === 'digit') return numbering.isArgument(kind.number)
  return kind.type !== 'fixed' && kind.type !== 'file'
}

interface CommandDigits {
  readonly digits: readonly number[]
  /** `$ARGUMENTS` in any form stands in it. */
  readonly usesAll: boolean
}

/** The `$N` of a command that may be placeholders, and whether it uses `$ARGUMENTS`: what numbering.ts asks before values are known. */
export function readDigits(source: string, parse: () => ParsedBash): CommandDigits {
  const shaped = findPlaceholders(source, []).filter(({ escaped }) => !escaped)
  const usesAll = shaped.some(
    ({ kind, end, start }) => kind.type === 'all' || (kind.type === 'index' && source.slice(start, end).includes('ARGUMENTS')),
  )
  const digits: number[] = []
  const candidates = new Map(shaped.flatMap(({ start, kind }) => (kind.type === 'digit' ? [[start, kind.number] as const] : [])))
  if (candidates.size === 0) return { digits, usesAll }
  const parsed = parse()
  if (parsed.problems.length > 0) return { digits: [...candidates.values()], usesAll }
  walkNodes(parsed.script, node => {
    // A function has parameters of its own.
    if (node.type === 'Function' || (node.type === 'Script' && node.source !== undefined)) return false
    if (node.type !== 'SimpleExpansion') return undefined
    const number = candidates.get(node.pos)
    if (number !== undefined) digits.push(number)
    return undefined
  })
  return { digits, usesAll }
}
