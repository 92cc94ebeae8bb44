// Why a model may not call a skill, in words for people. Pure. Leaves to others: whether a file that it waits for has been touched.

import type { Skill } from './skill.ts'

/** Undefined when a model may, perhaps after it has touched a file that matches `paths`. */
export function whyNotForModel({ modelInvocable, commandsEnabled }: Pick<Skill, 'modelInvocable' | 'commandsEnabled'>): string | undefined {
  if (modelInvocable) return undefined
  // A closed skill runs no commands either (SPEC R2.5).
  return commandsEnabled
    ? 'it says `disable-model-invocation: true`'
    : 'a field that restricts it cannot be read: `skillcell validate` says which one'
}
