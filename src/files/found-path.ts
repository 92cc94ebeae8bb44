// A path that a search printed → the file it is, and how a model should name it. Names are of strangers: they may hold anything but NUL.

import { join } from 'node:path'
import type { DecidedPath } from './decided-path.ts'

export interface FoundPath {
  readonly real: string
  readonly shown: string
}

/** @param printed from the folder, like `./a/b` */
export function foundPath(printed: string, folder: DecidedPath, workspace: string): FoundPath {
  const name = printed.replace(/^\.\//, '')
  const real = join(folder.real, name)
  const inWorkspace = real.startsWith(`${workspace}/`)
  return { real, shown: visibleName(inWorkspace ? real.slice(workspace.length + 1) : join(folder.shown, name)) }
}

/** A newline in a name would look like a second entry. */
function visibleName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name
}
