// One file of the head cache: its first line says what it belongs to and holds a sum over the rest, so that whoever reads it
// need not look at every field. Safe to delete, and ignored when in any doubt (SPEC R16.1).

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isSystemError } from '../errors.ts'
import { isInside } from '../inside.ts'
import { packageRoot } from '../package-root.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** `subject` is what the answer hangs on besides files: a file that was written for another subject is not read. */
export interface CacheFile {
  /** What write() was given last, as JSON gives it back; undefined when there is none that can be trusted. */
  read(subject: unknown): unknown
  write(subject: unknown, value: unknown): void
}

export interface CacheFileOptions {
  readonly folder: string
  readonly kind: 'heads' | 'list'
  /** Another list has another file. */
  readonly roots: readonly string[]
  /** Commands may write here: a cache inside of it is not used. */
  readonly workspace: string
}

// Raise it when what is kept has another shape or another meaning.
const format = 2

/** Some disks count changes in steps of two seconds: a file as fresh as that may change again under one stamp. */
export const coarseTickMs = 2_000

export function openCacheFile({ folder, kind, roots, workspace }: CacheFileOptions): CacheFile | undefined {
  if (isIn(folder, workspace)) return undefined
  const name = `${kind}-${sha256(JSON.stringify(roots)).slice(0, 32)}.json`
  const titleOf = (subject: unknown, body: string | Buffer): string =>
    `${JSON.stringify([format, versionOfPackage(), subject, sha256(body)])}\n`
  return {
    read: subject => {
      const bytes = readPrivateFile(folder, name)
      if (bytes === undefined) return undefined
      const start = bytes.indexOf(0x0a) + 1
      const body = bytes.subarray(start)
      if (bytes.toString('latin1', 0, start) !== asciiOf(titleOf(subject, body))) return undefined
      return parse(body.toString('latin1'))
    },
    write: (subject, value) => {
      const body = asciiOf(JSON.stringify(value))
      writePrivateFile(folder, name, asciiOf(titleOf(subject, body)) + body)
    },
  }
}

/** The same JSON without a character that takes more than one byte: that reads several times as fast. */
function asciiOf(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isIn(folder: string, workspace: string): boolean {
  try {
    return isInside(realPathToBe(folder), realpathSync.native(workspace))
  } catch {
    return true
  }
}

/** The real path of a folder that may have to be made first. */
function realPathToBe(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(path) === path) throw error
    return join(realPathToBe(dirname(path)), basename(path))
  }
}

function versionOfPackage(): string {
  return sha256(readFileSync(join(packageRoot, 'package.json')))
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
