// Opens captures, and the next one ahead while a command runs: making its files is a part of what a short command costs.
// Promises: each is fresh and is given once (SPEC R17.2); one that nobody takes goes soon.

import { fstatSync } from 'node:fs'
import { type Capture, openCapture } from './capture.ts'

export interface Captures {
  take(stderr: Capture['kind']): Capture
  /** Opens one for the next command, if it can be. */
  prepare(stderr: Capture['kind']): void
  close(): void
}

// The next command of a skill comes at once or not at all.
const keptMs = 100

export function createCaptures(folder: string): Captures {
  let spare: Capture | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const drop = () => {
    clearTimeout(timer)
    spare?.close()
    spare = undefined
  }
  return {
    take(stderr) {
      // Somebody may have emptied the folder meanwhile.
      if (spare?.kind !== stderr || spare.descriptors.some(descriptor => fstatSync(descriptor).nlink !== 1))
        return openCapture(folder, stderr)
      clearTimeout(timer)
      const taken = spare
      spare = undefined
      return taken
    },
    prepare(stderr) {
      if (closed) return
      if (spare?.kind !== stderr) drop()
      try {
        spare ??= openCapture(folder, stderr)
      } catch {
        // Whoever needs one will be told.
        return
      }
      clearTimeout(timer)
      timer = setTimeout(drop, keptMs).unref()
    },
    close() {
      closed = true
      drop()
    },
  }
}
