// Programs that read a word or their input again as code (SPEC R4.6, R17.7): where argument text may stand in a command, and where not.
// A word that may become an option is not refused here: policy decides it with the value in place (SPEC R17.6).

import { type Unwrapped, unwrap } from '../bash/unwrap.ts'
import { isReservedName } from '../bash/variable-names.ts'
import { knownStart, literalWord, type ShellWord } from '../bash/words.ts'
import { wrapperForm } from '../bash/wrappers.ts'
import { builtinRefusal, isDeclaration } from './builtin-operands.ts'
import { argumentOptions, codeOptions, type ProgramRule, programRules } from './program-rules.ts'
import { subCommandRefusal } from './sub-command-place.ts'
import { lastPathPart } from './word-facts.ts'

/** A word with the directories filled in. */
export interface CommandWord extends ShellWord {
  /** Argument text can be in it. */
  readonly tainted: boolean
  /** It may become several words or none. */
  readonly list: boolean
}

/** Says why a command may not take argument text where it stands; undefined when it may. `stdinTainted`: argument text comes on its input. */
export function codeRefusal(words: readonly CommandWord[], stdinTainted: boolean, depth = 0): string | undefined {
  const [first, ...operands] = words
  if (!first) return undefined
  const anyTainted = operands.some(word => word.tainted)
  if (first.tainted) return 'An argument may not name the program that runs'
  if (!anyTainted && !stdinTainted) return undefined
  const name = lastPathPart(first)
  if (name === undefined) return 'A program that is not known before the run may not take an argument'
  if (depth > 8) return 'Too many programs that start one another'
  if (isDeclaration(name)) return anyTainted ? `\`${name}\` would read an argument as a name` : undefined
  const builtin = builtinRefusal(name, operands)
  if (builtin !== undefined) return builtin === '' ? undefined : builtin
  const rule = ruleOf(name)
  return (
    (anyTainted ? subCommandRefusal(name, operands) : undefined) ??
    (rule && programRefusal(name, rule, operands, stdinTainted)) ??
    startedRefusal(name, operands, stdinTainted, depth)
  )
}

const runsItsWords = /^(?:eval|trap|let|alias|ssh|watch|su|runuser|parallel|hyperfine|tmux|screen|script|concurrently|nodemon)$/
const takesCodeText = /^(?:-[A-Za-z0-9]*[cepE]|--(?:eval|print|command|expression|source))$/

/** Whether a program reads the text of this word as code, so that a path put into it would be code too. */
export function isCodeText(words: readonly CommandWord[], index: number): boolean {
  const name = words[0]?.value?.split('/').at(-1) ?? ''
  const word = words[index]
  if (index === 0 || name === '' || !word) return false
  if (runsItsWords.test(name)) return true
  const rule = ruleOf(name)
  const before = words[index - 1]?.value ?? ''
  if (rule?.reads === 'script') return takesCodeText.test(before)
  for (const part of unwrap(words)) {
    if (part.kind === 'code' && word.value !== undefined && part.code?.includes(word.value)) return true
    if (part.kind === 'command' && part.words.includes(word)) return isCodeText(part.words.filter(isCommandWord), part.words.indexOf(word))
  }
  if (rule?.reads !== 'program' || /^(?:-f|--file|--from-file)$/.test(before)) return false
  const only = words.map((each, position) => ({ ...each, value: each.value ?? 'x', tainted: position === index }))
  return programRefusal(name, rule, only.slice(1), false) !== undefined
}

function ruleOf(name: string): ProgramRule | undefined {
  return programRules.get(name) ?? programRules.get(name.replace(/-?\d+(?:\.\d+)*$/, ''))
}

/** A program that starts others: the words of each of them are judged as a command, and its own words may not be arguments. */
function startedRefusal(name: string, operands: readonly CommandWord[], stdinTainted: boolean, depth: number): string | undefined {
  // What a shell starts is judged by its rule.
  const form = wrapperForm(name)
  if (form?.shell) return undefined
  const parts = unwrap([literalWord(name), ...operands])
  if (parts.length === 0) return undefined
  const passedOn = new Set(parts.flatMap(part => (part.kind === 'command' ? part.words : [])))
  const ownTainted = operands.some(word => word.tainted && !passedOn.has(word) && !isPlainSetting(word, parts))
  // The other words of find say what to look for.
  if (ownTainted && form?.seeks.size === 0) {
    const startsCommand = parts.some(part => part.kind === 'command')
    return startsCommand
      ? `An argument may not stand before the program that \`${name}\` starts`
      : `\`${name}\` would read an argument as code`
  }
  for (const part of parts) {
    if (part.kind !== 'command') {
      if (ownTainted || stdinTainted) return `\`${name}\` would read an argument as code`
      continue
    }
    const words = part.words.map(word => commandWord(word, part.inputSign, stdinTainted, ownTainted))
    if (words[0]?.tainted) return `An argument may not name the program that \`${name}\` starts`
    // xargs takes the input for itself.
    const refusal = codeRefusal(words, stdinTainted && form?.adds !== true, depth + 1)
    if (refusal) return refusal
  }
  return undefined
}

