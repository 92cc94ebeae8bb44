// A skill as `list --json` tells it (SPEC R15). Scripts rely on these names.

import type { SourceName } from '../options.ts'
import type { Skill } from './skill.ts'

export type Shown = 'full' | 'short' | 'name'

export interface ListEntry {
  readonly id: string
  /** As its author wrote it. */
  readonly name: string
  readonly description: string
  readonly whenToUse?: string
  readonly source: SourceName
  readonly path: string
  readonly userInvocable: boolean
  readonly modelInvocable: boolean
  readonly context: 'inline' | 'fork'
  readonly argumentHint?: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly effort?: string
  readonly shadowedBy?: string
  readonly shown?: Shown
}

/** `shown` is how much the model sees of it, when the list is for a model. */
export function toListEntry(skill: Skill, shown?: Shown): ListEntry {
  const { id, description, whenToUse, source, path, userInvocable, modelInvocable, context, argumentHint, effort, shadowedBy } = skill
  return {
    id,
    name: skill.displayName ?? id,
    description,
    source,
    path,
    userInvocable,
    modelInvocable,
    context,
    allowedTools: skill.allowedTools.map(rule => rule.text),
    disallowedTools: skill.disallowedTools,
    ...(whenToUse !== undefined && { whenToUse }),
    ...(argumentHint !== undefined && { argumentHint }),
    ...(effort !== undefined && { effort }),
    ...(shadowedBy !== undefined && { shadowedBy }),
    ...(shown !== undefined && { shown }),
  }
}
