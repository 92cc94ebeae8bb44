// Cuts a tool list into rules. Brackets and quotes hold a rule together; commas and blanks outside of them divide.
// A rule that does not close is told and grants nothing: it never decays to its bare tool (SPEC R2.3).

import { toolAliases } from '../tool-names.ts'

export interface ToolList {
  /** Rules as written, names of other hosts replaced by ours. */
  readonly rules: readonly string[]
  /** Pieces that are no rule. */
  readonly malformed: readonly string[]
}

/** Reads one text that holds any number of rules. */
export function parseToolList(text: string): ToolList {
  const rules: string[] = []
  const malformed: string[] = []
  let at = 0
  if (/^[\w\s,-]*$/.test(text)) {
    // Bare names, as in most lists.
    for (const name of text.split(/[\s,]+/)) {
      const rule = name === '' ? undefined : asRule(name)
      if (rule !== undefined) rules.push(rule)
      else if (name !== '') malformed.push(name)
    }
    return { rules, malformed }
  }
  while (at < text.length) {
    if (isDivider(text[at])) {
      at++
      continue
    }
    const end = endOfRule(text, at)
    if (end === -1) {
      malformed.push(text.slice(at).trim())
      break
    }
    const written = text.slice(at, end)
    const rule = asRule(written)
    if (rule === undefined) malformed.push(written)
    else rules.push(rule)
    at = end
  }
  return { rules, malformed }
}

/** The tool that a rule is about: `Bash` of `Bash(git *)`. */
export function toolOfRule(rule: string): string {
  const end = rule.search(/[(:]/)
  return end === -1 ? rule : rule.slice(0, end)
}

function isDivider(char: string | undefined): boolean {
  return char === ',' || char === ' ' || char === '\t' || char === '\n' || char === '\r'
}

/** Offset behind the rule that begins at `start`; -1 when its brackets do not close. */
function endOfRule(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, start + 1)
    if (end !== -1 && (end + 1 === text.length || isDivider(text[end + 1]))) return end + 1
  }
  let at = start
  while (at < text.length && text[at] !== '(' && !isDivider(text[at])) at++
  // `Bash (git *)` is one rule: cut in two it would grant all of Bash.
  let bracket = at
  while (text[bracket] === ' ' || text[bracket] === '\t') bracket++
  if (text[bracket] !== '(') return at
  const end = endOfBrackets(text, bracket, true)
  // An apostrophe is no quote (`echo don't`): try again without quotes.
  return end === -1 ? endOfBrackets(text, bracket, false) : end
}

function endOfBrackets(text: string, start: number, useQuotes: boolean): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (useQuotes && (char === '"' || char === "'")) {
      at = endOfQuote(text, at)
      if (at === -1) return -1
    } else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return at + 1
  }
  return -1
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++
    else if (text[at] === quote) return at
  }
  return -1
}

function asRule(written: string): string | undefined {
  const quote = written[0]
  const text = quote === '"' || quote === "'" ? (/^(["'])(.*)\1$/s.exec(written)?.[2] ?? written) : written
  const match = /^([A-Za-z_*][^\s,()'"[\]{}]*)[ \t]*(\(.*\))?$/s.exec(text)
  if (match?.[1] === undefined) return undefined
  const name = Object.hasOwn(toolAliases, match[1]) ? (toolAliases[match[1]] ?? match[1]) : match[1]
  return name + (match[2] ?? '')
}
