// The file of one cell in which the shell of a command finds its request. Written by us, read by the fork before the command begins, seen by no
// command. Fresh files would do as well: making and removing one costs as much as all other calls before a command.

import { closeSync, openSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { removeName } from './capture.ts'
import { ownName } from './owned-names.ts'

export interface RequestFile {
  readonly name: string
  /** Over what was there before: to cut a file and write it anew makes ext4 write it to the disk at once. */
  write(text: string): void
  /** Removes it. May be called again without harm. */
  close(): void
}

export function openRequestFile(folder: string): RequestFile {
  const path = join(folder, `${ownName()}.request`)
  const descriptor = openSync(path, 'wx', 0o600)
  let closed = false
  return {
    name: basename(path),
    write(text) {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, done)
    },
    close() {
      if (closed) return
      closed = true
      closeSync(descriptor)
      removeName(path)
    },
  }
}
