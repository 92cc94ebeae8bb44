// A path that a search printed → the file it is, and how a model should name it. Names are of strangers: they may hold anything but NUL.

import { join, relative } from 'node:path'
import { isInside } from '../inside.ts'
import type { DecidedPath } from './decided-path.ts'

interface FoundPath {
  readonly real: string
  readonly shown: string
}

/** @param printed from the folder, like `./a/b` */
export function foundPath(printed: string, folder: DecidedPath, workspace: string): FoundPath {
  const name = printed.replace(/^\.\//, '')
  const real = join(folder.real, name)
  return { real, shown: visibleName(isInside(real, workspace) ? relative(workspace, real) : join(folder.shown, name)) }
}

/** A newline in a name would look like a second entry. */
function visibleName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name
}
