// The files that a command writes its output to. Opened by us before it starts, private, fresh for each command (SPEC R6.6, R17.2).
// They are read back through the descriptors opened here, never by name; what a command does to name, offset or flags gains it nothing.

import { randomUUID } from 'node:crypto'
import { closeSync, fchmodSync, fstatSync, ftruncateSync, lstatSync, openSync, readSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ownName } from './owned-names.ts'

export interface Capture {
  /** What it was opened for. */
  readonly kind: 'apart' | 'merged'
  /** Beginning of the names of its files. */
  readonly prefix: string
  readonly stdout: number
  readonly stderr: number
  /** Both files, or one when merged. */
  readonly descriptors: readonly number[]
  /** Length, or the size on disk where that is much more: holes count by length, reserved blocks by blocks. */
  bytes(): number
  /** Cuts to so many bytes in all, leaving room for `notice`. */
  cut(maxBytes: number, notice: string): void
  /** Makes one private file of the descriptors' bytes and a last line; gives its path. */
  keep(descriptors: readonly number[], lastLine: string): string
  /** Closes all and removes what is not kept, a moment later: who waits for the output need not wait for that. */
  close(): void
}

export function openCapture(folder: string, stderr: 'apart' | 'merged'): Capture {
  const prefix = join(folder, ownName())
  const files = [openFresh(`${prefix}.output`)]
  if (stderr === 'apart') files.push(openBeside(`${prefix}.errors`, files))
  const descriptors = files.map(file => file.descriptor)
  const [stdout = -1] = descriptors
  let kept: string | undefined
  return {
    kind: stderr,
    prefix,
    stdout,
    stderr: descriptors.at(-1) ?? stdout,
    descriptors,
    bytes() {
      let sum = 0
      for (const descriptor of descriptors) {
        const { size, blocks } = fstatSync(descriptor)
        // File systems reserve some ahead of a growing file, up to its size again; that is not the command's doing.
        sum += blocks * 512 > 2 * size + 1024 * 1024 ? blocks * 512 : size
      }
      return sum
    },
    cut(maxBytes, notice) {
      let room = Math.max(0, maxBytes - Buffer.byteLength(notice))
      for (const descriptor of descriptors) {
        const length = Math.min(fstatSync(descriptor).size, room)
        ftruncateSync(descriptor, length)
        room -= length
      }
    },
    keep(wanted, lastLine) {
      const [first, ...rest] = wanted
      if (first === undefined) throw new Error('Cannot keep an output without files')
      const own = files.find(file => file.descriptor === first)
      // The command may have swapped, linked or removed the file of that name: then its bytes go to a fresh one.
      const target = own !== undefined && stillNames(own.path, first) ? own : openFresh(`${join(folder, randomUUID())}.output`)
      if (target !== own) files.push(target)
      // From here on it does not go with our process.
      kept = target === own ? renamed(own.path, join(folder, `${randomUUID()}.output`)) : target.path
      fchmodSync(target.descriptor, 0o600)
      for (const descriptor of target === own ? rest : wanted) copy(descriptor, target.descriptor)
      writeSync(target.descriptor, lastLine, fstatSync(target.descriptor).size)
      return kept
    },
    close() {
      setImmediate(() => {
        for (const { path, descriptor } of files) {
          closeSync(descriptor)
          if (path !== kept) removeName(path)
        }
      })
    },
  }
}

interface OpenFile {
  readonly path: string
  readonly descriptor: number
}

// Appending, so that what the shell and its children write through their own descriptions does not overwrite each other.
function openFresh(path: string): OpenFile {
  return { path, descriptor: openSync(path, 'ax+', 0o600) }
}

function openBeside(path: string, opened: readonly OpenFile[]): OpenFile {
  try {
    return openFresh(path)
  } catch (error) {
    for (const file of opened) {
      closeSync(file.descriptor)
      removeName(file.path)
    }
    throw error
  }
}

function stillNames(path: string, descriptor: number): boolean {
  const named = lstatSync(path, { throwIfNoEntry: false })
  const opened = fstatSync(descriptor)
  return named?.isFile() === true && named.ino === opened.ino && named.dev === opened.dev && opened.nlink === 1
}

function renamed(from: string, to: string): string {
  renameSync(from, to)
  return to
}

/** Removes a file of ours, or says that there is none. */
export function removeName(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    // The command removed it, or put a folder in its place: that is not ours to empty.
    return false
  }
}

function copy(from: number, to: number): void {
  const chunk = Buffer.allocUnsafe(256 * 1024)
  let end = fstatSync(to).size
  for (let position = 0, length = 0; ; position += length) {
    length = readSync(from, chunk, 0, chunk.length, position)
    if (length === 0) return
    for (let done = 0; done < length; ) done += writeSync(to, chunk, done, length - done, end + done)
    end += length
  }
}
