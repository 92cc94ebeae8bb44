// The tool Edit: an exact piece of text in a file, replaced by another.

import { z } from 'zod'
import { filePathField, oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface EditInput {
  readonly file_path: string
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean | undefined
}

export const editTool: Tool<EditInput> = {
  name: 'Edit',
  description: [
    'Replaces a piece of text in a file. old_string has to stand there exactly as given, white space and indentation too, and only once: give enough lines around it, or set replace_all to replace it everywhere.',
    'Give the text as it is in the file, without the line numbers that Read puts before it. Line endings and encoding of the file stay as they are.',
    'The file has to be read in this run first. With an empty old_string a new file is made. To replace a whole file use Write.',
  ].join('\n'),
  input: z.strictObject({
    file_path: filePathField('Absolute, or relative to the workspace'),
    old_string: z.string().describe('The text to replace; empty only to make a new file'),
    new_string: z.string().describe('The text that takes its place; has to differ'),
    replace_all: z.boolean().optional().describe('Replace every occurrence; false unless given'),
  }),
  isReadOnly: false,
  target: ({ file_path: path }) => ({ path }),
  mainParameter: ({ file_path }) => oneLine(file_path),
}

export interface EditView {
  readonly path: string
  readonly created: boolean
  readonly replacements: number
  /** Lines around the first change, as they are now. */
  readonly snippet: { readonly firstLine: number; readonly lines: readonly string[] }
}

export function renderEdit({ path, created, replacements, snippet: { firstLine, lines } }: EditView): string {
  const what = created ? `Created "${path}"` : `Edited "${path}": ${replacements} ${replacements === 1 ? 'replacement' : 'replacements'}`
  const width = Math.max(4, String(firstLine + lines.length).length)
  return [what, ...lines.map((line, index) => `${String(firstLine + index).padStart(width)}→${line}`)].join('\n')
}
