// The tool Glob: files by their names.

import { z } from 'zod'
import { oneLine, pathField } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface GlobInput {
  readonly pattern: string
  readonly path?: string | undefined
}

export const globTool: Tool<GlobInput> = {
  name: 'Glob',
  description: [
    'Finds files by a pattern of their path, newest first, at most 100.',
    'Patterns count from the folder: * is anything in one name, ** any folders, ? one character, [ab] one of these, {a,b} either. "**/*.ts" is every TypeScript file, "*.ts" only those in the folder itself.',
    'Hidden and ignored files are found too; .git and node_modules are left out. To look into files use Grep.',
  ].join('\n'),
  input: z.strictObject({
    pattern: z.string().min(1).max(1_000).describe('Such as "src/**/*.{ts,tsx}"'),
    path: pathField('Folder to look in; the workspace unless given').optional(),
  }),
  isReadOnly: true,
  target: ({ path = '.' }) => ({ path }),
  mainParameter: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${pattern} in ${path}`),
}

export interface GlobView {
  readonly paths: readonly string[]
  /** Found and not listed. */
  readonly more: number
  readonly notes: readonly string[]
}

export function renderGlob({ paths, more, notes }: GlobView): string {
  const found = paths.length === 0 ? ['No files found'] : paths
  const rest = more === 0 ? [] : [`${more.toLocaleString('en-US')} more ${more === 1 ? 'file' : 'files'}; use a narrower pattern or path`]
  return [...found, ...[...rest, ...notes].map(note => `[${note}]`)].join('\n')
}
