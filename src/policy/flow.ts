// What flows from command to command as a text is read: where the shell stands, and what stdin holds.

import type { SimpleCommand } from './command.ts'

/** What a command finds on its stdin: nothing, bytes nobody knows, a known text (here-document, here-string), what another one prints. */
export type Stdin =
  | { readonly kind: 'nothing' | 'unknown' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly of: SimpleCommand }

export const noStdin: Stdin = { kind: 'nothing' }
export const unknownStdin: Stdin = { kind: 'unknown' }

export interface Flow {
  /** Absolute folders; undefined when they cannot be known. */
  readonly directories: readonly string[] | undefined
  readonly stdin: Stdin
}

/** Where the shell may stand after a command that succeeded, and after one that failed. */
export interface Ends {
  readonly success: Flow
  readonly failure: Flow
}

export function same(flow: Flow): Ends {
  return { success: flow, failure: flow }
}

export function join(ends: Ends): Flow {
  return merge(ends.success, ends.failure)
}

// More possible folders than this are as good as unknown.
const maxDirectories = 8

export function merge(a: Flow, b: Flow): Flow {
  if (a.directories === b.directories) return a
  if (!a.directories || !b.directories) return { ...a, directories: undefined }
  const directories = [...new Set([...a.directories, ...b.directories])]
  return { ...a, directories: directories.length > maxDirectories ? undefined : directories }
}
