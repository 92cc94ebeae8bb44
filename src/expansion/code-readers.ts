// Programs that read a word or their input again as code (SPEC R4.6, R17.7): where argument text may stand in a command, and where not.
// A word that may become an option is not refused here: policy decides it with the value in place (SPEC R17.6).

import { builtinRefusal, isDeclaration } from './builtin-operands.ts'
import { argumentOptions, codeOptions, type ProgramRule, programRules } from './program-rules.ts'
import { peelWrapper, type WrappedCommand } from './wrapper-programs.ts'

export interface CommandWord {
  /** After quote removal; undefined when it is not known. */
  readonly value: string | undefined
  /** The known beginning. */
  readonly start: string
  /** The last part of the path it names, where that is known: `setup.sh` of `"$HOME/bin/setup.sh"`. */
  readonly baseName?: string
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
  const name = first.value === undefined ? first.baseName : first.value.slice(first.value.lastIndexOf('/') + 1)
  if (name === undefined) return 'A program that is not known before the run may not take an argument'
  if (depth > 8) return 'Too many programs that start one another'
  const wrapped = peelWrapper(name, operands)
  if (wrapped) return wrappedRefusal(name, wrapped, stdinTainted, depth)
  if (isDeclaration(name)) return anyTainted ? `\`${name}\` would read an argument as a name` : undefined
  const builtin = builtinRefusal(name, operands)
  if (builtin !== undefined) return builtin === '' ? undefined : builtin
  return programRefusal(name, operands, stdinTainted)
}

const runsItsWords = /^(?:eval|trap|let|alias|ssh|watch|su|runuser|parallel|hyperfine|tmux|screen|script|concurrently|nodemon)$/
const takesCodeText = /^(?:-[A-Za-z0-9]*[cepE]|--(?:eval|print|command|expression|source))$/

/** Whether a program reads the text of this word as code, so that a path put into it would be code too. */
export function isCodeText(words: readonly CommandWord[], index: number): boolean {
  const name = words[0]?.value?.split('/').at(-1) ?? ''
  if (index === 0 || name === '') return false
  const wrapped = peelWrapper(name, words.slice(1))
  if (wrapped) return isCodeText(wrapped.words, index - (words.length - wrapped.words.length))
  if (runsItsWords.test(name)) return true
  const rule = ruleOf(name)
  const before = words[index - 1]?.value ?? ''
  if (rule?.reads === 'script') return takesCodeText.test(before)
  if (rule?.reads !== 'program' || /^(?:-f|--file|--from-file)$/.test(before)) return false
  const only = words.map((word, position) => ({ ...word, value: word.value ?? 'x', tainted: position === index }))
  return programRefusal(name, only.slice(1), false) !== undefined
}

function ruleOf(name: string): ProgramRule | undefined {
  return programRules.get(name) ?? programRules.get(name.replace(/-?\d+(?:\.\d+)*$/, ''))
}

function wrappedRefusal(name: string, wrapped: WrappedCommand, stdinTainted: boolean, depth: number): string | undefined {
  if (wrapped.skipped.some(word => word.tainted)) return `An argument may not stand before the program that \`${name}\` starts`
  const [inner] = wrapped.words
  if (!inner) return undefined
  if (inner.tainted) return `An argument may not name the program that \`${name}\` starts`
  if (name !== 'xargs') return codeRefusal(wrapped.words, stdinTainted, depth + 1)
  // What comes on its input becomes words of the inner command.
  const input: CommandWord = { value: undefined, start: '', tainted: stdinTainted, list: true }
  const marked = wrapped.words.map(word =>
    wrapped.replaced && word.start.includes(wrapped.replaced) ? { ...word, tainted: stdinTainted } : word,
  )
  return codeRefusal([...marked, input], false, depth + 1)
}

function programRefusal(name: string, operands: readonly CommandWord[], stdinTainted: boolean): string | undefined {
  const rule = ruleOf(name)
  if (!rule) return undefined
  const refused = `\`${name}\` would read an argument as code`
  if (rule.reads === 'text') return refused
  if (name === 'find') return findRefusal(operands, stdinTainted)
  if (rule.reads === 'after') {
    const at = operands.findIndex(({ value }) => value !== undefined && rule.words?.test(value))
    return at !== -1 && (stdinTainted || operands.slice(at).some(word => word.tainted)) ? refused : undefined
  }
  return rule.reads === 'script' ? scriptRefusal(rule, operands, stdinTainted, refused) : textRefusal(rule, operands, refused)
}

/** `find … -exec PROGRAM … ;`: the words between are a command. */
function findRefusal(operands: readonly CommandWord[], stdinTainted: boolean): string | undefined {
  let from = -1
  for (const [index, { value }] of operands.entries()) {
    if (value !== undefined && /^-(?:exec|execdir|ok|okdir)$/.test(value)) from = index + 1
    else if (from !== -1 && (value === ';' || (value === '+' && operands[index - 1]?.value === '{}'))) {
      const refusal = codeRefusal(operands.slice(from, index), stdinTainted)
      if (refusal) return refusal
      from = -1
    }
  }
  return from === -1 ? undefined : codeRefusal(operands.slice(from), stdinTainted)
}

/** Shells and interpreters: nothing up to the script may be an argument; what follows it is its data. */
function scriptRefusal(rule: ProgramRule, operands: readonly CommandWord[], stdinTainted: boolean, refused: string): string | undefined {
  for (let index = 0; index < operands.length; index += 1) {
    const word = operands[index]
    const shown = word?.value ?? word?.start ?? ''
    if (!word || word.tainted) return refused
    if (/^[-+]./.test(shown) && shown !== '--') {
      if (codeOptions(rule, shown)) {
        const data = rule.dataAfterCode && !operands[index + 1]?.tainted
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

/** sed, awk, jq: the program text may not hold an argument, and stands before the first one. */
function textRefusal(rule: ProgramRule, operands: readonly CommandWord[], refused: string): string | undefined {
  let program = false
  for (let index = 0; index < operands.length; index += 1) {
    const word = operands[index]
    const shown = word?.value ?? word?.start ?? ''
    if (!word) break
    if (/^-./.test(shown) && shown !== '--') {
      const attached = !/^(?:-.|--[a-z-]+)$/.test(shown)
      if (codeOptions(rule, shown)) {
        if (word.tainted || (!attached && operands[index + 1]?.tainted)) return refused
        program = true
        if (!attached) index += 1
      } else index += argumentOptions(rule, shown)
    } else if (shown !== '--' || word.tainted) {
      if (word.tainted && !program) return refused
      program = true
    }
  }
  return undefined
}
