// What a file of `agents/` says beyond the fields of a skill: which tools its agent is offered and how long it may work, and what is wrong
// with that. Pure. Rights are the policy's: no field of such a file gives any.

import type { Diagnostic } from '../errors.ts'
import { isKnownTool, toolNames } from '../tool-names.ts'
import type { Skill } from './skill.ts'
import { parseToolList, toolOfRule } from './tool-list.ts'

export interface AgentFields {
  /** Names of tools; undefined is all there are. */
  readonly tools?: readonly string[]
  readonly maxTurns?: number
  readonly diagnostics: readonly Diagnostic[]
}

/** @param skill as it was read; its `extra` holds what a skill has not */
export function readAgentFields({ id, path, extra }: Pick<Skill, 'id' | 'path' | 'extra'>): AgentFields {
  const { maxTurns: givenTurns, tools: listed, ...others } = extra
  const tools = readTools(listed)
  const maxTurns = readCount(givenTurns)
  const told = (severity: Diagnostic['severity'], message: string): Diagnostic => ({
    code: 'AGENT_FIELD',
    severity,
    message: `Agent "${id}": ${message}`,
    path,
  })
  return {
    ...(tools.names && { tools: tools.names }),
    ...(maxTurns !== undefined && { maxTurns }),
    diagnostics: [
      ...tools.problems.map(problem => told('warning', problem)),
      ...(isGiven(givenTurns) && maxTurns === undefined
        ? [told('warning', `"maxTurns" is ${shown(givenTurns)}, and a whole number from 1 is wanted; the limit of the runtime holds`)]
        : []),
      ...Object.keys(others)
        .filter(name => !silent.has(name))
        .map(name => told('note', withoutEffect[name] ?? `"${name}" is no field of an agent and has no effect`)),
    ],
  }
}

/** What is only for the eyes. */
const silent: ReadonlySet<string> = new Set(['color', 'version', 'author', 'license', 'metadata', 'tags', 'category'])

const withoutEffect: Readonly<Record<string, string>> = {
  permissionMode: '"permissionMode" has no effect: what an agent may do is decided by the policy',
  ...Object.fromEntries(
    ['skills', 'mcpServers', 'memory', 'background', 'isolation', 'initialPrompt'].map(name => [name, `"${name}" has no effect here`]),
  ),
}

interface ToolsField {
  readonly names?: readonly string[]
  readonly problems: readonly string[]
}

/** A list that cannot be read forbids: the agent gets no tools rather than all. */
function readTools(listed: unknown): ToolsField {
  if (!isGiven(listed)) return { problems: [] }
  const text = Array.isArray(listed) ? listed.filter(each => typeof each === 'string').join(',') : typeof listed === 'string' ? listed : ''
  const named = [...new Set(parseToolList(text).rules.map(toolOfRule))]
  if (named.includes('*')) return { problems: [] }
  const names = named.filter(isKnownTool)
  const unknown = named.filter(name => !isKnownTool(name))
  return {
    names,
    problems: [
      ...unknown.map(name => `"tools" names an unknown tool "${name}"; there are ${toolNames.join(', ')}`),
      ...(names.length === 0 ? ['"tools" names no tool, so the agent has none; leave it out for all'] : []),
    ],
  }
}

function readCount(value: unknown): number | undefined {
  const count = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
  return Number.isInteger(count) && count >= 1 ? count : undefined
}

/** A key without a value says nothing. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `"${value}"` : 'no number'
}
