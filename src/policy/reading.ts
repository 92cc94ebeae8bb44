// Whether a command of the read-only set may run as it stands: its paths lie where reading is free, and the repository that it reads
// names no program.

import { relative } from 'node:path'
import { literalWord, type ShellWord } from '../bash/words.ts'
import { isInside } from '../inside.ts'
import { type FileContext, readProblem } from './file-access.ts'
import { expandGlob } from './glob.ts'
import { absolutePath, resolveDirectory } from './paths.ts'
import type { ReadOnlyAnswer } from './read-only.ts'
import { isSameRepository, repositoryProblem } from './repository.ts'
import type { CommandTables } from './tables.ts'

type Folders = readonly string[] | undefined
type Context = FileContext & { readonly tables: CommandTables }

/** What is wrong with a reading, for people; undefined when it may be done. */
export function readingProblem(found: Extract<ReadOnlyAnswer, { ok: true }>, folders: Folders, context: Context): string | undefined {
  const outside = found.directory && readProblem(found.directory, folders, context)
  if (outside) return outside
  const directories = placeOf(found, folders, context)
  const repository = found.usesRepository ? ofRepository(directories, context) : undefined
  if (repository) return repository
  for (const path of found.paths) {
    if (found.noFolders && namesFolder(path, directories, context)) return `"${path.text}" is a folder, and links in it would be followed`
    const problem = wordProblem(path, directories, context)
    if (problem) return problem
  }
  return undefined
}

/** In words that name the file, where a pattern or a variable stands for it. */
function wordProblem(word: ShellWord, directories: Folders, context: Context): string | undefined {
  const problem = readProblem({ ...word, text: word.value ?? word.text.replaceAll('"', '') }, directories, context)
  if (!problem || word.value !== undefined) return problem
  for (const directory of directories ?? [])
    for (const path of expandGlob(word, directory, context.home, context.looks) ?? []) {
      const name = relative(directory, path)
      if (readProblem(literalWord(path), directories, context)) return `"${name.startsWith('..') ? path : name}" lies outside the workspace`
    }
  return problem
}

/** Where a command works: where the shell stands, or where an option of the command leads. */
export function placeOf(found: ReadOnlyAnswer, folders: Folders, context: FileContext): Folders {
  if (!found.ok || !found.directory || !folders) return folders
  context.onDisk()
  return resolveDirectory(found.directory, folders, context.home, context.looks)
}

// Another repository has a configuration and hooks of its own, and those of this one can name programs.
function ofRepository(directories: Folders, context: Context): string | undefined {
  const { workspace, onDisk } = context
  onDisk()
  if (!directories || directories.length === 0) return 'where git works is not known'
  for (const directory of directories) {
    if (directory !== workspace && (!isInside(directory, workspace) || !isOurs(directory, context)))
      return anotherRepository(directory, context)
    const problem = problemIn(directory, context)
    if (problem) return problem
  }
  return undefined
}

// Many files are read to find out.
const looksOfRepository = 64

function isOurs(directory: string, { workspace, looks }: Context): boolean {
  return looks.once(`same repository ${directory}`, looksOfRepository, false, () => isSameRepository(directory, workspace))
}

function problemIn(directory: string, { tables, looks }: Context): string | undefined {
  return looks.once(`repository ${directory}`, looksOfRepository, 'there is too much to look at', () =>
    repositoryProblem(directory, tables),
  )
}

function anotherRepository(directory: string, context: Context): string {
  const problem = isInside(directory, context.workspace) ? problemIn(directory, context) : undefined
  return `git reads the configuration of another folder there${problem ? `: ${problem}` : ''}`
}

function namesFolder(word: ShellWord, directories: Folders, { home, onDisk, looks }: FileContext): boolean {
  onDisk()
  return (directories ?? []).some(directory => looks.isFolder(absolutePath(word, directory, home)))
}
