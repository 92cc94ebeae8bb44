// Which process is which, for what outlives one: a number alone is used again, and means nothing in another container.
// A process is its number, when it started, and the boot and PID space that the number belongs to.

import { readFileSync, readlinkSync } from 'node:fs'
import { isSystemError } from './errors.ts'

/** When a process started, in clock ticks since boot; undefined when it has ended, '0' where the system does not tell. */
export function processStart(id: number): string | undefined {
  if (fieldsOf('self') === undefined) return isAlive(id) ? '0' : undefined
  const fields = fieldsOf(id)
  // A zombie holds nothing any more.
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

let place: string | undefined

/** Boot and PID space: process numbers from another place cannot be looked up here. */
export function placeOfIds(): string {
  place ??= [
    textOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    textOr('', () => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')),
  ].join('.')
  return place
}

function fieldsOf(id: number | 'self'): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The name stands in brackets and may itself hold brackets and blanks.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}

function textOr(otherwise: string, read: () => string): string {
  try {
    return read()
  } catch {
    return otherwise
  }
}
