// The tool Write: a whole file, made or replaced.

import { z } from 'zod'
import { filePathField, oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface WriteInput {
  readonly file_path: string
  readonly content: string
}

export const writeTool: Tool<WriteInput> = {
  name: 'Write',
  description: [
    'Writes a whole file, and makes the folders that are missing. What stood there is replaced.',
    'A file that exists has to be read in this run first, and may not have changed since. At most 10 MiB, written as UTF-8.',
    'To change a part of a file use Edit.',
  ].join('\n'),
  input: z.strictObject({
    file_path: filePathField('Absolute, or relative to the workspace'),
    content: z.string().describe('The whole new content'),
  }),
  isReadOnly: false,
  target: ({ file_path: path }) => ({ path }),
  mainParameter: ({ file_path }) => oneLine(file_path),
}

export interface WriteView {
  readonly path: string
  readonly action: 'created' | 'overwritten'
  readonly lines: number
  readonly bytes: number
}

export function renderWrite({ path, action, lines, bytes }: WriteView): string {
  const count = `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}, ${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
  return `${action === 'created' ? 'Created' : 'Overwrote'} "${path}" (${count})`
}
