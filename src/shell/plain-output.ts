// Which programs write to the output they were given and open no file for writing. `echo x >/dev/stderr` in a script cuts what the file behind it
// held, and any name in a workspace may lead there, so all others write through pipes that we read (output-pipes.ts). A list; if unsure, pipes.

import { basename } from 'node:path'

interface PlainCommand {
  readonly name?: { readonly value?: unknown } | undefined
  readonly suffix: readonly { readonly type: string; readonly value?: unknown }[]
}

// No interpreters, no build tools, nothing that starts programs of others.
const plainPrograms: ReadonlySet<string> = new Set(
  (
    'arch basename cat cksum comm cmp cut date df diff dirname du expand expr file fold free getconf grep egrep fgrep head hostname id join ls ' +
    'md5sum mkdir mktemp mv nl nproc numfmt od paste printenv readlink realpath rm rmdir seq sha1sum sha256sum sha512sum sleep stat strings ' +
    'tac tail touch tr tty uname uptime wc whereis which whoami yes ln chmod true false echo printf test'
  ).split(' '),
)

// Those that run no hook, alias, pager or filter of a repository on their way to the output.
const plainGit: ReadonlySet<string> = new Set(
  'branch describe log ls-files ls-tree merge-base name-rev remote rev-list rev-parse shortlog show status tag version'.split(' '),
)

const tellsOfItself: ReadonlySet<string> = new Set(['--version', '--help', '-V', '-v', '-h', 'version'])

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

/** False for `/dev/…` and `/proc/…` among its words too: they may name an output. */
export function hasPlainOutput({ name, suffix }: PlainCommand): boolean {
  const words = suffix.filter(({ type }) => type === 'Word').map(({ value }) => value)
  if (typeof name?.value !== 'string' || words.some(word => typeof word !== 'string' || /\/(?:dev|proc)\//.test(word))) return false
  const program = basename(name.value)
  // As the system has it; of its own in the workspace nothing is known.
  if (name.value !== program && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(name.value)) return false
  if (plainPrograms.has(program)) return true
  if (words.length === 1 && typeof words[0] === 'string' && tellsOfItself.has(words[0])) return true
  if (program !== 'git' || typeof words[0] !== 'string' || !plainGit.has(words[0])) return false
  // `--output=F`, also as what a pattern or a variable becomes.
  return words.every(word => typeof word === 'string' && !/^--o(?!neline$)|[$`*?[{]/.test(word))
}
