// What a command starts in turn: the command of a wrapper (env, timeout, xargs, find -exec), the code of a shell or of eval.
// Peels one level; the caller recurses. For deny it guesses where it is not sure, and then says that nothing is transparent. Pure.

import { type GivenOption, hasSplitValue, type ParsedOptions, parseOptions } from './option-spec.ts'
import { unwrapShell } from './shell-invocation.ts'
import { baseName, knownStart, literalWord, type ShellWord, shownWord, unknownWord, wordFrom } from './words.ts'
import { type WrapperForm, wrapperForm } from './wrappers.ts'

export type Unwrapped = { /** Only deny and ask look at it: a rule for the wrapper is enough to allow it. */ readonly denyOnly?: true } & (
  | {
      readonly kind: 'command'
      readonly wrapper: string
      /** S6: the command may be allowed in the wrapper's place. */
      readonly transparent: boolean
      /** No rule is needed for the wrapper where none is needed for the command. */
      readonly pure?: true
      readonly words: readonly ShellWord[]
      readonly assignments?: readonly { readonly name: string; readonly value: ShellWord }[]
      /** The folder that the wrapper changes to. */
      readonly directory?: ShellWord
      /** `xargs -I{}`: what stands for the input in the words. */
      readonly inputSign?: string
    }
  /** Shell code; undefined when it is not a literal. */
  | { readonly kind: 'code'; readonly wrapper: string; readonly code: string | undefined }
  /** A shell that reads its program from stdin. */
  | { readonly kind: 'stdin-code'; readonly wrapper: string }
)

const none: readonly Unwrapped[] = []

/** What one command starts, nothing for most. The wrapper is looked up by its base name. */
export function unwrap(words: readonly ShellWord[]): readonly Unwrapped[] {
  const name = baseName(words[0])
  const form = name === undefined ? undefined : wrapperForm(name)
  if (name === undefined || !form) return none
  if (form.shell) return unwrapShell(words, name)
  const found = unwrapForm(words, 1, form, { wrapper: name, row: name, denyOnly: false })
  // `./timeout` is a program of the workspace: looked into for deny, never taken for the transparent one.
  if (form.transparent && words[0]?.value !== name)
    return found.map(each => (each.kind === 'command' ? { ...each, transparent: false } : each))
  return found
}

interface Place {
  readonly wrapper: string
  /** `git bisect`. */
  readonly row: string
  readonly denyOnly: boolean
}

function unwrapForm(words: readonly ShellWord[], from: number, form: WrapperForm, place: Place): readonly Unwrapped[] {
  const { wrapper } = place
  const denyOnly = place.denyOnly || form.sought
  if (form.seeks.size > 0) return unwrapSought(words, form, wrapper)
  // A sub-command that starts nothing, with no option before it: most uses of git.
  const first = form.subCommands ? words[from]?.value : undefined
  if (first !== undefined && /^\w/.test(first) && !wrapperForm(`${place.row} ${first}`)) return none
  const parsed = parseOptions(words, form.options, { from, stopAtOperand: !form.permutes })
  if (gives(parsed, form.off)) return none
  if (form.needs.size > 0 && !gives(parsed, form.needs)) return none
  if (form.subCommands) {
    const row = `${place.row} ${words[parsed.next]?.value ?? ''}`
    const inner = wrapperForm(row)
    return inner ? unwrapForm(words, parsed.next + 1, inner, { ...place, row, denyOnly }) : none
  }
  const known = parsed.unknown.length === 0 && parsed.open.length === 0 && !hasSplitValue(parsed) && !gives(parsed, form.opaque)
  const state: State = {
    words,
    form,
    wrapper,
    parsed,
    sure: form.transparent && known,
    pure: form.pure && known && words[0]?.value === wrapper,
  }
  // A long option may be abbreviated: `env --split=CODE`.
  const abbreviated =
    parsed.unknown.length > 0 ? parseOptions(words, form.options, { from, stopAtOperand: !form.permutes, lenient: true }) : parsed
  const found = [...optionCode(abbreviated, wrapper), ...rest(state)]
  return denyOnly ? found.map(each => ({ ...each, denyOnly: true as const })) : found
}

interface State {
  readonly words: readonly ShellWord[]
  readonly form: WrapperForm
  readonly wrapper: string
  readonly parsed: ParsedOptions
  /** Transparent, and all its options are known, so that it is known where the command begins. */
  readonly sure: boolean
  /** The same of a pure one. */
  readonly pure: boolean
}

