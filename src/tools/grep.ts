// The tool Grep: lines of files by a regular expression.

import { z } from 'zod'
import { oneLine, pathField } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface GrepInput {
  readonly pattern: string
  readonly path?: string | undefined
  readonly glob?: string | undefined
  readonly type?: string | undefined
  readonly output_mode?: 'content' | 'files_with_matches' | 'count' | undefined
  readonly '-A'?: number | undefined
  readonly '-B'?: number | undefined
  readonly '-C'?: number | undefined
  readonly '-i'?: boolean | undefined
  readonly '-n'?: boolean | undefined
  readonly multiline?: boolean | undefined
  readonly head_limit?: number | undefined
  readonly offset?: number | undefined
}

const lineCount = (description: string): z.ZodOptional<z.ZodInt> => z.int().min(0).max(1_000).optional().describe(description)

export const grepTool: Tool<GrepInput> = {
  name: 'Grep',
  description: [
    'Searches the contents of files with ripgrep: the pattern is a Rust regular expression, so literal braces and parentheses need a backslash, and there is no look-around.',
    'Hidden files are searched; those that .gitignore names, .git, node_modules and binary files are not. Lines are cut at 500 bytes, and one answer holds at most 30,000 characters.',
    'To find files by name use Glob. Prefer this to grep or rg in Bash.',
  ].join('\n'),
  input: z.strictObject({
    pattern: z.string().min(1).max(10_000).describe('Regular expression'),
    path: pathField('File or folder to search; the workspace unless given').optional(),
    glob: z.string().min(1).max(1_000).optional().describe('Only files whose path matches, such as "*.{ts,tsx}" or "!*.test.ts"'),
    type: z
      .string()
      .regex(/^[A-Za-z0-9_+-]{1,40}$/)
      .optional()
      .describe('Only files of this type, as ripgrep names them: js, ts, py, rust, go, md, …'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('Lines, names of files (unless given; newest first), or how many lines match in each file'),
    '-A': lineCount('Lines after each match; for content'),
    '-B': lineCount('Lines before each match; for content'),
    '-C': lineCount('Lines before and after each match; for content'),
    '-i': z.boolean().optional().describe('Ignore case'),
    '-n': z.boolean().optional().describe('Line numbers; true unless given, for content'),
    multiline: z.boolean().optional().describe('A match may span lines, and . matches a newline'),
    head_limit: z.int().min(0).max(10_000).optional().describe('How many lines or entries; 250 unless given, 0 for all'),
    offset: z.int().min(0).max(1_000_000).optional().describe('How many lines or entries to skip first'),
  }),
  isReadOnly: true,
  target: ({ path = '.' }) => ({ path }),
  mainParameter: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
}

export interface GrepView {
  readonly mode: 'content' | 'files_with_matches' | 'count'
  readonly entries: readonly {
    readonly path: string
    /** Content: absent where line numbers were not wanted. */
    readonly line?: number
    readonly text?: string
    /** Content: a line of context only. */
    readonly isContext?: boolean
    readonly count?: number
  }[]
  /** Found and not listed. */
  readonly more: number
  readonly notes: readonly string[]
}

export function renderGrep({ mode, entries, more, notes }: GrepView): string {
  const found = entries.length === 0 ? ['No matches found'] : mode === 'content' ? contentLines(entries) : entries.map(entryLine)
  const noun = `${mode === 'content' ? 'line' : 'file'}${more === 1 ? '' : 's'}`
  const rest = more === 0 ? [] : [`${more.toLocaleString('en-US')} more ${noun}; use offset, or a narrower pattern or path`]
  return [...found, ...[...rest, ...notes].map(note => `[${note}]`)].join('\n')
}

function entryLine({ path, count }: GrepView['entries'][number]): string {
  return count === undefined ? path : `${path}:${count}`
}

/** As grep does: `path:12:text`, with `-` for context and `--` where lines are left out between. */
function contentLines(entries: GrepView['entries']): string[] {
  const lines: string[] = []
  const hasContext = entries.some(each => each.isContext)
  for (const [index, { path, line, text = '', isContext }] of entries.entries()) {
    const before = entries[index - 1]
    const follows = before?.path === path && before.line !== undefined && line === before.line + 1
    if (hasContext && before && line !== undefined && !follows) lines.push('--')
    const mark = isContext ? '-' : ':'
    lines.push(`${path}${mark}${line === undefined ? '' : `${line}${mark}`}${text}`)
  }
  return lines
}

/** What an input means, with all that it leaves out. */
export interface GrepWish {
  readonly pattern: string
  readonly glob?: string
  readonly type?: string
  readonly mode: GrepView['mode']
  readonly before: number
  readonly after: number
  readonly ignoreCase: boolean
  readonly lineNumbers: boolean
  readonly multiline: boolean
  readonly headLimit: number
  readonly offset: number
}

export function grepWish(input: GrepInput): GrepWish {
  const around = input['-C'] ?? 0
  return {
    pattern: input.pattern,
    ...(input.glob === undefined ? {} : { glob: input.glob }),
    ...(input.type === undefined ? {} : { type: input.type }),
    mode: input.output_mode ?? 'files_with_matches',
    before: input['-B'] ?? around,
    after: input['-A'] ?? around,
    ignoreCase: input['-i'] ?? false,
    lineNumbers: input['-n'] ?? true,
    multiline: input.multiline ?? false,
    headLimit: input.head_limit ?? 250,
    offset: input.offset ?? 0,
  }
}
