// What is known of programs that start others: env, timeout, xargs, find -exec, bash -c, docker exec, npx. One table for all who look
// through them: policy (what would run) and expansion (where an argument may stand). A row is compiled at its first use.

import { launchers } from './launchers.ts'
import { compileOptions, type OptionSpec } from './option-spec.ts'
import { systemWrappers } from './system-wrappers.ts'

/** What stands behind the options: a command, words that are joined to code, one or several operands of code, `name=code`, a file of code. */
export type Rest = 'command' | 'joined' | 'code' | 'codes' | 'values' | 'file' | 'nothing'

/** Lists of names and options are separated by blanks. */
export interface WrapperRow {
  /** Its own, in the notation of option-spec.ts; a value of kind code is shell code. */
  readonly options?: string
  /** Operands before the command. */
  readonly skip?: number
  /** Default `command`. */
  readonly rest?: Rest
  /** It may be allowed when its command is. */
  readonly transparent?: true
  /** It only sets the stage: no rule is needed for it where none is needed for its command. */
  readonly pure?: true
  /** Only deny and ask look at the rest; to allow, a rule for the program itself is enough. */
  readonly sought?: true
  /** A shell: its options are read by shell-invocation.ts. */
  readonly shell?: true
  /** `NAME=value` may stand before the command. */
  readonly assignments?: true
  /** A lone `-` is an option. */
  readonly dash?: true
  /** Operands are added to the command. */
  readonly adds?: true
  /** Options may follow operands. */
  readonly permutes?: true
  /** Options may follow the skipped operands. */
  readonly optionsBehind?: true
  /** The command stands behind `--`. */
  readonly behindDashes?: true
  /** What follows `--` are the words of a bash, what follows `==` its own again. */
  readonly shellBehindDashes?: true
  /** The first operand is a sub-command with a row of its own. */
  readonly subCommands?: true
  /** How many words may be the command. */
  readonly guesses?: number
  /** Options that set the working directory. */
  readonly directory?: string
  /** With one of these nothing is run. */
  readonly off?: string
  /** Without one of these nothing is run. */
  readonly needs?: string
  /** With one of these it is not transparent. */
  readonly opaque?: string
  /** With one of these the rest is joined to code. */
  readonly asCode?: string
  /** With one of these the rest is words. */
  readonly asCommand?: string
  /** May follow the skipped operands and take code. */
  readonly codeBehind?: string
  /** Where options may follow operands: with one of these the first operand begins a command. */
  readonly restWith?: string
  /** Operands that end the command. */
  readonly until?: string
  /** Words behind which commands stand. */
  readonly seeks?: string
}

type Flag =
  | 'transparent'
  | 'pure'
  | 'sought'
  | 'shell'
  | 'assignments'
  | 'dash'
  | 'adds'
  | 'permutes'
  | 'optionsBehind'
  | 'behindDashes'
  | 'shellBehindDashes'
  | 'subCommands'
type NameList = 'directory' | 'off' | 'needs' | 'opaque' | 'asCode' | 'asCommand' | 'codeBehind' | 'restWith' | 'until' | 'seeks'

export type WrapperForm = { readonly options: OptionSpec; readonly skip: number; readonly rest: Rest; readonly guesses: number } & Readonly<
  Record<Flag, boolean>
> &
  Readonly<Record<NameList, ReadonlySet<string>>>

const rows: ReadonlyMap<string, WrapperRow> = new Map(
  [...systemWrappers, ...launchers].flatMap(([names, row]) => names.split(',').map((name): [string, WrapperRow] => [name.trim(), row])),
)
const forms = new Map<string, WrapperForm>()

/** The form of a program by its base name, or of a sub-command such as `git bisect`; undefined when it starts nothing. */
export function wrapperForm(name: string): WrapperForm | undefined {
  const known = forms.get(name)
  if (known) return known
  const row = rows.get(name)
  if (!row) return undefined
  const form = compile(row)
  forms.set(name, form)
  return form
}

/** Every name that has a row. */
export function wrapperNames(): Iterable<string> {
  return rows.keys()
}

const noNames: ReadonlySet<string> = new Set()

function namesIn(list: string | undefined): ReadonlySet<string> {
  return list ? new Set(list.split(' ')) : noNames
}

function compile(row: WrapperRow): WrapperForm {
  return {
    options: compileOptions(row.options ?? ''),
    skip: row.skip ?? 0,
    rest: row.rest ?? 'command',
    guesses: row.guesses ?? 1,
    transparent: row.transparent === true,
    pure: row.pure === true,
    sought: row.sought === true,
    shell: row.shell === true,
    assignments: row.assignments === true,
    dash: row.dash === true,
    adds: row.adds === true,
    permutes: row.permutes === true,
    optionsBehind: row.optionsBehind === true,
    behindDashes: row.behindDashes === true,
    shellBehindDashes: row.shellBehindDashes === true,
    subCommands: row.subCommands === true,
    directory: namesIn(row.directory),
    off: namesIn(row.off),
    needs: namesIn(row.needs),
    opaque: namesIn(row.opaque),
    asCode: namesIn(row.asCode),
    asCommand: namesIn(row.asCommand),
    codeBehind: namesIn(row.codeBehind),
    restWith: namesIn(row.restWith),
    until: namesIn(row.until),
    seeks: namesIn(row.seeks),
  }
}