function optionCode({ options }: ParsedOptions, wrapper: string): readonly Unwrapped[] {
  return options.flatMap(({ row, value }) => (row.kind === 'code' && value ? [{ kind: 'code' as const, wrapper, code: value.value }] : []))
}

function rest(state: State): readonly Unwrapped[] {
  const { words, form, wrapper, parsed } = state
  if (form.permutes) {
    const begins = form.skip > 0 || (form.restWith.size > 0 && gives(parsed, form.restWith))
    return begins ? commandAt(state, operandAt(state, form.skip), []) : none
  }
  if (form.behindDashes) {
    const dashes = words.findIndex(({ value }) => value === '--')
    return dashes < 0 ? none : commandAt(state, dashes + 1, [])
  }
  if (form.shellBehindDashes) return shellBehindDashes(words, wrapper)
  let index = parsed.next
  if (form.dash && words[index]?.value === '-') index += 1
  const assignments: { name: string; value: ShellWord }[] = []
  if (form.assignments) index = readAssignments(words, index, assignments)
  if (assignments.length > 0 && words[index]?.value === '--') index += 1
  index += form.skip
  const behind = words[index]
  if (behind?.value !== undefined && form.codeBehind.has(behind.value)) return [{ kind: 'code', wrapper, code: words[index + 1]?.value }]
  if (form.optionsBehind) index = parseOptions(words, form.options, { from: index, stopAtOperand: true }).next
  const end = form.until.size > 0 ? indexOfAny(words, form.until, index) : words.length
  if (index >= end) return form.until.size > 0 ? givenCommands(words, end, parsed, wrapper) : none
  const kind = gives(parsed, form.asCode) ? 'joined' : gives(parsed, form.asCommand) ? 'command' : form.rest
  switch (kind) {
    case 'command':
      return commandAt(state, index, assignments)
    case 'joined':
      return joinedCode(words.slice(index, end), wrapper)
    case 'code':
      // `trap - INT` and `trap INT` take a handler away.
      return words[index]?.value === '-' || words[index]?.value === '' || end - index < 2
        ? none
        : [{ kind: 'code', wrapper, code: words[index]?.value }]
    case 'codes':
      return words.slice(index).map(({ value }) => ({ kind: 'code', wrapper, code: value }))
    case 'values':
      return words.slice(index).flatMap(word => aliasCode(word, wrapper))
    case 'file':
      return [{ kind: 'code', wrapper, code: undefined }]
    case 'nothing':
      return none
  }
}

/** parallel without a command: `::: 'a b' 'c d'` are the commands, or they stand in a file, or in its input. */
function givenCommands(words: readonly ShellWord[], end: number, { options }: ParsedOptions, wrapper: string): readonly Unwrapped[] {
  if (words[end]?.value?.startsWith('::::') || options.some(({ row }) => row.name === '-a' || row.name === '--arg-file'))
    return [{ kind: 'code', wrapper, code: undefined }]
  if (end < words.length) return words.slice(end + 1).map(({ value }) => ({ kind: 'code', wrapper, code: value }))
  return [{ kind: 'stdin-code', wrapper }]
}

/** capsh: behind `--` stand the words of a bash, behind `==` its own once more; with `+` in it a child is started for them. */
function shellBehindDashes(words: readonly ShellWord[], wrapper: string): readonly Unwrapped[] {
  const at = words.findIndex(({ value }) => value === '--' || value === '-+' || value === '==' || value === '=+')
  if (at < 0) return none
  const program = words[at]?.value?.startsWith('-') ? 'bash' : wrapper
  return [{ kind: 'command', wrapper, transparent: false, words: [literalWord(program), ...words.slice(at + 1)] }]
}

function commandAt(state: State, index: number, assignments: readonly { name: string; value: ShellWord }[]): readonly Unwrapped[] {
  const { words, form, wrapper, parsed, sure, pure } = state
  const directory = parsed.options.find(({ row }) => form.directory.has(row.name))?.value
  // Where an option is not known its value may be what was taken for the command: then the next word could be it as well.
  const guesses = Math.max(form.guesses, parsed.unknown.length > 0 || parsed.open.length > 0 ? 3 : 1)
  const inputSign = form.adds ? inputSignOf(parsed) : undefined
  const found: Unwrapped[] = []
  for (let guess = index; guess < words.length && guess < index + guesses; guess++) {
    const inner = form.adds ? added(words.slice(guess), inputSign) : words.slice(guess)
    found.push({
      kind: 'command',
      wrapper,
      transparent: sure,
      ...(pure ? { pure } : {}),
      words: inner,
      ...(assignments.length > 0 ? { assignments } : {}),
      ...(directory ? { directory } : {}),
      ...(inputSign === undefined ? {} : { inputSign }),
    })
  }
  return found
}