/** The words that a wrapper makes itself hold its input, or a part of one of its own words. */
function commandWord(word: ShellWord, inputSign: string | undefined, stdinTainted: boolean, ownTainted: boolean): CommandWord {
  if (!isCommandWord(word)) return { ...word, tainted: stdinTainted || ownTainted, list: true }
  return inputSign !== undefined && knownStart(word).includes(inputSign) ? { ...word, tainted: word.tainted || stdinTainted } : word
}

function isCommandWord(word: ShellWord): word is CommandWord {
  return 'tainted' in word
}

/** `env NAME=value`, where the name means nothing to the shell or to programs. */
function isPlainSetting(word: CommandWord, parts: readonly Unwrapped[]): boolean {
  const start = knownStart(word)
  const name = start.slice(0, start.indexOf('='))
  const sets = parts.some(part => part.kind === 'command' && part.assignments?.some(assignment => assignment.name === name))
  return sets && !word.list && !isReservedName(name)
}

function programRefusal(name: string, rule: ProgramRule, operands: readonly CommandWord[], stdinTainted: boolean): string | undefined {
  const refused = `\`${name}\` would read an argument as code`
  if (rule.reads === 'text') return refused
  if (rule.reads === 'after') {
    const at = operands.findIndex(({ value }) => value !== undefined && rule.words?.test(value))
    return at !== -1 && (stdinTainted || operands.slice(at).some(word => word.tainted)) ? refused : undefined
  }
  if (rule.reads === 'options') {
    const at = (index: number): CommandWord | undefined => operands[index]
    const takes = operands.some(
      (word, index) => codeOptions(rule, word.value ?? knownStart(word)) && (word.tainted || at(index + 1)?.tainted),
    )
    return takes ? refused : undefined
  }
  return rule.reads === 'script' ? scriptRefusal(rule, operands, stdinTainted, refused) : textRefusal(rule, operands, stdinTainted, refused)
}

/** Shells and interpreters: nothing up to the script may be an argument; what follows it is its data. */
function scriptRefusal(rule: ProgramRule, operands: readonly CommandWord[], stdinTainted: boolean, refused: string): string | undefined {
  for (let index = 0; index < operands.length; index += 1) {
    const word = operands[index]
    const shown = word ? (word.value ?? knownStart(word)) : ''
    if (!word || word.tainted) return refused
    if (/^[-+]./.test(shown) && shown !== '--') {
      if (codeOptions(rule, shown)) {
        const data = rule.dataAfterCode && !operands[index + 1]?.tainted && !rule.reaches?.(operands[index + 1]?.value ?? shown)
        return !data && operands.some(each => each.tainted) ? refused : undefined
      }
      // A module is a script with a name.
      if (rule.dataAfterCode && shown === '-m')
        return operands[index + 1]?.tainted || /^(?:timeit|pdb|code|cProfile|trace)$/.test(operands[index + 1]?.value ?? '')
          ? refused
          : undefined
      index += argumentOptions(rule, shown)
    } else if (shown !== '--' && shown !== '-' && !rule.subcommands?.test(shown)) return undefined
  }
  return stdinTainted ? refused : undefined
}

/** sed, awk, jq: the program text may not hold an argument, and stands before the first one. One that can run things gets no argument. */
function textRefusal(rule: ProgramRule, operands: readonly CommandWord[], stdinTainted: boolean, refused: string): string | undefined {
  let program = false
  let reaches = false
  for (let index = 0; index < operands.length; index += 1) {
    const word = operands[index]
    const shown = word ? (word.value ?? knownStart(word)) : ''
    if (!word) break
    if (/^-./.test(shown) && shown !== '--') {
      const attached = !/^(?:-[A-Za-z]*[a-zA-Z]|--[a-z-]+)$/.test(shown)
      if (codeOptions(rule, shown)) {
        if (word.tainted || (!attached && operands[index + 1]?.tainted)) return refused
        program = true
        reaches ||= rule.reaches?.((attached ? shown : operands[index + 1]?.value) ?? '') ?? false
        if (!attached) index += 1
      } else index += argumentOptions(rule, shown)
    } else if (shown !== '--' || word.tainted) {
      if (word.tainted && !program) return refused
      if (!program) reaches = rule.reaches?.(word.value ?? '') ?? false
      program = true
    }
  }
  return reaches && (stdinTainted || operands.some(word => word.tainted)) ? refused : undefined
}
