// Decides a tool call that is no command: files on their real path, web domains, MCP tools, agent types, skills. Same rules, same
// order: deny → ask → allow → what needs no rule → unmatched. Commands are decide.ts's.

import { dirname } from 'node:path'
import { isInside } from '../inside.ts'
import type { DecisionContext } from './decide.ts'
import type { Decision, DecisionKind } from './decision.ts'
import { DiskLooks } from './disk-looks.ts'
import { allowedByPath, type FileContext, firedByPath } from './file-access.ts'
import type { Policy } from './load.ts'
import { compilePattern, matches, type PatternPiece } from './match.ts'
import { type ResolvedPath, resolvePath } from './paths.ts'
import type { Rule } from './rule.ts'

export type ToolRequest =
  | { readonly tool: 'Read' | 'Glob' | 'Grep'; readonly path: string }
  | { readonly tool: 'Edit' | 'Write'; readonly path: string }
  | { readonly tool: 'WebFetch'; readonly url: string }
  | { readonly tool: 'Agent'; readonly name: string }
  /**
   * `carries`: what makes a skill more than text (SPEC R5.9): grants, hooks, a fork. `aliases`: other names of it, for deny and ask.
   */
  | { readonly tool: 'Skill'; readonly name: string; readonly aliases?: readonly string[]; readonly carries: boolean }
  /** MCP tools, TodoWrite and whatever has a name only. */
  | { readonly tool: string; readonly name?: undefined; readonly path?: undefined; readonly url?: undefined }

/** What `allowed-tools` and `disallowed-tools` leave for a turn (SPEC R5.7). */
export interface TurnTools {
  /** Names of the tools that may be used; undefined is no limit. */
  readonly only?: readonly string[]
  readonly without: readonly string[]
}

/** @param request paths absolute or relative to the workspace */
export function decideTool(policy: Policy, request: ToolRequest, context: DecisionContext, turn: TurnTools = { without: [] }): Decision {
  const limited = turnProblem(request.tool, turn)
  if (limited) return { decision: 'deny', reason: limited, source: 'tools of the turn', commands: [] }
  const decision = decide(policy, request, context)
  if (!policy.scalars.unattended || decision.decision !== 'ask') return decision
  return { ...decision, decision: 'deny', reason: `${decision.reason}; the policy is unattended, so nobody can be asked` }
}

/** Why a turn may not use a tool at all; undefined when it may. */
export function turnProblem(tool: string, { only, without }: TurnTools): string | undefined {
  if (without.includes(tool)) return `${tool} is disallowed for this turn`
  return only && !only.includes(tool) ? `${tool} is not among the tools of this turn: ${only.join(', ') || 'none'}` : undefined
}

function decide(policy: Policy, request: ToolRequest, context: DecisionContext): Decision {
  const allow = [...policy.rules.allow, ...context.grants]
  const rules = { ...policy.rules, allow, deny: [...policy.rules.deny, ...(context.denials ?? [])] }
  for (const kind of ['deny', 'ask'] as const) {
    const rule = rules[kind].find(each => each.tool === request.tool && each.specifier === undefined)
    if (rule) return answer(kind, `${rule.text} covers every use of ${request.tool}`, rule)
  }
  if ('path' in request && request.path !== undefined) {
    const { path } = request
    const resolved = resolvePath(path.startsWith('/') ? path : `${context.workspace}/${path}`)
    return { ...decideFile(policy, request, resolved, { ...context, rules }), realPath: resolved.real }
  }
  for (const kind of ['deny', 'ask', 'allow'] as const) {
    const rule = rules[kind].find(each => namesRequest(each, request, kind) && withinCeiling(each, request))
    if (rule) return answer(kind, `${rule.text} covers it`, rule)
  }
  if (request.tool === 'Skill' && 'carries' in request && !request.carries)
    return answer('allow', 'a skill without grants, hooks and fork is text')
  if (request.tool === 'TodoWrite') return answer('allow', 'it touches nothing but the list of the agent')
  if (request.tool === 'Agent') return answer('allow', 'the skill that starts it was decided, and each of its calls will be')
  return answer(policy.scalars.unmatched, `No rule allows ${shown(request)}`)
}

