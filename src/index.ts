// The public door: what `import … from 'skillcell'` gives.

export type { DialectName } from './dialect.ts'
export { type Diagnostic, type ErrorCode, type ErrorKind, errorCodes, SkillcellError } from './errors.ts'
export type { CommandReport, ExpansionResult, RunError, RunEvent, RunFinishReason, RunTrigger } from './events.ts'
export { type LimitName, type LimitRow, type Limits, limits } from './limits.ts'
export type { ListOptions } from './list-entries.ts'
export type { RuntimeOptions, SandboxMode, SourceName } from './options.ts'
export type { Decision, DecisionKind, SimpleCommandDecision } from './policy/decision.ts'
export type { ExtraRules, SkillList } from './questions.ts'
export type { Run, RunOutcome } from './run.ts'
export { createRuntime, type ExpandOptions, type RunOptions, type Runtime } from './runtime.ts'
