// One SKILL.md means different things to different hosts (SPEC R3.8). This table is all that differs;
// rooms read a column, never the name of a dialect. Which row a skill has depends on its source alone.

import type { RuntimeOptions, SourceName } from './options.ts'

export type DialectName = 'skillcell' | 'wave' | 'claude'

export interface Dialect {
  readonly name: DialectName
  /** `$1` is the first argument unless the body uses `$0`, or `$0` always is. */
  readonly firstPositional: 'one-unless-zero-is-used' | 'zero'
  /** What a `$N` above the given arguments becomes. */
  readonly missingPositional: 'empty' | 'as-written'
  /** How arguments are appended to a body without a placeholder for them: `ARGUMENTS: …` after a blank line, or the bare text after one blank. */
  readonly appendedArguments: 'labelled' | 'bare'
  /** A command that fails leaves an `<error>` in its place, or ends the invocation (but for exit 1 of search and compare programs). */
  readonly failingCommand: 'left-in-place' | 'ends-the-invocation'
  /** stderr of a success is left out, or merged into the output. */
  readonly stderr: 'apart' | 'merged'
  readonly outputTrim: 'trailing-newlines' | 'both-ends'
  /** Time limit of one command, in ms, unless options say otherwise. */
  readonly commandTimeoutMs: number
  /** Whether `allowed-tools` also limits the tools of the turn (SPEC R5.7), unless options say otherwise. */
  readonly toolRestriction: 'turn' | 'none'
  /** Of all sources together: only the dialect of the option `dialect` has a say. */
  readonly precedence: readonly SourceName[]
}

/** What the skills of one source mean. */
export type DialectOf = (source: SourceName) => Dialect

const skillcell: Dialect = {
  name: 'skillcell',
  firstPositional: 'one-unless-zero-is-used',
  missingPositional: 'empty',
  appendedArguments: 'labelled',
  failingCommand: 'left-in-place',
  stderr: 'apart',
  outputTrim: 'trailing-newlines',
  commandTimeoutMs: 120_000,
  toolRestriction: 'turn',
  precedence: ['managed', 'project', 'user', 'plugin', 'bundled', 'mcp'],
}

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  skillcell,
  wave: { ...skillcell, name: 'wave', appendedArguments: 'bare', outputTrim: 'both-ends', commandTimeoutMs: 30_000 },
  claude: {
    ...skillcell,
    name: 'claude',
    firstPositional: 'zero',
    missingPositional: 'as-written',
    failingCommand: 'ends-the-invocation',
    stderr: 'merged',
    toolRestriction: 'none',
    precedence: ['managed', 'user', 'project', 'plugin', 'bundled', 'mcp'],
  },
}

/** The option for the source, else the one for all; a time limit and a tool restriction that options gave stand in place of its own. */
export function createDialectOf({
  dialect: general = 'skillcell',
  sourceDialects = {},
  limits,
  toolRestriction,
}: Pick<RuntimeOptions, 'dialect' | 'sourceDialects' | 'limits' | 'toolRestriction'>): DialectOf {
  return source => {
    const dialect = dialects[sourceDialects[source] ?? general]
    return {
      ...dialect,
      commandTimeoutMs: limits?.commandTimeoutMs ?? dialect.commandTimeoutMs,
      toolRestriction: toolRestriction ?? dialect.toolRestriction,
    }
  }
}
