// Files in a folder of the user's own that nobody else can write. Reading trusts only what belongs to this user and is closed to
// all others; writing replaces a file in one step, so that a reader sees the old one or the new one. Neither ever throws:
// without the file the work is slower and the same.

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../private-folder.ts'

const maxBytes = 64 * 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000
// A file that nobody has replaced for so long belongs to a workspace that is gone; a half-written one to a process that is.
const keptMs = 30 * dayMs
const halfWrittenMs = dayMs

/** The bytes of a file; undefined when it is not there, too large, or anybody else may have written it. */
export function readPrivateFile(folder: string, name: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    const ofFolder = lstatSync(folder)
    if (!ofFolder.isDirectory() || !isOwn(ofFolder) || !isClosed(ofFolder)) return undefined
    descriptor = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    return stats.isFile() && isOwn(stats) && isClosed(stats) && stats.size <= maxBytes ? readFileSync(descriptor) : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Writes a file of mode 0600 in one step, in a folder of mode 0700, and removes what is old there. */
export function writePrivateFile(folder: string, name: string, content: string): void {
  // Its own name for each writer: two at once do not mix, and the last one stays.
  const beside = join(folder, `${name}.${process.pid}.${randomBytes(8).toString('hex')}.part`)
  try {
    makeFolders(folder)
    const found = lstatSync(folder)
    if (!found.isDirectory() || !isOwn(found)) return
    if (!isClosed(found)) chmodSync(folder, 0o700)
    writeFileSync(beside, content, { flag: 'wx', mode: 0o600 })
    renameSync(beside, join(folder, name))
    sweep(folder)
  } catch {
    remove(beside)
  }
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
    if (age > (name.endsWith('.part') ? halfWrittenMs : keptMs)) remove(path)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Not there, or not ours to remove.
  }
}

function isOwn(stats: Stats): boolean {
  return process.geteuid !== undefined && stats.uid === process.geteuid()
}

function isClosed(stats: Stats): boolean {
  return (stats.mode & 0o077) === 0
}
