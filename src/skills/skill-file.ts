// One file → what it says. The single reader for the list, an invocation and `validate`: they never see a file differently.

import { createHash } from 'node:crypto'
import { cutText } from '../cut-text.ts'
import { type Diagnostic, SkillcellError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { firstParagraph } from './first-paragraph.ts'
import { parseFrontmatter, wholeBlockError } from './frontmatter.ts'
import { interpretFields, type SkillFields } from './frontmatter-fields.ts'
import { type FileStamp, readText, unreadable } from './read-file.ts'
import { type SplitText, splitFrontmatter } from './split.ts'

export type FileLimits = Pick<Limits, 'maxSkillBytes' | 'maxFrontmatterBytes'>

export const maxDescriptionChars = 1024
const maxDiagnosticsPerFile = 100

export interface SkillHead {
  readonly fields: SkillFields
  readonly hasFrontmatter: boolean
  /** Of the frontmatter, else the first paragraph; may be empty. */
  readonly description: string
  readonly diagnostics: readonly Diagnostic[]
  /** Set when the frontmatter as a whole cannot be used: the file is no skill then (SPEC R2.5). */
  readonly error?: Diagnostic
}

export interface HeadOfFile extends SkillHead {
  readonly stamp: FileStamp
  readonly realPath: string
}

export interface WholeFile extends HeadOfFile {
  readonly body: string
  readonly bodyLine: number
  readonly contentHash: string
}

/**
 * Reads no more of a file than its frontmatter, and the first paragraph when there is no description.
 * @throws {SkillcellError} SKILL_UNREADABLE
 */
export function readHead(path: string, limits: FileLimits, expectedRealPath?: string): HeadOfFile {
  let head: SkillHead | undefined
  const isEnough = (text: string, isComplete: boolean): boolean => {
    const split = splitFrontmatter(text, { complete: isComplete })
    if (split === undefined) {
      // Too long without an end: no need to read the rest of it.
      if (Buffer.byteLength(text) <= limits.maxFrontmatterBytes + 1024) return false
      head = parseHead({ status: 'unclosed', block: text, blockLine: 1, body: '', bodyLine: 1, oddities: [] }, path, limits)
      return true
    }
    const parsed = parseHead(split, path, limits)
    // The first paragraph may go on beyond what was read.
    if (!isComplete && parsed.error === undefined && parsed.fields.description === undefined && split.body.length < 65_536) return false
    head = parsed
    return true
  }
  const file = readText(path, { maxBytes: limits.maxSkillBytes, isEnough, expectedRealPath })
  head ??= parseHead(splitFrontmatter(file.text), path, limits)
  const { fields, hasFrontmatter, description, diagnostics, error } = head
  return { fields, hasFrontmatter, description, diagnostics, error, stamp: file.stamp, realPath: file.realPath }
}

/** Reads all of a file. @throws {SkillcellError} SKILL_UNREADABLE */
export function readWhole(path: string, limits: FileLimits): WholeFile {
  const file = readText(path, { maxBytes: limits.maxSkillBytes })
  const split = splitFrontmatter(file.text)
  return {
    ...parseHead(split, path, limits),
    stamp: file.stamp,
    realPath: file.realPath,
    body: split.body,
    bodyLine: split.bodyLine,
    contentHash: createHash('sha256').update(file.bytes).digest('hex'),
  }
}

/** The same of a text that is no file; `path` is what people know it by. @throws {SkillcellError} SKILL_UNREADABLE */
export function readGiven(text: string, path: string, limits: FileLimits): WholeFile {
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.maxSkillBytes) throw unreadable(path, `it has ${bytes} bytes, and ${limits.maxSkillBytes} are the limit`)
  const split = splitFrontmatter(text)
  const contentHash = createHash('sha256').update(text).digest('hex')
  return {
    ...parseHead(split, path, limits),
    stamp: noStamp,
    realPath: path,
    body: split.body,
    bodyLine: split.bodyLine,
    contentHash,
  }
}

const noStamp: FileStamp = { device: 0, inode: 0, size: 0, modifiedMs: 0, changedMs: 0 }

/** The error of an invocation of a file whose frontmatter cannot be used. */
export function invalidSkill(path: string, { message, line = 1, column = 1 }: Diagnostic): SkillcellError {
  return new SkillcellError('SKILL_INVALID', `${message}\nin ${path}:${line}:${column}`, { details: { path, line, column } })
}

function parseHead(split: SplitText, path: string, limits: FileLimits): SkillHead {
  const place = { block: split.block, firstLine: split.blockLine, path }
  const error = blockError(split, limits)
  const frontmatter = error === undefined ? parseFrontmatter(split.block, split.blockLine, path) : undefined
  const diagnostics: Diagnostic[] = split.oddities.map(({ message, line }) => ({
    code: 'FRONTMATTER_ODD',
    severity: 'warning',
    message,
    path,
    line,
    column: 1,
  }))
  diagnostics.push(...(frontmatter?.diagnostics ?? []))
  const fields = interpretFields(frontmatter?.fields ?? [], place, diagnostics)
  const problem = error === undefined ? frontmatter?.error : wholeBlockError(error, place)
  const rest = diagnostics.length - maxDiagnosticsPerFile
  if (rest > 0) {
    diagnostics.length = maxDiagnosticsPerFile
    diagnostics.push({ code: 'DIAGNOSTICS_CUT', severity: 'warning', message: `Left out ${rest} more messages about this file`, path })
  }
  return {
    fields,
    hasFrontmatter: split.status === 'block',
    description:
      fields.description ?? (problem === undefined ? cutText(firstParagraph(split.body, maxDescriptionChars), maxDescriptionChars) : ''),
    diagnostics,
    error: problem,
  }
}

function blockError({ status, block }: SplitText, { maxFrontmatterBytes }: FileLimits): { message: string; offset: number } | undefined {
  if (block.length * 3 > maxFrontmatterBytes) {
    const bytes = Buffer.byteLength(block)
    if (bytes > maxFrontmatterBytes) {
      const what = status === 'unclosed' ? 'no line of three dashes closes it within' : `it has ${bytes} bytes, over`
      return { message: `${what} the limit of ${maxFrontmatterBytes} bytes`, offset: 0 }
    }
  }
  return status === 'unclosed' ? { message: 'no line of three dashes closes it', offset: 0 } : undefined
}
