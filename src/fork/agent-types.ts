// The types of agents that a fork can name: four of ours and those of `agents/*.md` (SPEC R8.1). A file of the same name replaces ours.
// A type says what its agent is told, which tools it may be offered and how long it may work; rights are the policy's.

import type { Diagnostic } from '../errors.ts'
import { SkillcellError } from '../errors.ts'
import { readAgentFields } from '../skills/agent-fields.ts'
import type { LoadedSkill } from '../skills/skill.ts'

export interface AgentType {
  readonly name: string
  /** The system prompt. */
  readonly system: string
  /** Names of tools; undefined is all there are. */
  readonly tools?: readonly string[]
  readonly disallowedTools: readonly string[]
  /** A name or an alias. */
  readonly model?: string
  readonly effort?: string
  readonly maxTurns?: number
}

const searching = ['Read', 'Glob', 'Grep', 'Bash', 'TodoWrite']

const builtIn: readonly AgentType[] = [
  {
    name: 'general-purpose',
    system: [
      'You carry out one task on your own, from start to end, with the tools you are given.',
      'Look before you act: find the files that matter, read them, then work. Use Glob and Grep to find, Read to read, and Bash for programs.',
      'A tool that is refused stays refused: take another way, or say that there is none.',
      'Nobody answers questions while you work. Your last message is all that the one who asked will see: say what you did and what you found, with the paths that matter, and what is left open.',
    ].join('\n'),
    disallowedTools: [],
  },
  {
    name: 'Explore',
    system: [
      'You find things out in a workspace and change nothing in it.',
      'Start wide with Glob and Grep, read only what the question needs, and follow the trail until you can answer. Run several searches in one turn where they do not depend on each other. Bash is for commands that only read.',
      'Your last message is the answer: what you found, each with its path and line, and how sure you are.',
    ].join('\n'),
    tools: searching,
    disallowedTools: [],
  },
  {
    name: 'Plan',
    system: [
      'You plan a change to a workspace and make none.',
      'Read what stands there first: how it is built, which conventions it follows, what the change touches. Weigh more than one way where there is one.',
      'Your last message is the plan: the steps in order, the files of each, what could go wrong, how to check that it worked, and the files that matter most.',
    ].join('\n'),
    tools: searching,
    disallowedTools: [],
  },
  {
    name: 'Bash',
    system: [
      'You run commands in a shell to do one task. Bash is the only tool you have.',
      'Each command runs in a fresh shell in the workspace: nothing of the one before is left but the files. Quote paths, chain what belongs together with &&, and look at the output before you go on.',
      'Your last message says what you ran, what came of it, and the exit codes of what failed.',
    ].join('\n'),
    tools: ['Bash'],
    disallowedTools: [],
  },
]

export const defaultAgentType = 'general-purpose'

/** For an inline skill that is run as a turn: the tools are all there are. */
export const mainAgent: AgentType = {
  name: 'main',
  system: [
    'You work in a workspace with the tools you are given. The message is the text of a skill: do what it says.',
    'A tool that is refused stays refused: take another way, or say that there is none. Your last message is the answer to whoever invoked the skill.',
  ].join('\n'),
  disallowedTools: [],
}

export interface AgentFile {
  readonly name: string
  readonly load: () => Promise<LoadedSkill>
}

/**
 * The type of a name.
 * @param files the agents that were found, by name
 * @throws {SkillcellError} AGENT_NOT_FOUND that lists those there are; SKILL_INVALID, SKILL_UNREADABLE of a broken file.
 */
export async function findAgentType(name: string, files: readonly AgentFile[], tell: (diagnostic: Diagnostic) => void): Promise<AgentType> {
  const file = files.find(each => each.name === name)
  if (file) return agentTypeOf(await file.load(), tell)
  const known = builtIn.find(each => each.name === name)
  if (known) return known
  const names = [...new Set([...builtIn.map(each => each.name), ...files.map(each => each.name)])]
  throw new SkillcellError('AGENT_NOT_FOUND', `Cannot start the agent "${name}": there are ${names.join(', ')}`, {
    details: { name, known: names },
  })
}

/** What a file of `agents/` says. What it says that is not for us (permissions, memory, colours) has no effect. */
function agentTypeOf({ skill, body }: LoadedSkill, tell: (diagnostic: Diagnostic) => void): AgentType {
  const { tools, maxTurns, diagnostics } = readAgentFields(skill)
  for (const diagnostic of diagnostics) tell(diagnostic)
  return {
    name: skill.id,
    system: body.trim() === '' ? skill.description : body.trim(),
    ...(tools && { tools }),
    disallowedTools: skill.disallowedTools,
    ...(skill.model !== undefined && { model: skill.model }),
    ...(skill.effort !== undefined && { effort: skill.effort }),
    ...(maxTurns !== undefined && { maxTurns }),
  }
}
