// Looks at paths that a command may change at any moment: what is not there, or cannot be looked at, is nothing, and never a fault.

import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'

/** Of the path itself, also where it is a link. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Below a file, or a folder that may not be entered.
    return undefined
  }
}

/** None of what is no folder. */
export function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
