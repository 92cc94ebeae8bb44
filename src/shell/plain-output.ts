// Programs of which it is known what they do: they write to the output they were given, open no file for writing, run nothing that others wrote
// and do not look for the shell around them. `echo x >/dev/stderr` in a script cuts what the file behind it held, and any name in a workspace
// may lead there, so all others write through pipes that we read (output-pipes.ts). A list; if unsure, pipes.

import { basename } from 'node:path'

interface KnownCommand {
  readonly name?: { readonly value?: unknown } | undefined
  readonly suffix: readonly { readonly type: string; readonly value?: unknown }[]
}

// No interpreters, no build tools, nothing that starts programs of others or makes files that the next one could be.
const plainPrograms: ReadonlySet<string> = new Set(
  (
    'arch basename cat cksum comm cmp cut date df diff dirname du expand expr fold free getconf grep egrep fgrep head hostname id join jq ls ' +
    'md5sum nl nproc numfmt od paste printenv readlink realpath rev seq sha1sum sha256sum sha512sum sleep stat strings tac tail tr tty uname ' +
    'uptime wc whereis which whoami yes true false echo printf test'
  ).split(' '),
)

/** The same, but for some of their words: each has to match. */
const plainWords: ReadonlyMap<string, RegExp> = new Map([
  ['find', /^(?!-exec|-ok|-delete|-f)/],
  ['sort', /^(?!-)|^-(?:[bdfghinrRsuVz]+|[kt].*)$/],
  ['uniq', /^-[cdiuz]+$/],
])

// Options of git. What shows a change runs a textconv or a filter of the repository, what looks at files its fsmonitor.
const plainGit: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    describe: /^--(?:abbrev=\d+|all|always|contains|exact-match|long|match=.*|tags)$/,
    log: /^-(?:\d+|n\d*|-(?:abbrev-commit|all|color=never|decorate|first-parent|follow|graph|(?:no-)?merges|no-color|no-decorate|oneline|reverse|name-only|name-status|(?:after|author|before|date|format|grep|max-count|pretty|since|until)=.*))$/,
    'ls-tree': /^-/,
    'merge-base': /^-/,
    'name-rev': /^-/,
    'rev-list': /^-/,
    'rev-parse': /^-/,
    shortlog: /^-[ens]+$/,
    version: /^$/,
  }),
)

/** Those that may make something too, which runs hooks and editors: all words, not options alone. */
const listingGit: ReadonlyMap<string, RegExp> = new Map([
  ['branch', /^-(?:[arv]+|-(?:all|list|merged|no-merged|remotes|show-current|verbose|(?:format|sort)=.*))$/],
  ['remote', /^-v$/],
  ['tag', /^-(?:l|n\d*|-(?:list|(?:format|sort)=.*))$/],
])

/** Those that make nothing, whatever their options. */
const readingGit: ReadonlySet<string> = new Set([
  ...['describe', 'diff', 'log', 'ls-files', 'ls-tree', 'merge-base', 'name-rev'],
  ...['rev-list', 'rev-parse', 'shortlog', 'show', 'status', 'version'],
])

/** False where a redirection opens a file for writing. */
export function isPlainTarget({
  operator,
  target,
}: {
  readonly operator: string
  readonly target?: { readonly value?: unknown } | undefined
}): boolean {
  if (!operator.includes('>')) return true
  return typeof target?.value === 'string' && (target.value === '/dev/null' || (operator === '>&' && /^[\d-]+$/.test(target.value)))
}

/** Of a program as the system has it (system-programs.ts). False for `/dev/…` and `/proc/…` among its words too: they may name an output. */
export function hasPlainOutput(command: KnownCommand): boolean {
  const read = programAndWords(command)
  if (read === undefined) return false
  const [program, words] = read
  if (plainPrograms.has(program) || tellsOfItself(words)) return true
  // What is not known could become such an option.
  if (words.some(word => /[$`*?[{]/.test(word))) return false
  const pattern = plainWords.get(program)
  if (pattern !== undefined) return words.every(word => pattern.test(word))
  if (program !== 'git') return false
  const [subcommand = '', ...rest] = words
  const listing = listingGit.get(subcommand)
  if (listing !== undefined) return rest.every(word => listing.test(word))
  const options = plainGit.get(subcommand)
  return options !== undefined && rest.every(word => !word.startsWith('-') || options.test(word))
}

/** Whether it could as well be started without a shell around it. */
export function looksForNoShell(command: KnownCommand): boolean {
  if (hasPlainOutput(command)) return true
  const [program, words] = programAndWords(command) ?? []
  return program === 'git' && readingGit.has(words?.[0] ?? '')
}

function tellsOfItself(words: readonly string[]): boolean {
  return words.length === 1 && (words[0] === '--version' || words[0] === '--help')
}

function programAndWords({ name, suffix }: KnownCommand): readonly [program: string, words: readonly string[]] | undefined {
  if (typeof name?.value !== 'string') return undefined
  const program = basename(name.value)
  // As the system has it; of its own in the workspace nothing is known.
  if (name.value !== program && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(name.value)) return undefined
  const words: string[] = []
  for (const { type, value } of suffix) {
    if (type !== 'Word') continue
    if (typeof value !== 'string' || /\/(?:dev|proc)\//.test(value)) return undefined
    words.push(value)
  }
  return [program, words]
}

/** Builtins that neither open files nor run what others wrote, whatever their words. */
const plainBuiltins: ReadonlySet<string> = new Set(': break cd continue echo exit false pwd shift true'.split(' '))

interface BuiltinCommand {
  readonly name?: { readonly value?: unknown; readonly parts?: unknown } | undefined
  readonly suffix: readonly { readonly type: string; readonly text?: unknown }[]
}

/** Whether it is a builtin of bash that looks for no shell around it. */
export function isKnownBuiltin({ name }: BuiltinCommand): boolean {
  return typeof name?.value === 'string' && name.parts === undefined && (plainBuiltins.has(name.value) || namingBuiltins.has(name.value))
}

// They take names of variables, and bash runs what stands in the subscript of one.
const namingBuiltins: ReadonlyMap<string, (words: readonly string[]) => boolean> = new Map([
  ['read', words => words.every(word => /^(?:-[A-Za-z]+|[a-z_][a-z0-9_]*|'')$/.test(word))],
  ['printf', ([format = '-']) => !/^["']*[-$`]/.test(format)],
  ['test', isPlainTest],
  ['[', isPlainTest],
])

const binaryTests = /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/

function isPlainTest(words: readonly string[]): boolean {
  const [first = '', second = ''] = words
  if (!words.every(word => /^"[^"`]*"$|^[^$`"'\\]*$/.test(word) && !/^"?-[vR]"?$/.test(word))) return false
  return /^(?:-[a-zA-Z]|!)$/.test(first) || binaryTests.test(second)
}

/** Of a known builtin. */
export function hasPlainWords({ name, suffix }: BuiltinCommand): boolean {
  const isPlain = typeof name?.value === 'string' ? namingBuiltins.get(name.value) : undefined
  return isPlain?.(suffix.filter(({ type }) => type === 'Word').map(({ text }) => String(text))) ?? true
}
