// Where the programs lie that a text names, as a shell would find them: in the folders of the system, which a cell shows as they are and nothing
// in it can change. Looks at the disk.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

const folders: ReadonlySet<string> = new Set(['/usr/local/', '/usr/', '/'].flatMap(start => [`${start}bin`, `${start}sbin`]))

/** Undefined as soon as one is not there, or something else stands before it in `path`. */
export function findSystemPrograms(names: readonly string[], path: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>()
  for (const name of names) {
    const place = isAbsolute(name) ? systemPath(name) : inFolders(name, path)
    if (place === undefined) return undefined
    found.set(name, place)
  }
  return found
}

function systemPath(path: string): string | undefined {
  return folders.has(dirname(path)) && isStartable(path) ? path : undefined
}

function inFolders(name: string, path: string): string | undefined {
  for (const folder of path.split(':')) {
    const place = join(folder, name)
    if (folders.has(folder)) {
      if (isStartable(place)) return place
      // A file that bash would not start makes it go on, or not: let it decide.
      if (isThere(place)) return undefined
    } else if (!isAbsolute(folder) || isThere(place)) return undefined
  }
  return undefined
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A folder that we may not search, which a cell may show or not; a name that is too long.
    return true
  }
}

const startable = new Set<string>()

/** A program or a script that names its own: a text without that would be read by whatever shell tries to start it. */
function isStartable(path: string): boolean {
  if (startable.has(path)) return isThere(path)
  try {
    const status = statSync(path)
    if (!status.isFile() || (status.mode & 0o111) !== 0o111) return false
    const descriptor = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(4)
      const length = readSync(descriptor, bytes)
      const start = bytes.toString('latin1', 0, length)
      if (start !== '\x7fELF' && !start.startsWith('#!/')) return false
    } finally {
      closeSync(descriptor)
    }
    startable.add(path)
    return true
  } catch {
    return false
  }
}
