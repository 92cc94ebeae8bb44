// The options that name skills which are no files of a home: those that a program brings along, and servers whose prompts are skills.

import { z } from 'zod'
import type { Diagnostic } from './errors.ts'

/** Whether a bundled skill is there; asked at every look at the skills, so it should be quick. Throwing means no, and is told. */
export type IsEnabled = (workspace: string) => boolean

/** A skill that a program brings along: a folder of one skill or of several, or a text that is no file. */
export type BundledSkill =
  | { readonly folder: string; readonly isEnabled?: IsEnabled }
  | { readonly name: string; readonly content: string; readonly isEnabled?: IsEnabled }

/** How to reach a server of the Model Context Protocol whose prompts become skills (SPEC R16.6). */
export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

const path = z.string().min(1)
const isEnabled = z.custom<IsEnabled>(value => typeof value === 'function', 'Expected a function').optional()
/** A text is the path of a folder. */
export const bundledSkillSchema: z.ZodType<string | BundledSkill> = z.union([
  path,
  z.strictObject({ folder: path, isEnabled }),
  z.strictObject({ name: z.string().min(1).max(64), content: z.string(), isEnabled }),
])

const texts = z.record(z.string(), z.string().max(65_536))
const mcpServer = z.union(
  [
    z.strictObject({ type: z.literal('stdio').optional(), command: path, args: z.array(z.string()).optional(), env: texts.optional() }),
    z.strictObject({
      type: z.enum(['http', 'streamable-http']).optional(),
      url: z.url({ protocol: /^https?$/ }),
      headers: texts.optional(),
    }),
  ],
  'Expected "command" with "args" and "env", or "url" with "headers"',
)

/** Servers by name, for configuration files and `.mcp.json` alike. A double underscore ends the name in `mcp__server__prompt`. */
export const mcpServersSchema: z.ZodType<Readonly<Record<string, McpServer>>> = z.record(
  z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_)){0,62}[A-Za-z0-9.-]$|^[A-Za-z0-9]$/,
      'Expected 1 to 64 letters, digits, "-", "." and single "_" as name',
    ),
  mcpServer,
)

/** What a look at the disk found to be different from the look before. */
export interface SkillChanges {
  /** Ids, sorted. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  /** All there are now; an edit that broke a skill is among them, and its skill among the removed. */
  readonly diagnostics: readonly Diagnostic[]
}
