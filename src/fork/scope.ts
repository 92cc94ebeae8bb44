// What one agent of a run may use: its rights as the gate wants them, and how a skill that it invokes changes them (SPEC R5.7).

import type { Rule } from '../policy/rule.ts'
import { readRule } from '../policy/rule.ts'
import type { Skill } from '../skills/skill.ts'
import { toolOfRule } from '../skills/tool-list.ts'
import { type CallRights, foldersOf, type GrantedTools } from '../tool-gate.ts'
import type { AgentType } from './agent-types.ts'

/** A list of work, and no effect: a limit on tools does not take it away. */
const freeTool = 'TodoWrite'

/** Most levels of agents, the first counted (SPEC R8.4). */
export const maxAgentDepth = 3

export interface AgentScope {
  /** Absent for the agent of the run itself. */
  readonly agentId?: string
  readonly type: AgentType
  readonly depth: number
  readonly rights: CallRights
  /** Names of the tools that its model was offered. */
  readonly offered: ReadonlySet<string>
}

export interface ScopeStart {
  readonly agentId?: string
  readonly type: AgentType
  readonly skill: Skill
  readonly granted: GrantedTools
  /** The agent that invoked the skill. */
  readonly parent?: AgentScope
  readonly toolRestriction: 'turn' | 'none'
  readonly workspace: string
  /** Names of all tools there are here. */
  readonly tools: readonly string[]
}

export function openScope({ agentId, type, skill, granted, parent, toolRestriction, workspace, tools }: ScopeStart): AgentScope {
  // What a skill names for itself was decided with the skill; one that names nothing has no more than its caller.
  const only = limitOf(skill, toolRestriction) ?? parent?.rights.turn.only
  const without = [...type.disallowedTools, ...skill.disallowedTools]
  const rights: CallRights = {
    skill,
    grants: granted.rules,
    // What was forbidden to the caller stays forbidden.
    denials: [...(parent?.rights.denials ?? []), ...denials(without, skill, workspace)],
    readable: [...new Set([...(parent?.rights.readable ?? []), ...foldersOf(skill)])],
    turn: { ...(only && { only }), without: [...(parent?.rights.turn.without ?? []), ...without.filter(isBareTool)] },
  }
  const mayUse = (name: string): boolean =>
    (type.tools === undefined || type.tools.includes(name) || name === freeTool) &&
    (only === undefined || only.includes(name)) &&
    !rights.turn.without.includes(name)
  return {
    ...(agentId !== undefined && { agentId }),
    type,
    depth: (parent?.depth ?? 0) + 1,
    rights,
    offered: new Set(tools.filter(mayUse)),
  }
}

/** An inline skill that the agent invoked: its grants and limits are the agent's until the turn ends. */
export function withInlineSkill(
  scope: AgentScope,
  skill: Skill,
  granted: GrantedTools,
  toolRestriction: 'turn' | 'none',
  workspace: string,
): AgentScope {
  const { rights } = scope
  const limit = limitOf(skill, toolRestriction)
  const before = rights.turn.only
  const only = limit && before ? before.filter(name => limit.includes(name)) : (limit ?? before)
  const turn = { ...(only && { only }), without: [...rights.turn.without, ...skill.disallowedTools.filter(isBareTool)] }
  return {
    ...scope,
    rights: {
      ...rights,
      grants: [...rights.grants, ...granted.rules],
      denials: [...rights.denials, ...denials(skill.disallowedTools, skill, workspace)],
      readable: [...new Set([...rights.readable, ...foldersOf(skill)])],
      turn,
    },
  }
}

function limitOf(skill: Skill, toolRestriction: 'turn' | 'none'): readonly string[] | undefined {
  if (toolRestriction === 'none' || skill.allowedTools.length === 0) return undefined
  return [...new Set([...skill.allowedTools.map(({ text }) => toolOfRule(text)), freeTool])]
}

function isBareTool(rule: string): boolean {
  return toolOfRule(rule) === rule
}

/**
 * A bare tool is taken away by name: as a rule, `Write` would mean Edit too. With both gone nothing may write, redirections of commands
 * neither, and that is the rule `Edit`.
 */
function denials(without: readonly string[], skill: Skill, workspace: string): readonly Rule[] {
  const cannotWrite = ['Edit', 'Write'].every(name => without.includes(name))
  return [...without.filter(rule => !isBareTool(rule)), ...(cannotWrite ? ['Edit'] : [])].flatMap(text => {
    const read = readRule([text], { source: `disallowed-tools of ${skill.id}`, root: workspace })
    return 'rule' in read ? [read.rule] : []
  })
}
