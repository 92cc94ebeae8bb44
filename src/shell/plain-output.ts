// Which programs write to the output they were given and never open it again by its name. `echo x >/dev/stderr` in a script cuts what the file
// behind it held, so all others write through pipes of their cell, which costs two small processes. A list; if unsure, pipes.

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
    'tac tail touch tr tree tty uname uptime wc whereis which whoami yes ln chmod true false echo printf test'
  ).split(' '),
)

// They open a name that they are given: plain where all their words can be read.
const openers: ReadonlySet<string> = new Set(['sort', 'uniq', 'cp', 'tee', 'jq', 'xxd'])

// Those that run no hook, alias, pager or filter of a repository on their way to the output.
const plainGit: ReadonlySet<string> = new Set(
  'branch describe log ls-files ls-tree merge-base name-rev remote rev-list rev-parse shortlog show status tag version'.split(' '),
)

const tellsOfItself: ReadonlySet<string> = new Set(['--version', '--help', '-V', '-v', '-h', 'version'])

/** False where a redirection may lead to an output by its name. */
export function isPlainTarget({
  operator,
  target,
}: {
  readonly operator: string
  readonly target?: { readonly value?: unknown } | undefined
}): boolean {
  if (!operator.includes('>') || operator === '>&') return true
  return typeof target?.value === 'string' && (target.value === '/dev/null' || !/[$`]|\/(?:dev|proc)\//.test(target.value))
}

/** False for `/dev/…` and `/proc/…` among its words too: they may name an output. */
export function hasPlainOutput({ name, suffix }: PlainCommand): boolean {
  const words = suffix.filter(({ type }) => type === 'Word').map(({ value }) => value)
  if (typeof name?.value !== 'string' || words.some(word => typeof word !== 'string' || /\/(?:dev|proc)\//.test(word))) return false
  const program = basename(name.value)
  // As the system has it; of its own in the workspace nothing is known.
  if (name.value !== program && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(name.value)) return false
  if (plainPrograms.has(program)) return true
  if (openers.has(program)) return words.every(word => typeof word === 'string' && !/[$`]/.test(word))
  if (words.length === 1 && typeof words[0] === 'string' && tellsOfItself.has(words[0])) return true
  return program === 'git' && typeof words[0] === 'string' && plainGit.has(words[0])
}
