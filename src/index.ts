// The public door: what `import … from 'skillcell'` gives.

export type { DialectName } from './dialect.ts'
export { type Diagnostic, type ErrorCode, type ErrorKind, errorCodes, SkillcellError } from './errors.ts'
export type {
  AgentReport,
  CommandReport,
  ExpansionResult,
  ProgressEvent,
  RunError,
  RunEvent,
  RunFinishReason,
  RunResult,
  RunTrigger,
} from './events.ts'
export { type LimitName, type LimitRow, type Limits, limits } from './limits.ts'
export type { ListOptions } from './list-entries.ts'
export type { ModelProviders, NetworkMode, RuntimeOptions, SandboxMode, SourceName } from './options.ts'
export type { Decision, DecisionKind, SimpleCommandDecision } from './policy/decision.ts'
export type { ExtraRules, SkillList } from './questions.ts'
export type { Run, RunOutcome } from './run.ts'
export { createRuntime, type ExpandOptions, type RunOptions, type Runtime } from './runtime.ts'
export { createShownTexts, type ShownTexts } from './shown-texts.ts'
export {
  type AiSdkTool,
  type AnthropicTool,
  aiSdkSkillTool,
  anthropicSkillTool,
  createSkillTool,
  type OpenAiTool,
  openAiSkillTool,
  type SkillToolHandler,
  type SkillToolInput,
  type SkillToolOptions,
  type SkillToolResult,
  skillToolName,
  skillToolSchema,
} from './skill-tool.ts'
export type { Completion } from './skills/completions.ts'
export type { BundledSkill, McpServer, SkillChanges } from './source-options.ts'
