// The key that seals checkpoints: given, or 32 random bytes in a private file beside the log, made at first use.
// A given key (kept elsewhere) protects from whoever can write the folder; the file only from who cannot read it.

import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSystemError, SkillcellError } from '../errors.ts'

const keyBytes = 32
const keyName = 'key'

/** A key from its 64 hex digits, such as SKILLCELL_AUDIT_KEY holds. The text is never told. @throws {SkillcellError} CONFIG_INVALID. */
export function parseAuditKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  throw new SkillcellError(
    'CONFIG_INVALID',
    `Cannot use the audit key: it has ${text.length} characters, and ${keyBytes * 2} hex digits are wanted`,
  )
}

/** Undefined when there is none. @throws {Error} when the file is no key. */
export function readAuditKey(directory: string): Uint8Array | undefined {
  let key: Buffer
  try {
    key = readFileSync(join(directory, keyName))
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
  if (key.length === keyBytes) return key
  throw new Error(`"${join(directory, keyName)}" has ${key.length} bytes, and a key has ${keyBytes}`)
}

/** Never replaces one that is there, never leaves half of one. The caller holds the lock. */
export function makeAuditKey(directory: string): Uint8Array {
  const key = randomBytes(keyBytes)
  const staged = join(directory, `${keyName}.${randomBytes(8).toString('hex')}`)
  const descriptor = openSync(staged, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    writeFileSync(descriptor, key)
    fsyncSync(descriptor)
    linkSync(staged, join(directory, keyName))
  } finally {
    closeSync(descriptor)
    unlinkSync(staged)
  }
  return key
}
