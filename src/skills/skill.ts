// What skillcell knows of a skill without its body. Built once by frontmatter and discovery, then readonly.

import type { SourceName } from '../options.ts'

/** A rule whose placeholders are filled. The filled parts are literal: a `*` in a folder name is no wildcard (SPEC R17.8). */
export interface GrantRule {
  /** As shown to people and in `allowedTools`. */
  readonly text: string
  readonly pieces: readonly (string | { readonly literal: string })[]
}

export interface Skill {
  /** `name`, `plugin:name` or `folder:name` (SPEC R1.3). */
  readonly id: string
  readonly kind: 'skill' | 'command' | 'agent'
  /** The frontmatter `name` as written. */
  readonly displayName?: string
  readonly aliases: readonly string[]
  readonly source: SourceName
  /** Absolute path of the file, as found (links not resolved). */
  readonly path: string
  /** Its real path: the identity (SPEC R1.5). */
  readonly realPath: string
  /** Absolute folder of the file, as found. */
  readonly baseDir: string
  readonly pluginRoot?: string
  readonly description: string
  readonly whenToUse?: string
  /** The source text of `argument-hint`, as written. */
  readonly argumentHint?: string
  readonly argumentNames: readonly string[]
  /** 0 when the frontmatter says `arguments-base: 0`. */
  readonly argumentsBase?: 0
  readonly context: 'inline' | 'fork'
  readonly agent?: string
  readonly model?: string
  readonly effort?: string
  readonly shell: string
  readonly allowedTools: readonly GrantRule[]
  readonly disallowedTools: readonly string[]
  readonly paths: readonly string[]
  /** As parsed; checked by whoever runs them. */
  readonly hooks?: unknown
  readonly userInvocable: boolean
  readonly modelInvocable: boolean
  /** False when a restricting field cannot be read: no injected command runs (SPEC R2.5). */
  readonly commandsEnabled: boolean
  /** Path of the file that took this name, if one did. */
  readonly shadowedBy?: string
  /** Fields that are not ours, kept as parsed. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** A skill with its text, read at invocation (SPEC R1.6). */
export interface LoadedSkill {
  readonly skill: Skill
  /** The text after the frontmatter, line ends as LF. */
  readonly body: string
  /** Line of the file on which the body begins, from 1. */
  readonly bodyLine: number
  /** SHA-256 of the file, hex (SPEC R17.9). */
  readonly contentHash: string
  /** The body is the prompt as it stands: nothing in it is a placeholder or a command, and no arguments are appended. */
  readonly isFinal?: true
}
