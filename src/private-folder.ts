// Folders that hold what nobody else may see or change: arguments, outputs, the audit, saved rules.

import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSystemError } from './errors.ts'

/**
 * Makes a folder of mode 0700, or takes one that is there and mends its mode.
 * @throws {Error} when it is no folder of this user or cannot be made.
 */
export function preparePrivateFolder(path: string): void {
  makeFolders(path)
  const found = lstatSync(path)
  // Somebody else's folder, or a link to one, would show them everything.
  if (!found.isDirectory()) throw new Error('it is no folder')
  if (process.getuid && found.uid !== process.getuid()) throw new Error(`it belongs to user ${found.uid}`)
  if ((found.mode & 0o777) !== 0o700) chmodSync(path, 0o700)
}

/** Folder by folder: where a parent takes no new folder (below /proc), Node's own recursive mkdir never returns. Another process may do the same. */
export function makeFolders(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(path) === path) throw error
    makeFolders(dirname(path))
    makeFolder(path)
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}