type FileRequest = Extract<ToolRequest, { readonly path: string }>

function decideFile(
  policy: Policy,
  { tool, path }: FileRequest,
  resolved: ResolvedPath,
  context: DecisionContext & Pick<FileContext, 'rules'>,
): Decision {
  const { workspace, extraReadDirectories } = context
  const files: FileContext = {
    ...context,
    readDirectories: [workspace, ...policy.additionalDirectories, ...extraReadDirectories.map(folder => resolvePath(folder).real)],
    onDisk: () => {},
    looks: new DiskLooks(),
  }
  const access = tool === 'Edit' || tool === 'Write' ? 'write' : 'read'
  const fired = firedByPath(access, resolved, files)
  if (fired) return answer(fired.decision, fired.reason, fired.rule)
  const rule = allowedByPath(access, resolved, files)
  if (rule) return answer('allow', `${rule.text} covers it`, rule)
  if (access === 'read' && files.readDirectories.some(folder => isInside(resolved.real, folder)))
    return answer('allow', 'reading inside the workspace needs no rule')
  const what = access === 'read' ? `reading "${path}", which lies outside the workspace` : `writing "${path}"`
  return answer(policy.scalars.unmatched, `No rule allows ${what} (its folder is "${dirname(resolved.real)}")`)
}

function namesRequest(rule: Rule, request: ToolRequest, kind: DecisionKind = 'allow'): boolean {
  if (rule.tool.startsWith('mcp__')) return namesMcpTool(rule.tool, request.tool)
  if (rule.tool !== request.tool) return false
  if (!rule.specifier) return true
  if ('url' in request && request.url !== undefined) return namesDomain(rule.specifier, request.url)
  if (!('name' in request) || request.name === undefined) return false
  const { specifier } = rule
  // What is forbidden by one of its names is forbidden; what is allowed is the one that has the name.
  const names = [request.name, ...(kind !== 'allow' && 'aliases' in request ? (request.aliases ?? []) : [])]
  return names.some(name => namesName(specifier, name))
}

function withinCeiling(rule: Rule, request: ToolRequest): boolean {
  return rule.within === undefined || rule.within.some(each => namesRequest(each, request))
}

/** `mcp__server` and `mcp__server__*` are every tool of the server. */
function namesMcpTool(pattern: string, tool: string): boolean {
  if (pattern === tool || tool.startsWith(`${pattern}__`)) return true
  return pattern.endsWith('*') && tool.startsWith(pattern.slice(0, -1))
}

/** `name`, `name *` (with any arguments) or `prefix:*` (ids beginning `prefix:` and `prefix` itself). */
function namesName(specifier: readonly PatternPiece[], name: string): boolean {
  const text = textOf(specifier)
  if (text.endsWith(':*')) return name === text.slice(0, -2) || name.startsWith(text.slice(0, -1))
  return matches(compilePattern(specifier), name)
}

/** `domain:host`: case does not count; `*.host` is any depth below it and not the host itself, another `*` stays in its label. */
function namesDomain(specifier: readonly PatternPiece[], url: string): boolean {
  const host = hostOf(url)
  const pattern = textOf(specifier)
    .replace(/^domain:/, '')
    .toLowerCase()
    .replace(/\.$/, '')
  if (host === undefined) return false
  if (pattern === '*') return true
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
  const labels = pattern.split('.')
  const given = host.split('.')
  return labels.length === given.length && labels.every((label, index) => matches(compilePattern([label]), given[index] ?? ''))
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.toLowerCase().replace(/\.$/, '')
  } catch {
    return undefined // no address: no rule names it
  }
}

function textOf(specifier: readonly PatternPiece[]): string {
  return specifier.map(piece => (typeof piece === 'string' ? piece : piece.literal)).join('')
}

function shown(request: ToolRequest): string {
  const detail = [('path' in request && request.path) || ('url' in request && request.url) || ('name' in request && request.name)].find(
    each => each,
  )
  return detail === undefined ? request.tool : `${request.tool}(${detail})`
}

function answer(decision: DecisionKind, reason: string, rule?: Rule): Decision {
  return { decision, reason, ...(rule ? { rule: rule.text, source: rule.source } : {}), commands: [] }
}
