// The tool Skill: another skill, by its name. Which there are stands in the listing, not here.

import { z } from 'zod'
import { oneLine } from './input-fields.ts'
import type { Tool } from './tool.ts'

export interface SkillInput {
  readonly skill_name: string
  readonly args?: string | undefined
}

export const skillTool: Tool<SkillInput> = {
  name: 'Skill',
  description: [
    'Invokes a skill of the listing by its name. An inline skill gives its instructions, which you then follow; a forked one does its task and gives the result.',
    'Use it when the description of a skill fits the task, before other work on it. Invoke only names that are listed.',
  ].join('\n'),
  input: z.strictObject({
    skill_name: z.string().min(1).max(200).describe('As listed, without a slash'),
    args: z.string().max(100_000).optional().describe('Arguments, as a user would type them after the name'),
  }),
  isReadOnly: false,
  target: ({ skill_name: name }) => ({ name }),
  mainParameter: ({ skill_name, args }) => oneLine(args === undefined ? skill_name : `${skill_name} ${args}`),
}
