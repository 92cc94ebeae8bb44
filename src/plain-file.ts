// Reads a small text file that may have been put there by anybody: a FIFO or a device must not hang or flood the host.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** @throws {Error} a system error, or one that says that it is no ordinary file or too large */
export function readPlainFile(path: string, maxBytes: number, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) throw new Error('it is no ordinary file')
    if (found.size > maxBytes)
      throw new Error(`it has ${found.size.toLocaleString('en-US')} bytes, and at most ${maxBytes.toLocaleString('en-US')} are read`)
    return readFileSync(descriptor, encoding)
  } finally {
    closeSync(descriptor)
  }
}
