// Whether an interpreter is given code as text, by an option, a word or its input (policies/command-facts.yaml, section code). No rule
// sees what such code starts. A script file is a program like any other. Pure; generous, as what serves deny is.

import { parseOptions } from '../bash/option-spec.ts'
import { baseName, knownStart, type ShellWord } from '../bash/words.ts'
import type { CodeForm, CommandTables } from './tables.ts'

const inputFiles = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/[^/]+\/fd\/.*)$/

/** The name of the interpreter, for people; undefined when the words give it none. */
export function givenCode(words: readonly ShellWord[], { code }: Pick<CommandTables, 'code'>): string | undefined {
  const name = baseName(words[0])
  const form = name === undefined ? undefined : (code.get(name) ?? code.get(name.replace(/[-.]?\d+(?:\.\d+)*$/, '')))
  return form && takesCode(words, form) ? name : undefined
}

function takesCode(words: readonly ShellWord[], form: CodeForm): boolean {
  let parsed = parseOptions(words, form.options, { stopAtOperand: !form.permutes, lenient: true })
  // An option that is not known may take the next word: then the options go on behind it.
  if (parsed.unknown.length > 0) parsed = parseOptions(words, form.options, { lenient: true })
  let module: string | undefined
  for (const { row, value, word } of parsed.options) {
    if (row.kind === 'code') return true
    if (row.kind === 'path' && value && isInput(value)) return true
    if (!form.ends.has(row.name)) continue
    module = value?.value ?? word.text
    return form.modules.has(module)
  }
  // `-$x` and `"$flags"` may be such an option.
  if (parsed.open.some(word => knownStart(word).startsWith('-') || word.pieces.some(piece => piece.type === 'unknown' && !piece.quoted)))
    return true
  const operands = words.slice(1).filter(word => !knownStart(word).startsWith('-') || word.value === '-')
  // Where an option is not known, the first operand may be its value, or not.
  for (const first of [operands[0], words[parsed.next] ?? parsed.operands[0]?.word])
    if (first && (isInput(first) || (first.value !== undefined && form.words.has(first.value)))) return true
  for (const word of words.slice(1)) {
    const start = knownStart(word).toLowerCase()
    if (form.begins.some(begin => start.startsWith(begin))) return true
    if (form.holds.length > 0 && form.holds.some(part => start.replace(/\s+/g, ' ').includes(part))) return true
  }
  if (parsed.options.some(({ row }) => form.informs.has(row.name))) return false
  return operands.length < form.script
}

/** `python3 -`, `python3 <(echo …)`. */
function isInput({ value, pieces }: ShellWord): boolean {
  if (value !== undefined) return inputFiles.test(value)
  return pieces.some(piece => piece.type === 'unknown' && piece.syntax === 'ProcessSubstitution')
}
