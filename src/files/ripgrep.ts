// Runs the ripgrep that comes with us over a decided path, as a command like any other: confined, with a time limit. Every value is a
// parameter, never shell text. What it gives is bytes of strangers: records are told apart by NUL, and each path is asked for again.

import { closeSync, constants, lstatSync, openSync, readSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { cutText } from '../cut-text.ts'
import { messageOf } from '../errors.ts'
import { isInside } from '../inside.ts'
import { type DecidedPath, explained, fileChanged, toolFailed } from './decided-path.ts'

/** What is wanted of the broker; its request takes it as it is. */
export interface SearchCommand {
  readonly script: string
  readonly shell: 'bash'
  readonly parameters: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly stderr: 'apart'
  /** Folders that a cell has to show. */
  readonly readable: readonly string[]
}

interface SearchResult {
  readonly reason: 'exited' | 'timed-out' | 'aborted' | 'killed' | 'output-limit'
  readonly exitCode: number
  readonly output: string
  readonly truncated: boolean
  readonly spillPath?: string
  readonly note?: string
}

export interface SearchOptions {
  /** Absolute real path of the workspace. */
  readonly workspace: string
  readonly runCommand: (command: SearchCommand) => Promise<SearchResult>
  /** Whether a rule hides the file: absolute path. */
  readonly mayRead: (path: string) => boolean
  readonly signal?: AbortSignal
  /** Of the program; that of our package unless given. */
  readonly ripgrep?: string
}

interface SearchOutput {
  /** As ripgrep printed it, up to a limit. */
  readonly text: string
  /** Why there may be more, for people. */
  readonly notes: readonly string[]
}

const timeoutMs = 30_000
const maxOutputBytes = 4 * 1024 * 1024
const movedCode = 97
const absentCode = 98
/** Of ripgrep, for any fault. */
const unreadableCode = 2
const maxFaultChars = 1_000

// The folder is entered first and compared with what was decided: from then on it is held by the process, and a link that takes its
// place leads nowhere. ripgrep itself follows no link below it. `head` ends a search that gives more than anybody will read.
const script = `cd -P -- "$1" 2>/dev/null || exit ${absentCode}
[[ $PWD == "$1" ]] || exit ${movedCode}
[[ -z $2 || ( -f ./$2 && ! -L ./$2 ) ]] || exit ${movedCode}
limit=$3
shift 3
"$@" | head -c "$limit"
exit "\${PIPESTATUS[0]}"`

/**
 * @param path a folder, or one file
 * @param words options of ripgrep; those that keep it harmless are put before them
 * @throws {SkillcellError} TOOL_FAILED with what ripgrep says, FILE_CHANGED; the reason of the signal
 */
export async function runRipgrep(
  path: DecidedPath,
  isFolder: boolean,
  words: readonly string[],
  options: SearchOptions,
): Promise<SearchOutput> {
  const { workspace, runCommand, signal } = options
  const what = `search "${path.shown}"`
  checkKind(path, isFolder, what)
  const program = options.ripgrep ?? (await findRipgrep())
  const folder = isFolder ? path.real : dirname(path.real)
  const name = isFolder ? '' : basename(path.real)
  // One file is found by a glob in its folder: a path given by name would be followed, were it a link by now.
  const one = isFolder ? [] : ['--max-depth=1', `--glob=/${literalGlob(name)}`]
  const result = await runCommand({
    script,
    shell: 'bash',
    parameters: [folder, name, String(maxOutputBytes), program, ...safeOptions, ...words, ...one, '--', './'],
    variables: {},
    environment: {},
    cwd: workspace,
    timeoutMs,
    ...(signal && { signal }),
    stderr: 'apart',
    readable: [dirname(program), ...(isInside(folder, workspace) ? [] : [folder])],
  })
  if (signal?.aborted) throw signal.reason
  const text = outputOf(result)
  if (result.exitCode === movedCode) throw fileChanged(what, 'a link lies on the way, so it is not what was decided')
  if (result.exitCode === absentCode) throw toolFailed(what, 'there is no such folder, or it may not be entered')
  const endedEarly = result.reason !== 'exited'
  // ripgrep is told to be silent of files that it may not open, which it calls a fault all the same: the secrets that a cell hides are
  // among them. A fault that it names is another one.
  const fault = !endedEarly && result.exitCode > 1 ? faultIn(text, result.exitCode) : undefined
  if (fault !== undefined && !text.includes('\0')) throw toolFailed(what, fault)
  return {
    text,
    notes: [
      ...(endedEarly ? [`The search was ended before it was through: ${result.note ?? result.reason}; narrow it down`] : []),
      ...(Buffer.byteLength(text) >= maxOutputBytes ? ['Only a part was searched, since it gave too much; narrow it down'] : []),
      ...(fault !== undefined ? ['Some files could not be searched'] : []),
    ],
  }
}

/** Says what stands there; that nothing is put in its place meanwhile is the script's to see. */
function checkKind({ real }: DecidedPath, isFolder: boolean, what: string): void {
  const found = explained(what, () => lstatSync(real, { throwIfNoEntry: false }))
  if (!found) throw toolFailed(what, isFolder ? 'there is no such folder' : 'there is no such file or folder; Glob finds files by name')
  // A link that took its place is told as one, below.
  if (found.isSymbolicLink()) return
  if (isFolder && !found.isDirectory()) throw toolFailed(what, 'it is no folder; give the folder that it lies in, or open it with Read')
  if (!isFolder && !found.isFile()) throw toolFailed(what, 'it is no ordinary file')
}

const safeOptions: readonly string[] = [
  ...['--no-config', '--color=never', '--no-follow', '--no-pre', '--no-ignore-global', '--no-search-zip', '--null', '--hidden'],
]

/** A blank in brackets: at the end of a glob a bare one does not count. */
function literalGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!]/g, '\\$&').replace(/\s/g, '[$&]')
}

/** The message of ripgrep after what it found, without its own name; undefined when it names no fault. */
function faultIn(text: string, exitCode: number): string | undefined {
  const message = text.slice(text.lastIndexOf('\0') + 1).trim()
  const ownName = /^rg: /m.exec(message)
  if (ownName) return cutText(message.slice(ownName.index + ownName[0].length), maxFaultChars)
  if (exitCode === unreadableCode) return undefined
  return message !== '' && !text.includes('\0') ? cutText(message, maxFaultChars) : `ripgrep ended with exit code ${exitCode}`
}

/** All of it: what was too long for a prompt lies in a file of the host. */
function outputOf({ output, truncated, spillPath }: SearchResult): string {
  if (!truncated || spillPath === undefined) return output
  const descriptor = openSync(spillPath, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const bytes = Buffer.allocUnsafe(maxOutputBytes + 64 * 1024)
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, length)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
    // Nobody is told of it.
    unlinkSync(spillPath)
  }
}

let found: Promise<string> | undefined

function findRipgrep(): Promise<string> {
  // Loaded when it is needed: on a system without one everything else still works.
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    cause => {
      throw toolFailed('search', `ripgrep is not installed for this system: ${messageOf(cause)}`, cause)
    },
  )
  return found
}
