// Every limit, once: what it bounds, its unit, default and most, and what happens when it is reached. The README has the same rows.

import { type DialectName, dialects } from './dialect.ts'

export interface LimitRow {
  readonly unit:
    | 'ms'
    | 'bytes'
    | 'characters'
    | 'levels'
    | 'MiB'
    | 'threads'
    | 'commands'
    | 'seconds'
    | 'files'
    | 'processes'
    | 'turns'
    | 'tokens'
    | 'connections'
  readonly default: number
  readonly max?: number
  /** Below it no command could start. */
  readonly min?: number
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
  | 'agentThreads'
  | 'agentHeapMb'
  | 'agentTimeoutMs'
  | 'maxAgentTurns'
  | 'maxAgentTokens'
  | 'maxAgentOutputTokens'
  | 'maxResultChars'
  | 'sessionIdleMs'
  | 'networkConnections'
  | 'networkConnectMs'
  | 'networkIdleMs'
  | 'networkHeaderBytes'

export const limits: Readonly<Record<LimitName, LimitRow>> = {
  commandTimeoutMs: {
    unit: 'ms',
    default: 120_000,
    max: 600_000,
    bounds: 'wall time of one command, injected, of an agent or of a hook',
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
  maxOpenFiles: {
    unit: 'files',
    default: 1_024,
    // A shell opens what it reads and writes at numbers of its own, from 10 on.
    min: 20,
    bounds: 'open files of one process of a command, 20 at least',
    reached: 'opening fails with EMFILE',
  },
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
  agentThreads: { unit: 'threads', default: 4, max: 64, bounds: 'forks that work at one time', reached: 'the next fork waits its turn' },
  agentHeapMb: { unit: 'MiB', default: 256, bounds: 'heap of the thread of a fork', reached: '`WORKER_OUT_OF_MEMORY` for that run only' },
  agentTimeoutMs: {
    unit: 'ms',
    default: 1_800_000,
    bounds: 'wall time of the agent of a run, nested ones in it',
    reached: 'the run ends as timed-out',
  },
  maxAgentTurns: {
    unit: 'turns',
    default: 100,
    bounds: 'turns of one agent; an agent type may say less',
    reached: 'it ends with what it has said (`max-turns`)',
  },
  maxAgentTokens: {
    unit: 'tokens',
    default: 2_000_000,
    bounds: 'input and output tokens of the agents of a run together',
    reached: 'the agent ends with what it has said (`max-tokens`)',
  },
  maxAgentOutputTokens: { unit: 'tokens', default: 16_384, bounds: 'output of one turn', reached: 'the agent ends with what it has said' },
  maxResultChars: {
    unit: 'characters',
    default: 32_000,
    bounds: 'the text that a fork gives back',
    reached: 'a preview and the path of the whole stand in its place',
  },
  sessionIdleMs: {
    unit: 'ms',
    default: 3_600_000,
    bounds: 'time after which a session that nobody uses is forgotten',
    reached: 'its hooks, activated skills and answers are gone',
  },
  networkConnections: {
    unit: 'connections',
    default: 64,
    max: 1_024,
    bounds: 'connections of one cell through the proxy at one time (`network: allowlist`)',
    reached: 'a further one is closed at once',
  },
  networkConnectMs: {
    unit: 'ms',
    default: 10_000,
    max: 600_000,
    bounds: 'time to send the head of a request to the proxy, and time to find and reach its host',
    reached: 'the connection is closed, or the answer is 502',
  },
  networkIdleMs: {
    unit: 'ms',
    default: 120_000,
    max: 3_600_000,
    bounds: 'time without a byte on a connection through the proxy',
    reached: 'it is closed on both sides',
  },
  networkHeaderBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    max: mebibyte,
    bounds: 'headers of one request to the proxy',
    reached: 'the request is refused',
  },
}

export type Limits = Readonly<Record<LimitName, number>>

/** Defaults, then those of the dialect, then what was given. */
export function resolveLimits(given: Partial<Limits> | undefined, dialect: DialectName): Limits {
  const defaults = Object.fromEntries(Object.entries<LimitRow>(limits).map(([name, row]) => [name, row.default])) as Record<
    LimitName,
    number
  >
  return { ...defaults, commandTimeoutMs: dialects[dialect].commandTimeoutMs, ...given }
}
