// The two list fields that are no tool lists: `paths` and `arguments`.

import type { Field } from './field.ts'

/** Cuts at commas outside of braces and brackets: `*.{ts,tsx}, src/**` is two patterns. A pattern may hold blanks. */
export function splitPatterns(text: string): readonly string[] {
  const patterns: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '{' || char === '[' || char === '(') depth++
    else if (char === '}' || char === ']' || char === ')') depth = Math.max(0, depth - 1)
    else if (char === undefined || (char === ',' && depth === 0) || char === '\n') {
      patterns.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  if (start < text.length) patterns.push(text.slice(start).trim())
  return patterns.filter(pattern => pattern !== '')
}

// A command would obey these (SPEC R6.5): a skill must not set them by the name of an argument.
const refusedNames =
  /^(?:PATH|HOME|ENV|IFS|PS4|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|CDPATH|TMPDIR|NODE_OPTIONS|PYTHON.*|PERL.*|RUBY.*|LD_.*|DYLD_.*|BASH_.*|GIT_.*|SSH_.*|SKILLCELL_.*|CLAUDE_.*|WAVE_.*|ARGUMENTS.*|ARG[0-9]+)$/

/** Names of arguments from a text, a list, or a list of maps with a `name`. */
export function parseArgumentNames(field: Field): { readonly names: readonly string[]; readonly refused: readonly string[] } {
  const names: string[] = []
  const refused: string[] = []
  const isList = field.items.length > 0 || field.shape === 'list'
  if (!isList && field.shape === 'map') return { names, refused: ['Write a list of names'] }
  const texts = isList ? field.items.map(item => item.text ?? item.name) : [field.text.replace(/^\[|\]$/g, '')]
  for (const name of texts.flatMap(text => (text === undefined ? [undefined] : text.split(/[\s,]+/).filter(part => part !== '')))) {
    if (name === undefined) refused.push('Name every argument')
    else if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name))
      refused.push(`Cannot use the argument name "${name}": letters, digits, _ and - are allowed`)
    else if (refusedNames.test(name)) refused.push(`Cannot use the argument name "${name}": a program would obey a variable of that name`)
    else if (!names.includes(name)) names.push(name)
  }
  return { names, refused }
}
