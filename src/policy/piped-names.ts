// `find … | xargs cat`: a read-only program that takes the names of files from its input. Allowed only where it is certain what the
// input names: files below folders that may be read. What splits one name into others (blanks, quotes) is looked for on the disk.

import { readdirSync } from 'node:fs'
import { compileOptions, type OptionSpec, parseOptions } from '../bash/option-spec.ts'
import { foundFile, literalWord, type ShellWord } from '../bash/words.ts'
import type { SimpleCommand } from './command.ts'
import { type FileContext, readProblem } from './file-access.ts'
import { absolutePath } from './paths.ts'
import { classifyReadOnly } from './read-only.ts'
import type { CommandTables } from './tables.ts'

const xargsOptions = compileOptions(
  '-0 -r -x -n=number -L=number -P=number -I=text --null --no-run-if-empty --max-args=number --max-procs=number',
)
/** Programs that hand lines on as they are, some of them. */
const lineFilters: ReadonlyMap<string, { readonly options: OptionSpec; readonly operands: number }> = new Map([
  ['sort', { options: compileOptions('-u -r -n -V -f'), operands: 0 }],
  ['uniq', { options: compileOptions(''), operands: 0 }],
  ['head', { options: compileOptions('-NUMBER -n=number'), operands: 0 }],
  ['tail', { options: compileOptions('-NUMBER -n=number'), operands: 0 }],
  ['grep', { options: compileOptions('-v -i -E -F -w -x'), operands: 1 }],
])
const listOptions = compileOptions('-1 -t -r -S -U -v')

const maxEntries = 5_000

/** Why the use of xargs may not be allowed without a rule; undefined when it only reads files that it may. */
export function pipedNamesProblem(command: SimpleCommand, context: FileContext & { readonly tables: CommandTables }): string | undefined {
  const { words, directories } = command
  if (words.some(({ value }) => value === undefined)) return 'its words are not all known'
  const parsed = parseOptions(words, xargsOptions, { stopAtOperand: true })
  const [unknown] = parsed.unknown
  if (unknown) return `"xargs" with the option "${unknown.text}" is not in the read-only set`
  const sign = parsed.options.find(({ row }) => row.name === '-I')?.value?.value
  if (sign !== undefined && sign !== '{}') return '"xargs" has another sign than {}'
  const inner = innerProblem(words.slice(parsed.next), sign !== undefined, directories, context)
  if (inner) return inner
  const nul = parsed.options.some(({ row }) => row.name === '-0' || row.name === '--null')
  return sourceProblem(command, nul, context)
}

function innerProblem(
  words: readonly ShellWord[],
  hasSign: boolean,
  directories: SimpleCommand['directories'],
  context: FileContext & { readonly tables: CommandTables },
): string | undefined {
  if (words.length === 0) return undefined // echo
  const found: ShellWord[] = []
  const made = (): ShellWord => {
    const word = foundFile(!hasSign)
    found.push(word)
    return word
  }
  const filled = hasSign ? words.map(word => (word.value === '{}' ? made() : word)) : [...words, made()]
  if (hasSign && filled.some(({ value }) => value?.includes('{}'))) return 'the name stands inside another word'
  const answer = classifyReadOnly(filled, context.tables)
  if (!answer.ok) return `"xargs" starts more than a reader: ${answer.reason}`
  if (answer.usesRepository) return '"xargs" starts git'
  if (!found.every(word => answer.paths.includes(word))) return 'the names are taken for something else than paths'
  for (const path of answer.paths) {
    const problem = found.includes(path) ? undefined : readProblem(path, directories, context)
    if (problem) return problem
  }
  return undefined
}

/** What keeps the input from being the names of readable files. */
function sourceProblem(
  { stdin }: SimpleCommand,
  nul: boolean,
  context: FileContext & { readonly tables: CommandTables },
): string | undefined {
  if (stdin.kind !== 'output') return 'what its input names is not known'
  const { of: source } = stdin
  const [name, ...rest] = source.words.map(({ value }) => value)
  const isPlain = source.assignments.length === 0 && source.redirections.every(({ target }) => target.value === '/dev/null')
  if (!isPlain || source.directories?.length !== 1) return 'what its input names is not known'
  if (name === 'find') return findProblem(source, rest, nul, context)
  if (nul || source.words.some(({ value }) => value === undefined)) return 'what its input names is not known'
  if (name === 'ls') return listProblem(source, context)
  const filter = name === undefined ? undefined : lineFilters.get(name)
  const parsed = filter && parseOptions(source.words, filter.options)
  if (!parsed || parsed.unknown.length + parsed.open.length > 0 || parsed.operands.length !== filter.operands)
    return 'what its input names is not known'
  return sourceProblem(source, nul, context)
}

