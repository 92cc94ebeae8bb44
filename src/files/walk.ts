// Opens and writes files on a path that was decided, and on no other (SPEC R17.12). The path is walked folder by folder by
// descriptor and no link is followed: one that was put there after the decision ends the walk. Deciding is left to the policy.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, normalize } from 'node:path'
import { isSystemError, SkillcellError } from '../errors.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const byDescriptor = process.platform === 'linux'

/**
 * Opens a file for reading. The descriptor is the caller's to close.
 * @param path absolute real path, as decided
 * @throws {SkillcellError} FILE_CHANGED when a link lies on the way, or it is no ordinary file
 */
export function openDecided(path: string): number {
  return inFolder(path, (folder, name) => {
    // O_NONBLOCK: a FIFO must not hang the host.
    const descriptor = guarded(path, () => openSync(`${folder}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
    throw changed(path, 'it is no ordinary file')
  })
}

/**
 * Replaces or makes a file: written beside it, synced, renamed over it. A reader sees the old content or the new.
 * @param path absolute real path, as decided; its folder exists
 * @throws {SkillcellError} FILE_CHANGED when a link lies on the way, or something that is no ordinary file stands there
 */
export function writeDecided(path: string, content: string | Uint8Array): void {
  inFolder(path, (folder, name) => {
    const before = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false })
    if (before && !before.isFile()) throw changed(path, 'it is no ordinary file')
    const beside = `${folder}/.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}`
    const descriptor = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before ? 0o600 : 0o666)
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
      if (before) fchmodSync(descriptor, before.mode & 0o7777)
      fsyncSync(descriptor)
      renameSync(beside, `${folder}/${name}`)
    } catch (error) {
      unlinkSync(beside)
      throw error
    } finally {
      closeSync(descriptor)
    }
  })
}

/** Calls back with a name of the folder that no link can change, and the name in it. */
function inFolder<T>(path: string, use: (folder: string, name: string) => T): T {
  if (!isAbsolute(path) || normalize(path) !== path) throw changed(path, 'it is not the absolute path that was decided')
  if (!byDescriptor) return inFolderByPath(path, use)
  let folder = openSync('/', O_RDONLY | O_DIRECTORY)
  try {
    for (const part of dirname(path)
      .split('/')
      .filter(each => each !== '')) {
      const above = folder
      folder = guarded(path, () => openSync(`/proc/self/fd/${above}/${part}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      closeSync(above)
    }
    return use(`/proc/self/fd/${folder}`, basename(path))
  } finally {
    closeSync(folder)
  }
}

// Without descriptors of folders there is a moment between the check and the use; the folder must at least be its own real path.
function inFolderByPath<T>(path: string, use: (folder: string, name: string) => T): T {
  const folder = dirname(path)
  if (realpathSync(folder) !== folder) throw changed(path, 'a link lies on the way')
  return use(folder, basename(path))
}

function guarded<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (isSystemError(error, 'ELOOP', 'ENOTDIR', 'EMLINK')) throw changed(path, 'a link lies on the way', error)
    throw error
  }
}

function changed(path: string, why: string, cause?: unknown): SkillcellError {
  return new SkillcellError('FILE_CHANGED', `Cannot use "${path}": ${why}, so it is not what was decided`, { cause })
}
