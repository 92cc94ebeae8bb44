// Every option and limit, once: default, unit and reason stand here. Parsed at the edge, then readonly and trusted.

import { z } from 'zod'
import type { OnAsk } from './ask.ts'
import { type DialectName, dialects } from './dialect.ts'
import { SkillcellError } from './errors.ts'

export type SourceName = 'managed' | 'project' | 'user' | 'plugin' | 'bundled' | 'mcp'
export const sourceNames: readonly SourceName[] = ['managed', 'project', 'user', 'plugin', 'bundled', 'mcp']

export type NetworkMode = 'none' | 'host'

export type SandboxMode = 'required' | 'auto' | 'off'

export interface LimitRow {
  readonly unit: 'ms' | 'bytes' | 'characters' | 'levels' | 'MiB' | 'threads' | 'commands' | 'seconds' | 'files' | 'processes'
  readonly default: number
  readonly max?: number
  /** What the limit bounds. */
  readonly bounds: string
  /** What happens when it is reached. */
  readonly reached: string
}

const mebibyte = 1024 * 1024
const day = 24 * 3_600_000

export type LimitName =
  | 'commandTimeoutMs'
  | 'killGraceMs'
  | 'maxOutputChars'
  | 'previewChars'
  | 'maxSpillBytes'
  | 'spillMaxAgeMs'
  | 'maxCpuSeconds'
  | 'maxFileBytes'
  | 'maxOpenFiles'
  | 'maxProcesses'
  | 'maxMemoryMb'
  | 'maxSkillBytes'
  | 'maxFrontmatterBytes'
  | 'maxArgumentsBytes'
  | 'maxExportedBytes'
  | 'maxCommandChars'
  | 'maxCommandDepth'
  | 'listingBudgetChars'
  | 'expansionTimeoutMs'
  | 'expansionHeapMb'
  | 'expansionThreads'
  | 'injectionConcurrency'
  | 'askTimeoutMs'

export const limits: Readonly<Record<LimitName, LimitRow>> = {
  commandTimeoutMs: {
    unit: 'ms',
    default: 120_000,
    max: 600_000,
    bounds: 'wall time of one injected command',
    reached: 'TERM, then KILL; exit code 124 in an `<error>`, what was printed is kept',
  },
  killGraceMs: {
    unit: 'ms',
    default: 2_000,
    max: 60_000,
    bounds: 'time from TERM to KILL',
    reached: 'KILL to everything the command started',
  },
  maxOutputChars: {
    unit: 'characters',
    default: 30_000,
    bounds: 'output of one command in the prompt (UTF-16 units)',
    reached: 'a preview and the path of the spill file stand in its place',
  },
  previewChars: { unit: 'characters', default: 2_048, bounds: 'the preview of a longer output', reached: 'cut between characters' },
  maxSpillBytes: {
    unit: 'bytes',
    default: 64 * mebibyte,
    bounds: 'output of one command on disk',
    reached: 'the command is stopped, its status is failed, and the file says so',
  },
  spillMaxAgeMs: { unit: 'ms', default: 7 * day, bounds: 'age of a spill file', reached: 'it is removed at the next start' },
  maxCpuSeconds: {
    unit: 'seconds',
    default: 600,
    bounds: 'CPU time of one command: of each process by the system, of all together by looking every 250 ms',
    reached: 'XCPU, then KILL; the note says so',
  },
  maxFileBytes: {
    unit: 'bytes',
    default: 1024 * mebibyte,
    bounds: 'size of a file that a command writes',
    reached: 'the write fails with XFSZ, which ends the program that does not expect it',
  },
  maxOpenFiles: { unit: 'files', default: 1_024, bounds: 'open files of one process of a command', reached: 'opening fails with EMFILE' },
  maxProcesses: {
    unit: 'processes',
    default: 1_024,
    bounds: 'processes and threads of one command in a cell (as root, and without a cell: processes, by looking every 250 ms)',
    reached: 'a fork fails with EAGAIN; where only looked at, the command is killed',
  },
  maxMemoryMb: {
    unit: 'MiB',
    default: 4_096,
    bounds: 'data of one process of a command by the system, memory of all together by looking every 250 ms',
    reached: 'an allocation fails; where only looked at, the command is killed with its cell',
  },
  maxSkillBytes: { unit: 'bytes', default: mebibyte, bounds: 'size of a SKILL.md', reached: 'the skill is refused by name and size' },
  maxFrontmatterBytes: { unit: 'bytes', default: 64 * 1024, bounds: 'size of a frontmatter block', reached: 'the skill cannot be used' },
  maxArgumentsBytes: { unit: 'bytes', default: 4 * mebibyte, bounds: 'arguments of one invocation', reached: 'a usage error' },
  maxExportedBytes: {
    unit: 'bytes',
    default: 64 * 1024,
    bounds: 'argument values in the environment of a command',
    reached: 'they stay shell variables, and a word of that length is refused',
  },
  maxCommandChars: {
    unit: 'characters',
    default: 10_000,
    bounds: 'length of a command',
    reached: 'no pattern can allow it; deny still looks in',
  },
  maxCommandDepth: { unit: 'levels', default: 256, bounds: 'nesting of a command', reached: 'no pattern can allow it' },
  listingBudgetChars: {
    unit: 'characters',
    default: 8_000,
    bounds: 'the listing for the model',
    reached: 'descriptions are shortened, then left out; names never',
  },
  expansionTimeoutMs: { unit: 'ms', default: 10_000, bounds: 'one expansion in its thread', reached: '`WORKER_TIMEOUT` for that run only' },
  expansionHeapMb: {
    unit: 'MiB',
    default: 128,
    bounds: 'heap of an expansion thread',
    reached: '`WORKER_OUT_OF_MEMORY` for that run only',
  },
  expansionThreads: { unit: 'threads', default: 2, max: 64, bounds: 'expansion threads', reached: 'further expansions wait their turn' },
  injectionConcurrency: {
    unit: 'commands',
    default: 1,
    max: 64,
    bounds: 'commands of one body that run side by side',
    reached: 'the next waits',
  },
  askTimeoutMs: {
    unit: 'ms',
    default: 300_000,
    max: 3_600_000,
    bounds: 'time to answer a question',
    reached: 'the answer is no',
  },
}

