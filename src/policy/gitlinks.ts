// The repositories inside a repository: those that its index knows (submodules, embedded ones) and those kept below its `modules`.
// `git status` and `git diff` start git in each of them. What cannot be read for certain is said to be so; nothing is guessed.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from '../errors.ts'
import { readPlainFile } from '../plain-file.ts'

const maxIndexBytes = 64 * 1024 * 1024
const maxFolders = 500

export const unclear: unique symbol = Symbol('unclear')

// Every entry holds its mode in four bytes. The others of these are a file of that very size, or chance.
const gitlinkMode = '\0\0\xe0\0'
const sparseFolders = 'sdir\0\0\0\0'

/** Paths of the gitlinks in an index, from the root of the work tree. */
export function gitlinksOf(git: string): readonly string[] | typeof unclear {
  try {
    const index = readIfPresent(join(git, 'index'))
    // Entries that are shared stand in a file beside it.
    const shared = namesIn(git).filter(name => name.startsWith('sharedindex.'))
    if (shared.some(name => readIfPresent(join(git, name)).includes(gitlinkMode))) return unclear
    if (index.includes(sparseFolders)) return unclear
    if (!index.includes(gitlinkMode)) return []
    return shared.length > 0 ? unclear : readEntries(index)
  } catch {
    return unclear
  }
}

const headerBytes = 12
const modeAt = 24
const hashAt = 40
const hashBytes = 20

/** The entries of versions 2 and 3 with SHA-1 hashes; any other is not read. */
function readEntries(index: string): readonly string[] | typeof unclear {
  const number = (at: number, bytes: number): number =>
    [...index.slice(at, at + bytes)].reduce((sum, sign) => sum * 256 + sign.charCodeAt(0), 0)
  const version = number(4, 4)
  if (!index.startsWith('DIRC') || (version !== 2 && version !== 3)) return unclear
  const found: string[] = []
  let at = headerBytes
  for (let left = number(8, 4); left > 0; left -= 1) {
    const flags = number(at + hashAt + hashBytes, 2)
    const nameAt = at + hashAt + hashBytes + ((flags & 0x4000) === 0 ? 2 : 4)
    const end = index.indexOf('\0', nameAt)
    const nameBytes = end - nameAt
    // A hash of another length shows here: the length is written down, too.
    if (end < 0 || nameBytes < 1 || Math.min(nameBytes, 0xfff) !== (flags & 0xfff)) return unclear
    if (index.startsWith(gitlinkMode, at + modeAt)) found.push(Buffer.from(index.slice(nameAt, end), 'latin1').toString('utf8'))
    at += Math.ceil((end + 1 - at) / 8) * 8
  }
  return found
}

/** The folders of repositories below `modules`, those in them included. */
export function modulesOf(git: string): readonly string[] | typeof unclear {
  const found: string[] = []
  const folders = [join(git, 'modules')]
  let left = maxFolders
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    left -= 1
    if (left < 0) return unclear
    const isRepository = statSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
    if (isRepository) {
      found.push(folder)
      folders.push(join(folder, 'modules'))
      continue
    }
    for (const name of namesIn(folder))
      if (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()) folders.push(join(folder, name))
  }
  return found
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function readIfPresent(path: string): string {
  try {
    return readPlainFile(path, maxIndexBytes, 'latin1')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return ''
    throw error
  }
}
