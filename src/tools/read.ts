// The tool Read: one text file, with numbered lines.

import { z } from 'zod'
import { filePathField, oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface ReadInput {
  readonly file_path: string
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

export const readTool: Tool<ReadInput> = {
  name: 'Read',
  description: [
    'Reads a text file and gives its lines with their numbers.',
    'Gives up to 2,000 lines from the beginning; offset and limit choose others. Lines over 2,000 characters are cut, and one answer holds at most 100,000 characters; it says where to go on.',
    'A file over 10 MiB needs offset or limit. Images, PDF and other binary files cannot be read, folders neither: use Glob for those.',
    'A file has to be read before Write or Edit may change it. In a large file of the workspace find the place with Grep first; the file of a long output is opened by Read alone, with offset and limit.',
  ].join('\n'),
  input: z.strictObject({
    file_path: filePathField('Absolute, or relative to the workspace'),
    offset: z.int().min(0).max(1_000_000_000).optional().describe('Number of the first line, from 1'),
    limit: z.int().min(1).max(100_000).optional().describe('How many lines at most; 2,000 unless given'),
  }),
  isReadOnly: true,
  target: ({ file_path: path }) => ({ path }),
  mainParameter: ({ file_path }) => oneLine(file_path),
}

export interface ReadView {
  readonly lines: readonly string[]
  readonly firstLine: number
  /** Of the whole file; absent where it was not counted. */
  readonly totalLines?: number
  /** Where to go on, when there is more. */
  readonly nextOffset?: number
  readonly notes: readonly string[]
}

/** Lines as `  12→text`, then what the reader should know. */
export function renderRead({ lines, firstLine, totalLines, nextOffset, notes }: ReadView): string {
  if (totalLines === 0) return '(The file is empty)'
  const width = Math.max(4, String(firstLine + lines.length).length)
  const text = lines.map((line, index) => `${String(firstLine + index).padStart(width)}→${line}`)
  const total = totalLines === undefined ? '' : ` of ${totalLines}`
  const more = nextOffset === undefined ? [] : [`${linesText(firstLine, lines.length)}${total}; go on with offset ${nextOffset}`]
  return [...text, ...[...more, ...notes].map(note => `[${note}]`)].join('\n')
}

function linesText(first: number, count: number): string {
  return count === 1 ? `Line ${first}` : `Lines ${first}–${first + count - 1}`
}