export type Limits = Readonly<Record<LimitName, number>>

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
  /** `required` refuses to start without an OS sandbox. Default `auto`. */
  readonly sandbox?: SandboxMode
  /** What commands in a sandbox reach. Default `none`; without a sandbox nothing confines it. */
  readonly network?: NetworkMode
  readonly dialect?: DialectName
  /** Sources, highest first. Default: those of the dialect. */
  readonly precedence?: readonly SourceName[]
  /** Skip `.agents/skills`. Default: `SKILLCELL_DISABLE_AGENT_SKILLS_DIR` or `CLAUDE_CODE_DISABLE_AGENT_SKILLS_DIR`. */
  readonly disableAgentSkillsDirectory?: boolean
  readonly limits?: Partial<Limits>
  /** Asked where the policy asks; without it ask is deny. Only in code, never in a file. */
  readonly onAsk?: OnAsk
}

const limitSchemas = Object.fromEntries(
  Object.entries<LimitRow>(limits).map(([name, { max }]) => [
    name,
    z
      .number()
      .int()
      .min(1)
      .max(max ?? Number.MAX_SAFE_INTEGER)
      .optional(),
  ]),
) as Record<LimitName, z.ZodOptional<z.ZodNumber>>

const path = z.string().min(1)
const dialectNames = Object.keys(dialects) as [DialectName, ...DialectName[]]

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
  sandbox: z.enum(['required', 'auto', 'off']).optional(),
  network: z.enum(['none', 'host']).optional(),
  dialect: z.enum(dialectNames).optional(),
  precedence: z.array(z.enum(sourceNames as [SourceName, ...SourceName[]])).optional(),
  disableAgentSkillsDirectory: z.boolean().optional(),
  limits: z.strictObject(limitSchemas).optional(),
  onAsk: z.custom<OnAsk>(value => typeof value === 'function', 'Expected a function').optional(),
}) as z.ZodType<RuntimeOptions>

/** Parses options. @throws {SkillcellError} CONFIG_INVALID that names each wrong key and what is wanted. */
export function parseOptions(value: unknown): RuntimeOptions {
  const parsed = runtimeOptionsSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new SkillcellError('CONFIG_INVALID', `Cannot use the options: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}`)
}

/** Defaults, then those of the dialect, then what was given. */
export function resolveLimits(given: Partial<Limits> | undefined, dialect: DialectName): Limits {
  const defaults = Object.fromEntries(Object.entries<LimitRow>(limits).map(([name, row]) => [name, row.default])) as Record<
    LimitName,
    number
  >
  return { ...defaults, commandTimeoutMs: dialects[dialect].commandTimeoutMs, ...given }
}
