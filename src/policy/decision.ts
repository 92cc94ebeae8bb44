// What policy answers. Plain data: it goes to the audit, to `policy explain` and over HTTP.

export type DecisionKind = 'allow' | 'ask' | 'deny'

/** One simple command of the text that was decided. */
export interface SimpleCommandDecision {
  /** As it stands in the text. */
  readonly text: string
  /** Words after quote removal; a word that cannot be known is its source text. */
  readonly argv: readonly string[]
  readonly decision: DecisionKind
  /** The rule that decided, as written. */
  readonly rule?: string
  /** Where the rule stands: `flag`, `allowed-tools of NAME`, `read-only set`, or a file. */
  readonly source?: string
  readonly reason: string
  /** What it starts: the command of a wrapper, the commands in code that it is given as text. */
  readonly inner?: readonly SimpleCommandDecision[]
}

export interface Decision {
  readonly decision: DecisionKind
  /** Names the part that decided, for people. */
  readonly reason: string
  readonly rule?: string
  readonly source?: string
  readonly commands: readonly SimpleCommandDecision[]
  /** Of a file tool: the real path that was decided. Whoever acts uses this one, since a link may lead elsewhere a moment later. */
  readonly realPath?: string
}
