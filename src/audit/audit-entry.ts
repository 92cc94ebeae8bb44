// What an audit entry says: who asked for what, what was decided, what ran and how it ended. Plain data, one line of JSON each.
// Argument values never stand in an entry, only their hash and length; long texts are cut, with the hash and length of the whole.

import { createHash } from 'node:crypto'
import { cutText } from '../cut-text.ts'
import type { ErrorCode } from '../errors.ts'
import type { RunFinishReason, RunTrigger } from '../events.ts'

/** A value that must not be told. `chars` are UTF-16 units; the hash is over its UTF-8 bytes, in hex. */
interface HashedText {
  readonly sha256: string
  readonly chars: number
}

export interface AuditActor {
  readonly tenant: string
  /** On whose word: a typed command, a model's call, the command line. */
  readonly as: 'user' | 'model' | 'cli'
  readonly sessionId?: string
}

/** What was asked for. Texts are the author's, placeholders unfilled. */
export interface AuditAsked {
  /** `Bash`, `Read`, `Skill`, `mcp__server__tool`, … */
  readonly tool: string
  readonly command?: string
  readonly path?: string
  readonly url?: string
  /** Of a skill or an agent type. */
  readonly name?: string
  /** The values that go with it: arguments of the skill, the input of a tool. */
  readonly values?: HashedText
}

interface AuditSubject {
  readonly runId?: string
  readonly who: AuditActor
  readonly skill?: string
}

/** What stands behind a decision, as policy told it. */
interface AuditReason {
  readonly rule?: string
  readonly source?: string
  readonly reason?: string
}

export type AuditEntry =
  | (AuditSubject & { readonly type: 'run.started'; readonly trigger: RunTrigger; readonly arguments: HashedText })
  | (AuditSubject & AuditReason & { readonly type: 'decision'; readonly asked: AuditAsked; readonly decision: 'allow' | 'ask' | 'deny' })
  | (AuditSubject &
      AuditReason & {
        readonly type: 'permission.asked'
        readonly asked: AuditAsked
        readonly answer: 'once' | 'always' | 'deny' | 'timed-out' | 'unasked' | 'nobody'
        /** That were saved with `always`. */
        readonly rules?: readonly string[]
      })
  | (AuditSubject & {
      readonly type: 'command.finished'
      readonly asked: AuditAsked
      readonly ran: AuditRan
      readonly exitCode: number
      /** Of its output, whatever was kept of it. */
      readonly bytes: number
    })
  | (AuditSubject & {
      readonly type: 'tool.finished'
      readonly asked: AuditAsked
      readonly isError: boolean
      readonly outputChars: number
    })
  | (AuditSubject & { readonly type: 'run.finished'; readonly reason: RunFinishReason; readonly error?: ErrorCode })

/** How the thing that was started ended. */
interface AuditRan {
  readonly reason: 'exited' | 'timed-out' | 'aborted' | 'killed' | 'output-limit'
  readonly sandbox: 'bubblewrap' | 'none'
  readonly signal?: string
  readonly durationMs: number
  /** What the shell was given, when it differs from the author's text. Values are parameters and no part of it. */
  readonly script?: string
}

/** Hash and length in place of a value. */
export function hashed(text: string): HashedText {
  return { sha256: createHash('sha256').update(text, 'utf8').digest('hex'), chars: text.length }
}

/** The longest text that stands whole in an entry, in UTF-16 units: above what policy lets a command have. */
export const maxTextChars = 16_384
/** What is kept of a longer one. */
export const keptTextChars = 2_048
/** Items of a list that are told. */
const maxItems = 100

/** Whether bounded() would leave it as it is, as nearly always: looking costs less than making it anew. */
export function isBounded(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= maxTextChars
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.length <= maxItems && value.every(isBounded)
  return Object.values(value).every(isBounded)
}

/** Makes every text and list of an entry bounded: `{ cut, sha256, chars }` stands for a long text, `{ more }` for the rest of a list. */
export function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= maxTextChars ? value : { cut: cutText(value, keptTextChars), ...hashed(value) }
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxItems).map(bounded)
    return value.length <= maxItems ? kept : [...kept, { more: value.length - maxItems }]
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item)]))
  return value
}
