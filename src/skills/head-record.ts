// A head as it is kept on the disk, and back. What most heads say is left out: of 5,000 heads the text is half as long, and reading
// it is what a process with a full cache spends its time on.

import { isDeepStrictEqual } from 'node:util'
import type { Diagnostic } from '../errors.ts'
import type { SkillFields } from './frontmatter-fields.ts'
import type { FileStamp } from './read-file.ts'
import type { HeadOfFile } from './skill-file.ts'

export interface CachedHead {
  readonly path: string
  readonly head: HeadOfFile
  readonly readAtMs: number
  /** Whether `path` is a link itself. */
  readonly isLink: boolean
}

export interface HeadRecord {
  readonly path: string
  /** Unless it is `path`. */
  readonly realPath?: string
  /** Device, inode, size, modifiedMs, changedMs. */
  readonly stamp: readonly [number, number, number, number, number]
  readonly readAtMs: number
  /** Those that are not as usual. */
  readonly fields: Partial<SkillFields>
  readonly hasFrontmatter: boolean
  /** Unless it is that of the fields. */
  readonly description?: string
  readonly diagnostics?: readonly Diagnostic[]
  readonly error?: Diagnostic
}

/** A record that gives the same head back; undefined when JSON has no words for what it says (`.inf`, `-0`). */
export function toRecord({ path, readAtMs, head }: CachedHead): HeadRecord | undefined {
  const { realPath, stamp, fields, hasFrontmatter, description, diagnostics, error } = head
  const record: HeadRecord = {
    path,
    stamp: [stamp.device, stamp.inode, stamp.size, stamp.modifiedMs, stamp.changedMs],
    readAtMs,
    fields: unusualOf(fields),
    hasFrontmatter,
    ...(realPath !== path && { realPath }),
    ...(description !== fields.description && { description }),
    ...(diagnostics.length > 0 && { diagnostics }),
    ...(error !== undefined && { error }),
  }
  const isFree = fields.hooks !== undefined || Object.keys(fields.extra).length > 0
  return isFree && !isDeepStrictEqual(JSON.parse(JSON.stringify(record)), record) ? undefined : record
}

export function fromRecord({ path, realPath, stamp, readAtMs, fields: unusual, ...rest }: HeadRecord): CachedHead {
  const fields = { ...usual, ...unusual }
  const head = {
    fields,
    hasFrontmatter: rest.hasFrontmatter,
    description: rest.description ?? fields.description ?? '',
    diagnostics: rest.diagnostics ?? nothing,
    error: rest.error,
    stamp: stampFrom(stamp),
    realPath: realPath ?? path,
  }
  return { path, readAtMs, isLink: false, head }
}

const nothing: readonly never[] = []

const usual: SkillFields = {
  displayName: undefined,
  description: undefined,
  whenToUse: undefined,
  argumentHint: undefined,
  argumentNames: nothing,
  argumentsBase: undefined,
  context: 'inline',
  agent: undefined,
  model: undefined,
  effort: undefined,
  shell: 'bash',
  allowedRules: nothing,
  disallowedTools: nothing,
  paths: nothing,
  hooks: undefined,
  hooksLine: undefined,
  userInvocable: true,
  modelInvocable: true,
  commandsEnabled: true,
  extra: {},
}

function unusualOf(fields: SkillFields): Partial<SkillFields> {
  const ofUsual = new Map<string, unknown>(Object.entries(usual))
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, ofUsual.get(name))))
}

function stampFrom([device, inode, size, modifiedMs, changedMs]: HeadRecord['stamp']): FileStamp {
  return { device, inode, size, modifiedMs, changedMs }
}
