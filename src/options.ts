// Every option and limit, once: default, unit and reason stand here. Parsed at the edge, then readonly and trusted.

import { z } from 'zod'
import type { OnAsk } from './ask.ts'
import { type DialectName, dialects } from './dialect.ts'
import { SkillcellError } from './errors.ts'
import { type LimitName, type LimitRow, type Limits, limits } from './limits.ts'
import { nearNames } from './near-names.ts'
import { parseNetworkHost } from './network-hosts.ts'
import { schemaProblem } from './schema-problem.ts'
import { type BundledSkill, bundledSkillSchema, type McpServer, mcpServersSchema, type SkillChanges } from './source-options.ts'

export type SourceName = 'managed' | 'project' | 'user' | 'plugin' | 'bundled' | 'mcp'
export const sourceNames: readonly SourceName[] = ['managed', 'project', 'user', 'plugin', 'bundled', 'mcp']

export type NetworkMode = 'none' | 'allowlist' | 'host'

export type SandboxMode = 'required' | 'auto' | 'off'

export interface ModelProvider {
  readonly baseUrl?: string
  readonly apiKey?: string
}

export interface ModelProviders {
  readonly anthropic?: ModelProvider
  /** Any server that speaks OpenAI's chat completions. */
  readonly openai?: ModelProvider
}

/** Options of `createRuntime()`. Relative paths count from the current directory. */
export interface RuntimeOptions {
  /** The workspace. Default: the current directory. */
  readonly cwd?: string
  /** Instead of the user's home. */
  readonly home?: string
  /** Managed skills and policy. Default: `SKILLCELL_MANAGED_DIR`. */
  readonly managedDir?: string
  /** Plugin folders. */
  readonly plugins?: readonly string[]
  /** A policy file, or the name of one that comes with skillcell: default, read-only, unattended, trusted. */
  readonly policy?: string
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
  /** Workspaces whose own settings and policy may allow and add folders; else they may deny and ask only (SPEC R17.10). */
  readonly trustedWorkspaces?: readonly string[]
  /** `required` refuses to start without an OS sandbox. Default `auto`. */
  readonly sandbox?: SandboxMode
  /** What commands in a sandbox reach. Default `none`; without a sandbox nothing confines it. */
  readonly network?: NetworkMode
  /** For `allowlist`: `host` (ports 80 and 443), `host:port`, `*.example.com`, or an address. Default: none. */
  readonly networkHosts?: readonly string[]
  /** What a SKILL.md means. Default `skillcell`. */
  readonly dialect?: DialectName
  /** The same for the skills of one source; the order of sources stays with `dialect`. */
  readonly sourceDialects?: Readonly<Partial<Record<SourceName, DialectName>>>
  /** Sources, highest first. Default: those of the dialect. */
  readonly precedence?: readonly SourceName[]
  /** Skills of the program itself; a text is the path of a folder. Besides those of skillcell. */
  readonly bundledSkills?: readonly (string | BundledSkill)[]
  /** Leave out the skills that come with skillcell. Default false. */
  readonly disableBundledSkills?: boolean
  /** Servers by name; their prompts are skills `mcp__server__prompt`. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Told when skills were added, changed or removed on the disk; watching begins with it. For processes that live long. Only in code. */
  readonly onSkillsChanged?: (changes: SkillChanges) => void
  /** Skip `.agents/skills`. Default: `SKILLCELL_DISABLE_AGENT_SKILLS_DIR` or `CLAUDE_CODE_DISABLE_AGENT_SKILLS_DIR`. */
  readonly disableAgentSkillsDirectory?: boolean
  /** The model of runs that need one: `anthropic:ID`, `openai:ID` or `script:FILE`. Default: `SKILLCELL_MODEL`, else none. */
  readonly model?: string
  /** What `haiku`, `sonnet`, `opus` and other short names in skills stand for. */
  readonly modelAliases?: Readonly<Record<string, string>>
  /** Models that a skill or agent type may name beside aliases, as `provider:ID`; `*` stands for any characters. */
  readonly allowedModels?: readonly string[]
  /** Addresses and keys. Default: `ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_API_KEY`. */
  readonly modelProviders?: ModelProviders
  /** `turn`: `allowed-tools` also limits the tools of its turn; `none`: it only grants (SPEC R5.7). Default: that of the dialect. */
  readonly toolRestriction?: 'turn' | 'none'
  readonly limits?: Partial<Limits>
  /** Asked where the policy asks; without it ask is deny. Only in code, never in a file. */
  readonly onAsk?: OnAsk
}

