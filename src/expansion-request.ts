// What an expansion needs to know of a skill, as the plain data that crosses the thread.

import type { ExpansionRequest } from './expansion/plan.ts'
import type { Setup } from './setup.ts'
import type { LoadedSkill } from './skills/skill.ts'

export type ExpansionInput = Pick<ExpansionRequest, 'argumentsText' | 'argumentsFile' | 'sessionId'>

export function expansionRequest(
  { skill, body, bodyLine }: LoadedSkill,
  input: ExpansionInput,
  { workspace, dialectOf, limits }: Pick<Setup, 'workspace' | 'dialectOf' | 'limits'>,
): ExpansionRequest {
  return {
    body,
    bodyLine,
    path: skill.path,
    kind: skill.kind,
    ...input,
    argumentNames: skill.argumentNames,
    hasArgumentHint: skill.argumentHint !== undefined,
    ...(skill.argumentsBase !== undefined && { argumentsBase: skill.argumentsBase }),
    skillDir: skill.baseDir,
    ...(skill.pluginRoot !== undefined && { pluginRoot: skill.pluginRoot }),
    projectDir: workspace,
    ...(skill.effort !== undefined && { effort: skill.effort }),
    dialect: dialectOf(skill.source).name,
    maxExportedBytes: limits.maxExportedBytes,
  }
}