const otherOutput: ReadonlySet<string | undefined> = new Set([
  '-o',
  '-or',
  ',',
  '(',
  '-printf',
  '-ls',
  '-exec',
  '-execdir',
  '-ok',
  '-okdir',
])

function findProblem(
  source: SimpleCommand,
  rest: readonly (string | undefined)[],
  nul: boolean,
  context: FileContext & { readonly tables: CommandTables },
): string | undefined {
  const answer = classifyReadOnly(source.words, context.tables)
  if (!answer.ok) return answer.reason
  if (rest.some(word => word === undefined || otherOutput.has(word))) return '"find" prints more than the names of files'
  const type = rest.findIndex((word, index) => word === '-type' && rest[index + 1] === 'f')
  if (type < 0 || rest[type - 1] === '!' || rest[type - 1] === '-not') return '"find" without "-type f" may name links to somewhere else'
  // What stands before it sees links, too.
  if (rest.slice(0, type).some(word => word?.startsWith('-print')))
    return '"find" prints before "-type f", and may name links to somewhere else'
  if (nul !== rest.includes('-print0')) return '"find -print0" and "xargs -0" belong together'
  for (const root of rootsOf(source.words)) {
    const problem = readProblem(root, source.directories, context)
    if (problem) return problem
    const path = absolutePath(root, source.directories?.[0] ?? '', context.home)
    if (path === undefined || root.tilde) return 'what its input names is not known'
    const odd = nul
      ? undefined
      : context.looks.once(`odd ${path}`, looksOfTree, 'there are too many files to look through', () => oddName(path))
    if (odd) return odd
  }
  return undefined
}

/** What stands before the expression; without it find begins where the shell stands. */
function rootsOf(words: readonly ShellWord[]): readonly ShellWord[] {
  let first = 1
  while (/^-(?:P|H|O\d)$/.test(words[first]?.value ?? '')) first += 1
  const end = words.findIndex(({ value }, index) => index >= first && /^(?:-|[!(),]$)/.test(value ?? ''))
  const roots = words.slice(first, end < 0 ? words.length : end)
  return roots.length > 0 ? roots : [literalWord('.')]
}

/** Blanks and quotes make several names of one: `x /etc/passwd` is a file below the folder `x `. */
function isOdd(name: string): boolean {
  return /[\s'"\\\ufffd]/.test(name)
}

// A whole tree is gone through.
const looksOfTree = 256

function oddName(root: string): string | undefined {
  const folders = [root]
  if (isOdd(root)) return `"${root}" would be split by xargs: use "find -print0" and "xargs -0"`
  let left = maxEntries
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      left -= 1
      if (left < 0) return 'there are too many files to look through: use "find -print0" and "xargs -0"'
      if (isOdd(entry.name)) return `the name "${entry.name}" would be split by xargs: use "find -print0" and "xargs -0"`
      if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`)
    }
  }
  return undefined
}

function entriesOf(folder: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // no folder, or not readable: find prints nothing of it
  }
}

/** The names in the folder, each as the program that gets it would read it. */
function listProblem({ words, directories }: SimpleCommand, context: FileContext): string | undefined {
  const parsed = parseOptions(words, listOptions)
  if (parsed.unknown.length > 0 || parsed.operands.length > 0 || parsed.open.length > 0)
    return '"ls" may print more than the names in this folder'
  context.onDisk()
  const entries = entriesOf(directories?.[0] ?? '')
  if (entries.length > maxEntries) return 'there are too many files to look through'
  for (const { name } of entries) {
    if (name.startsWith('.')) continue
    if (name.startsWith('-') || isOdd(name)) return `the name "${name}" would be read as something else`
    const problem = readProblem(literalWord(name), directories, context)
    if (problem) return problem
  }
  return undefined
}