function operandAt({ words, parsed }: State, place: number): number {
  const word = parsed.operands[place]?.word
  return word ? words.indexOf(word) : words.length
}

function readAssignments(words: readonly ShellWord[], from: number, assignments: { name: string; value: ShellWord }[]): number {
  let index = from
  for (; index < words.length; index++) {
    const word = words[index]
    const start = word?.value ?? (word?.pieces[0]?.type === 'literal' ? word.pieces[0].value : '')
    const equals = start.indexOf('=')
    if (!word || equals < 1 || start.startsWith('-')) break
    assignments.push({ name: start.slice(0, equals), value: wordFrom(word, equals + 1) })
  }
  return index
}

/** The words that xargs and fd put their input to: at the end, or in place of a sign. */
function added(inner: readonly ShellWord[], sign: string | undefined): readonly ShellWord[] {
  return sign === undefined ? [...inner, unknownWord('{}')] : inner.map((word, index) => replaced(word, sign, index))
}

function inputSignOf({ options }: ParsedOptions): string | undefined {
  const replaces = options.find(({ row }) => replacing.has(row.name))
  return replaces && (replaces.value?.value || '{}')
}

const replacing: ReadonlySet<string> = new Set(['-I', '-i', '--replace', '-J'])

// Within code (`sh -c 'curl {}'`) the sign is left in place, so that deny can still read the rest.
function replaced(word: ShellWord, sign: string, index: number): ShellWord {
  return word.value === sign || (index === 0 && word.value?.includes(sign)) ? unknownWord(word.text) : word
}

/** find -exec … ; and its relatives. The found file stands where `{}` does. */
function unwrapSought(words: readonly ShellWord[], form: WrapperForm, wrapper: string): readonly Unwrapped[] {
  const found: Unwrapped[] = []
  for (let index = 1; index < words.length; index++) {
    const word = words[index]
    // `--exec="$x"` has a known beginning.
    const start = word && (word.value ?? knownStart(word))
    const equals = start?.startsWith('--') ? start.indexOf('=') : -1
    if (!word || !start || (word.value === undefined && equals < 0)) continue
    if (!form.seeks.has(equals < 0 ? start : start.slice(0, equals))) continue
    const end = execEnd(words, index)
    const given = equals < 0 ? words.slice(index + 1, end) : [wordFrom(word, equals + 1), ...words.slice(index + 1, end)]
    const inner = given.map((word, place) => replaced(word, '{}', place))
    const input = form.adds && !given.some(({ value }) => value?.includes('{}')) ? [unknownWord('{}')] : []
    if (inner.length > 0) found.push({ kind: 'command', wrapper, transparent: false, words: [...inner, ...input] })
    index = end
  }
  return found
}

/** The index of the `;`, or of the `+` behind `{}`, that ends an -exec; the number of words if none does. */
export function execEnd(words: readonly ShellWord[], start: number): number {
  for (let index = start + 1; index < words.length; index++) {
    const value = words[index]?.value
    if (value === ';' || (value === '+' && words[index - 1]?.value === '{}')) return index
  }
  return words.length
}

/** Words that the wrapper joins with blanks and gives to a shell. Where one is not known, deny still sees the others. */
function joinedCode(words: readonly ShellWord[], wrapper: string): readonly Unwrapped[] {
  if (words.every(({ value }) => value !== undefined)) return [{ kind: 'code', wrapper, code: words.map(shownWord).join(' ') }]
  const code: Unwrapped = { kind: 'code', wrapper, code: undefined }
  return words.length === 0 ? [code] : [code, { kind: 'command', wrapper, transparent: false, words }]
}

function aliasCode(word: ShellWord, wrapper: string): readonly Unwrapped[] {
  if (word.value === undefined) return [{ kind: 'code', wrapper, code: undefined }]
  const equals = word.value.indexOf('=')
  return equals < 0 ? none : [{ kind: 'code', wrapper, code: word.value.slice(equals + 1) }]
}

function indexOfAny(words: readonly ShellWord[], signs: ReadonlySet<string>, from: number): number {
  for (let index = from; index < words.length; index++) if (signs.has(words[index]?.value ?? '')) return index
  return words.length
}

function gives({ options }: { readonly options: readonly GivenOption[] }, names: ReadonlySet<string>): boolean {
  return names.size > 0 && options.some(({ row }) => names.has(row.name))
}
