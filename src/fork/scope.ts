// What one agent of a run may use: its rights as the gate wants them, and how a skill that it invokes changes them (SPEC R5.7).

import type { DialectOf } from '../dialect.ts'
import { type Rule, readRule } from '../policy/rule.ts'
import { turnProblem } from '../policy/tool-decision.ts'
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
  readonly dialectOf: DialectOf
  readonly workspace: string
  /** Names of all tools there are here. */
  readonly tools: readonly string[]
}

export function openScope({ agentId, type, skill, granted, parent, dialectOf, workspace, tools }: ScopeStart): AgentScope {
  const before: Pick<CallRights, 'denials' | 'readable' | 'turn'> = parent?.rights ?? { denials: [], readable: [], turn: { without: [] } }
  // What limits the caller limits what it starts, or a fork would be a way around it.
  const only = common([before.turn.only, limitOf(skill, dialectOf), type.tools && [...type.tools, freeTool]])
  const without = [...type.disallowedTools, ...skill.disallowedTools]
  const rights = narrowed({ ...before, skill, grants: granted.rules }, { skill, only, without, workspace })
  const mayUse = (name: string): boolean => turnProblem(name, rights.turn) === undefined
  const depth = (parent?.depth ?? 0) + 1
  return { ...(agentId !== undefined && { agentId }), type, depth, rights, offered: new Set(tools.filter(mayUse)) }
}

/** An inline skill that the agent invoked: its grants and limits are the agent's until the turn ends. */
export function withInlineSkill(
  scope: AgentScope,
  skill: Skill,
  granted: GrantedTools,
  dialectOf: DialectOf,
  workspace: string,
): AgentScope {
  const { rights } = scope
  const only = common([rights.turn.only, limitOf(skill, dialectOf)])
  const grants = [...rights.grants, ...granted.rules]
  return { ...scope, rights: narrowed({ ...rights, grants }, { skill, only, without: skill.disallowedTools, workspace }) }
}

/** What is in all lists that there are; undefined when there is none. */
function common(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter(list => list !== undefined)
  return given.length === 0 ? undefined : given.reduce((left, list) => left.filter(name => list.includes(name)))
}

interface Narrowing {
  /** Its folders may be read from now on. */
  readonly skill: Skill
  readonly only: readonly string[] | undefined
  /** Rules of `disallowed-tools`. */
  readonly without: readonly string[]
  readonly workspace: string
}

/** What was forbidden before stays forbidden. */
function narrowed(rights: CallRights, { skill, only, without, workspace }: Narrowing): CallRights {
  return {
    ...rights,
    denials: [...rights.denials, ...denials(without, skill, workspace)],
    readable: [...new Set([...rights.readable, ...foldersOf(skill)])],
    turn: { ...(only && { only }), without: [...rights.turn.without, ...without.filter(isBareTool)] },
  }
}

function limitOf(skill: Skill, dialectOf: DialectOf): readonly string[] | undefined {
  if (dialectOf(skill.source).toolRestriction === 'none' || skill.allowedTools.length === 0) return undefined
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
