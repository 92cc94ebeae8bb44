// What the writer does to the log file, as functions, so that a full disk and a failing fsync can be tried.

import { fsync, writeSync } from 'node:fs'

export interface AuditDisk {
  /** Gives how many bytes were written; fewer than asked on a disk that is just full. */
  write(descriptor: number, bytes: Uint8Array): number
  /** Resolves when what was written is on the disk. */
  sync(descriptor: number): Promise<void>
}

export const auditDisk: AuditDisk = {
  write: (descriptor, bytes) => writeSync(descriptor, bytes),
  sync: descriptor => new Promise((resolve, reject) => fsync(descriptor, error => (error ? reject(error) : resolve()))),
}
