// Searches files on a decided path by a regular expression, as ripgrep does; its engine is linear. Files that a rule hides are left out
// before anything is counted or cut. Output is bounded here; how it is shown is left to others.

import type { DecidedPath } from './decided-path.ts'
import { toolFailed } from './decided-path.ts'
import { foundPath } from './found-path.ts'
import { type GrepRecord, parseRecords } from './grep-records.ts'
import { runRipgrep, type SearchOptions } from './ripgrep.ts'

type GrepMode = 'content' | 'files_with_matches' | 'count'

export interface GrepRequest {
  /** A file or a folder. */
  readonly path: DecidedPath
  readonly isFolder: boolean
  readonly pattern: string
  readonly glob?: string | undefined
  readonly type?: string | undefined
  readonly mode: GrepMode
  readonly before: number
  readonly after: number
  readonly ignoreCase: boolean
  readonly lineNumbers: boolean
  readonly multiline: boolean
  /** Entries; 0 for all that fit. */
  readonly headLimit: number
  readonly offset: number
}

interface GrepEntry {
  readonly path: string
  readonly line?: number
  readonly text?: string
  readonly isContext?: boolean
  readonly count?: number
}

export interface FoundLines {
  readonly mode: GrepMode
  readonly entries: readonly GrepEntry[]
  /** Found and not listed. */
  readonly more: number
  readonly notes: readonly string[]
}

const maxChars = 30_000
const maxLineBytes = 500

/** @throws {SkillcellError} TOOL_FAILED with what ripgrep says of the pattern, FILE_CHANGED; the reason of the signal */
export async function grepFiles(request: GrepRequest, options: SearchOptions): Promise<FoundLines> {
  const { path, isFolder, mode, pattern } = request
  if ([pattern, request.glob ?? ''].some(text => text.includes('\0'))) throw toolFailed(`search "${path.shown}"`, 'a pattern holds no NUL')
  const { text, notes } = await runRipgrep(path, isFolder, optionsOf(request), options)
  const folder = isFolder ? path : folderOf(path)
  const places = new Map<string, string | undefined>()
  /** The name to show; undefined when a rule hides the file. */
  const nameOf = (printed: string): string | undefined => {
    if (!places.has(printed)) {
      const { real, shown } = foundPath(printed, folder, options.workspace)
      places.set(printed, options.mayRead(real) ? shown : undefined)
    }
    return places.get(printed)
  }
  const { records, binaryFiles } = parseRecords(text, mode)
  const entries = records.flatMap(record => {
    const name = nameOf(record.path)
    return name === undefined || record.suspects.some(each => nameOf(each) === undefined) ? [] : [entryOf(name, record, request)]
  })
  const binary = binaryFiles.flatMap(file => nameOf(file) ?? [])
  return {
    mode,
    ...within(entries, request),
    notes: [...notes, ...binary.slice(0, 5).map(file => `${file} is a binary file: not all of it was searched`)],
  }
}

function optionsOf({ pattern, glob, type, mode, before, after, ignoreCase, multiline }: GrepRequest): string[] {
  return [
    // A file of one long line must not fill the answer; the rest of a line is replaced by a mark.
    ...(mode === 'content'
      ? [`--max-columns=${maxLineBytes}`, '--max-columns-preview', '--no-heading', '--line-number', '--sort=path']
      : []),
    ...(mode === 'content' ? ['--no-context-separator', '--field-match-separator=:', '--field-context-separator=-'] : []),
    ...(mode === 'content' ? [`--before-context=${before}`, `--after-context=${after}`] : []),
    ...(mode === 'count' ? ['--count', '--sort=path'] : []),
    ...(mode === 'files_with_matches' ? ['--files-with-matches', '--sortr=modified'] : []),
    '--with-filename',
    '--no-messages',
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    // After the glob that was given: the last one that matches wins.
    ...['--glob=!.git', '--glob=!node_modules'],
    ...['-e', pattern],
  ]
}

function folderOf({ real, shown }: DecidedPath): DecidedPath {
  const parent = (path: string, top: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) || top : '')
  return { real: parent(real, '/'), shown: parent(shown, '/') }
}

function entryOf(path: string, { line, text, isContext, count }: GrepRecord, { lineNumbers }: GrepRequest): GrepEntry {
  return {
    path,
    ...(line === undefined || !lineNumbers ? {} : { line }),
    ...(text === undefined ? {} : { text }),
    ...(isContext ? { isContext } : {}),
    ...(count === undefined ? {} : { count }),
  }
}

/** Those that were asked for, as far as they fit. */
function within(all: readonly GrepEntry[], { offset, headLimit }: GrepRequest): Pick<FoundLines, 'entries' | 'more'> {
  const wanted = all.slice(offset, headLimit === 0 ? undefined : offset + headLimit)
  let chars = 0
  const end = wanted.findIndex(({ path, text = '' }) => {
    chars += path.length + text.length + 12
    return chars > maxChars
  })
  const entries = end === -1 ? wanted : wanted.slice(0, end)
  return { entries, more: Math.max(0, all.length - offset - entries.length) }
}