const limitSchemas = Object.fromEntries(
  Object.entries<LimitRow>(limits).map(([name, { min, max }]) => [
    name,
    z
      .number()
      .int()
      .min(min ?? 1)
      .max(max ?? Number.MAX_SAFE_INTEGER)
      .optional(),
  ]),
) as Record<LimitName, z.ZodOptional<z.ZodNumber>>

const path = z.string().min(1)
const networkHost = z
  .string()
  .refine(entry => typeof parseNetworkHost(entry) !== 'string', { error: ({ input }) => String(parseNetworkHost(String(input))) })
const modelProvider = z.strictObject({ baseUrl: z.url({ protocol: /^https?$/ }).optional(), apiKey: z.string().min(1).optional() })
const dialectNames = Object.keys(dialects) as [DialectName, ...DialectName[]]
const dialect = z.enum(dialectNames, {
  error: ({ input }) => (typeof input === 'string' ? `Unknown dialect "${input}"; ${nearNames(input, dialectNames)}` : undefined),
})
const sourceDialects = z.strictObject(
  Object.fromEntries(sourceNames.map(source => [source, dialect.optional()])) as Record<SourceName, z.ZodOptional<typeof dialect>>,
  {
    error: issue =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key: string) => `Unknown source "${key}"; ${nearNames(key, sourceNames)}`).join('; ')
        : undefined,
  },
)

/** The options by name, for configuration files and flags alike. */
export const runtimeOptionsSchema: z.ZodType<RuntimeOptions> = z.strictObject({
  cwd: path.optional(),
  home: path.optional(),
  managedDir: path.optional(),
  plugins: z.array(path).optional(),
  policy: path.optional(),
  allow: z.array(z.string()).optional(),
  ask: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  trustedWorkspaces: z.array(path).optional(),
  sandbox: z.enum(['required', 'auto', 'off']).optional(),
  network: z.enum(['none', 'allowlist', 'host']).optional(),
  networkHosts: z.array(networkHost).optional(),
  dialect: dialect.optional(),
  sourceDialects: sourceDialects.optional(),
  precedence: z.array(z.enum(sourceNames as [SourceName, ...SourceName[]])).optional(),
  bundledSkills: z.array(bundledSkillSchema).optional(),
  disableBundledSkills: z.boolean().optional(),
  mcpServers: mcpServersSchema.optional(),
  onSkillsChanged: z.custom<(changes: SkillChanges) => void>(value => typeof value === 'function', 'Expected a function').optional(),
  disableAgentSkillsDirectory: z.boolean().optional(),
  model: z.string().min(1).optional(),
  modelAliases: z.record(z.string(), z.string().min(1)).optional(),
  allowedModels: z.array(z.string().min(1)).optional(),
  modelProviders: z.strictObject({ anthropic: modelProvider.optional(), openai: modelProvider.optional() }).optional(),
  toolRestriction: z.enum(['turn', 'none']).optional(),
  limits: z.strictObject(limitSchemas).optional(),
  onAsk: z.custom<OnAsk>(value => typeof value === 'function', 'Expected a function').optional(),
}) as z.ZodType<RuntimeOptions>

/** Parses options. @throws {SkillcellError} CONFIG_INVALID that names each wrong key and what is wanted. */
export function parseOptions(value: unknown): RuntimeOptions {
  const parsed = runtimeOptionsSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new SkillcellError('CONFIG_INVALID', `Cannot use the options: ${schemaProblem(parsed.error)}`)
}
