// A folder that an argument chose: behind `cd "$1"` a program or a script with a relative path is whatever lies there, so the argument
// would choose the code. Programs found by PATH and relative data are fine; policy decides where they may work.

import { type Command, type ParsedScript, parseBash, walkNodes } from '../bash/parse.ts'
import { unwrap } from '../bash/unwrap.ts'
import { baseName, readWord, type ShellWord } from '../bash/words.ts'
import { wrapperForm } from '../bash/wrappers.ts'
import { argumentOptions, codeOptions, programRules } from './program-rules.ts'
import type { Taint } from './shell-taint.ts'

/** Why a script may not run; undefined when nothing relative runs behind a change to a folder that an argument names. */
export function chosenFolderRefusal(script: ParsedScript, taint: Taint): string | undefined {
  let changedAt: number | undefined
  let repeats = false
  const relative: { readonly position: number; readonly text: string }[] = []
  walkNodes(script, node => {
    if (node.type === 'For' || node.type === 'While' || node.type === 'Function' || node.type === 'ArithmeticFor') repeats = true
    if (node.type === 'Assignment' && hasRelativePath(node.text)) repeats = relative.push({ position: node.pos, text: node.text }) > 0
    if (node.type !== 'Command') return undefined
    if (changesFolder(node) && taint.holds(node)) changedAt = Math.min(changedAt ?? node.pos, node.pos)
    const text = relativeProgram(wordsOf(node))
    if (text !== undefined) relative.push({ position: node.pos, text })
    return undefined
  })
  if (changedAt === undefined) return undefined
  const from = repeats ? 0 : changedAt
  const found = relative.find(({ position }) => position > from || repeats)
  return found && `\`${found.text}\` would be run from a folder that an argument chooses; give it an absolute path`
}

function wordsOf({ name, args }: Command): readonly ShellWord[] {
  return [name, ...args].flatMap(word => (word?.type === 'Word' ? [readWord(word)] : []))
}

function changesFolder(node: Command): boolean {
  return wordsOf(node)
    .slice(0, 3)
    .some(({ value }) => value === 'cd' || value === 'pushd')
}

const maxDepth = 8

/** The relative path that a command runs, itself or through what it starts: `./x`, `timeout 5 bin/x`, `bash x.sh`, `. x`. */
function relativeProgram(words: readonly ShellWord[], depth = 0): string | undefined {
  const [first, ...operands] = words
  if (!first) return undefined
  if (depth > maxDepth) return first.text
  const shown = first.value ?? first.text
  if (first.value !== undefined && shown.includes('/') && !shown.startsWith('/') && !first.tilde) return shown
  const name = baseName(first)
  if (name === undefined) return undefined
  const setting = words.find(word => hasRelativePath(word.value ?? word.text))
  if (setting) return setting.text
  if (name === 'source' || name === '.') return isRelative(operands[0]) ? operands[0]?.text : undefined
  const rule = programRules.get(name.replace(/-?\d+(?:\.\d+)*$/, ''))
  if (rule?.reads === 'script') {
    if (wrapperForm(name)?.shell && unwrap(words).length > 0) return startedRelative(words, depth)
    for (let index = 0; index < operands.length; index += 1) {
      const word = operands[index]
      const text = word?.value ?? ''
      if (codeOptions(rule, text) || text === '-m') return undefined
      if (/^[-+]./.test(text)) index += argumentOptions(rule, text)
      else if (!rule.subcommands?.test(text)) return isRelative(word) ? word?.text : undefined
    }
    return undefined
  }
  return startedRelative(words, depth)
}

/** What the words start has it. Code that is not known may. */
function startedRelative(words: readonly ShellWord[], depth: number): string | undefined {
  for (const part of unwrap(words)) {
    if (part.kind === 'command') {
      const found = relativeProgram(part.words, depth + 1)
      if (found !== undefined) return found
    } else {
      const found =
        part.kind === 'code' && part.code !== undefined ? relativeInCode(part.code, depth) : words.map(({ text }) => text).join(' ')
      if (found !== undefined) return found
    }
  }
  return undefined
}

function relativeInCode(code: string, depth: number): string | undefined {
  const { script, problems } = parseBash(code)
  if (problems.length > 0) return code
  let found: string | undefined
  walkNodes(script, node => {
    if (node.type === 'Assignment' && hasRelativePath(node.text)) found ??= node.text
    if (node.type === 'Command') found ??= relativeProgram(wordsOf(node), depth + 1)
    return undefined
  })
  return found
}

/** Whether a text sets where programs and their code are found to a place that counts from the folder. */
function hasRelativePath(text: string): boolean {
  const value = /^(?:PATH|BASH_ENV|ENV|LD_\w+|DYLD_\w+)\+?=(.*)$/s.exec(text)?.[1]
  if (value === undefined) return false
  return value
    .replace(/["'\\]/g, '')
    .split(/[:\s]/)
    .some(part => !/^[/$~]/.test(part))
}

function isRelative(word: ShellWord | undefined): boolean {
  return word?.value !== undefined && word.value !== '' && word.value !== '-' && !word.value.startsWith('/') && !word.tilde
}
