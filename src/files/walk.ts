// Opens and writes files on a path that was decided, and on no other (SPEC R17.12). The path is walked folder by folder by
// descriptor and no link is followed: one that was put there after the decision ends the walk. Deciding is left to the policy.

import { randomBytes } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  type Stats,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, normalize } from 'node:path'
import { isSystemError, type SkillcellError } from '../errors.ts'
import { type FileState, fileChanged, isSameState, stateOf } from './decided-path.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const byDescriptor = process.platform === 'linux'

/**
 * Opens a file for reading. The descriptor is the caller's to close.
 * @param path absolute real path, as decided
 * @param shown how an error names it
 * @throws {SkillcellError} FILE_CHANGED when a link lies on the way, or it is no ordinary file. System errors come as they are.
 */
export function openDecided(path: string, shown: string = path): number {
  return inFolder(path, { shown }, (folder, name) => {
    // O_NONBLOCK: a FIFO must not hang the host.
    const descriptor = guarded(shown, () => openSync(`${folder}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    const problem = kindProblem(fstatSync(descriptor)) ?? (byDescriptor ? kernelProblem(`/proc/self/fd/${descriptor}`) : undefined)
    if (problem === undefined) return descriptor
    closeSync(descriptor)
    throw changed(shown, problem)
  })
}

interface WriteOptions {
  /** How an error names the path. */
  readonly shown?: string
  /** Makes the folders that are missing. */
  readonly makeFolders?: boolean
  /** What has to stand there still; else FILE_CHANGED. Looked at last of all, right before the rename. */
  readonly expected?: FileState | 'absent'
}

/**
 * Replaces or makes a file: written beside it, synced, renamed over it. A reader sees the old content or the new. Keeps mode and owner,
 * but no bit that lends rights.
 * @param path absolute real path, as decided; its folder exists, or `makeFolders` is set
 * @returns what stands there now
 * @throws {SkillcellError} FILE_CHANGED when a link lies on the way, or something that is no ordinary file stands there
 */
export function writeDecided(path: string, content: string | Uint8Array, options: WriteOptions = {}): FileState {
  const shown = options.shown ?? path
  return inFolder(path, { shown, makeFolders: options.makeFolders ?? false }, (folder, name) => {
    const before = standing(`${folder}/${name}`, shown)
    // A name of its own length: that of the file may already be as long as a name can be.
    const beside = `${folder}/.skillcell-${randomBytes(8).toString('hex')}`
    const descriptor = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before ? 0o600 : 0o666)
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
      if (before) keepAttributes(descriptor, before)
      fsyncSync(descriptor)
      if (options.expected !== undefined) checkExpected(standing(`${folder}/${name}`, shown), options.expected, shown)
      renameSync(beside, `${folder}/${name}`)
      return stateOf(fstatSync(descriptor, { bigint: true }))
    } catch (error) {
      unlinkSync(beside)
      throw error
    } finally {
      closeSync(descriptor)
    }
  })
}

function standing(path: string, shown: string): BigIntStats | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  const problem = found && kindProblem(found)
  if (problem !== undefined) throw changed(shown, problem)
  return found
}

function checkExpected(found: BigIntStats | undefined, expected: FileState | 'absent', shown: string): void {
  const isSame = expected === 'absent' ? found === undefined : found !== undefined && isSameState(stateOf(found), expected)
  if (!isSame) throw fileChanged(`write "${shown}"`, 'it changed at this moment; read it again, then repeat the change')
}

function keepAttributes(descriptor: number, before: BigIntStats): void {
  const own = fstatSync(descriptor, { bigint: true })
  try {
    if (own.uid !== before.uid || own.gid !== before.gid) fchownSync(descriptor, Number(before.uid), Number(before.gid))
  } catch (error) {
    // Only root gives files away.
    if (!isSystemError(error, 'EPERM', 'EINVAL')) throw error
  }
  fchmodSync(descriptor, Number(before.mode & 0o1777n))
}

interface WalkOptions {
  readonly shown: string
  readonly makeFolders?: boolean
}

/** Calls back with a name of the folder that no link can change, and the name in it. */
function inFolder<T>(path: string, { shown, makeFolders = false }: WalkOptions, use: (folder: string, name: string) => T): T {
  if (!isAbsolute(path) || normalize(path) !== path || path.includes('\0') || basename(path) === '')
    throw changed(shown, 'it is not the absolute path of a file that was decided')
  if (!byDescriptor) return inFolderByPath(path, { shown, makeFolders }, use)
  let folder = openSync('/', O_RDONLY | O_DIRECTORY)
  try {
    for (const part of dirname(path)
      .split('/')
      .filter(each => each !== '')) {
      const above = folder
      folder = guarded(shown, () => openFolder(above, part, makeFolders))
      closeSync(above)
    }
    return use(`/proc/self/fd/${folder}`, basename(path))
  } finally {
    closeSync(folder)
  }
}

function openFolder(above: number, name: string, make: boolean): number {
  const path = `/proc/self/fd/${above}/${name}`
  const open = (): number => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return open()
  } catch (error) {
    // In a file system of the kernel a new folder is an act: a control group, for one.
    if (!make || !isSystemError(error, 'ENOENT') || kernelProblem(`/proc/self/fd/${above}`) !== undefined) throw error
  }
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
  return open()
}

// Without descriptors of folders there is a moment between the check and the use; the folder must at least be its own real path.
function inFolderByPath<T>(path: string, { shown, makeFolders }: WalkOptions, use: (folder: string, name: string) => T): T {
  const folder = dirname(path)
  if (makeFolders) mkdirSync(folder, { recursive: true })
  if (realpathSync(folder) !== folder) throw changed(shown, 'a link lies on the way')
  return use(folder, basename(path))
}

function guarded<T>(shown: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (isSystemError(error, 'ELOOP', 'ENOTDIR', 'EMLINK')) throw changed(shown, 'a link or a file lies on the way', error)
    throw error
  }
}

function kindProblem(found: Stats | BigIntStats): string | undefined {
  if (found.isFile()) return undefined
  if (found.isDirectory()) return 'it is a folder, and a file is wanted; Glob lists what is in it'
  if (found.isFIFO()) return 'it is a named pipe, and an ordinary file is wanted'
  if (found.isSymbolicLink()) return 'it is a link now'
  return `it is a ${found.isSocket() ? 'socket' : 'device'}, and an ordinary file is wanted`
}

// Magic numbers of file systems whose files the kernel makes up: /proc of the host itself tells its environment and memory.
// biome-ignore format: proc, sys, cgroup, cgroup2, debug, trace, security, config, bpf, pstore, efivars, nsfs, devpts, mqueue, binfmt_misc, selinux, pipefs, sockfs
const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0xcafe4a11,
  0x6165676c, 0xde5e81e4, 0x6e736673, 0x1cd1, 0x19800202, 0x42494e4d, 0xf97cff8c, 0x50495045, 0x534f434b,
])

function kernelProblem(path: string): string | undefined {
  return kernelFileSystems.has(statfsSync(path).type >>> 0) ? 'it is no file on a disk but one that the kernel makes up' : undefined
}

function changed(shown: string, why: string, cause?: unknown): SkillcellError {
  return fileChanged(`use "${shown}"`, why, cause)
}
