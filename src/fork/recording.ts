// Writes the turns of a conversation to a file, one line each, for `script:FILE` to play again (SPEC R8.3). The file is replaced at the
// start; a line is there when its turn is over, so that a run which is killed leaves the turns it had.

import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { messageOf, SkillcellError } from '../errors.ts'

export interface Recording {
  add(line: string): void
  close(): void
}

/** @throws {SkillcellError} USAGE when the file cannot be written */
export function openRecording(path: string): Recording {
  const { O_CREAT, O_WRONLY, O_NONBLOCK } = constants
  let descriptor: number
  try {
    // What is no file must not be waited for: a FIFO that nobody reads.
    descriptor = openSync(path, O_WRONLY | O_CREAT | O_NONBLOCK, 0o600)
  } catch (cause) {
    throw new SkillcellError('USAGE', `Cannot record to "${path}": ${messageOf(cause)}`, { cause })
  }
  if (!fstatSync(descriptor).isFile()) {
    closeSync(descriptor)
    throw new SkillcellError('USAGE', `Cannot record to "${path}": it is no ordinary file`)
  }
  ftruncateSync(descriptor)
  return {
    add: line => {
      const bytes = Buffer.from(`${line}\n`)
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    },
    close: () => closeSync(descriptor),
  }
}
