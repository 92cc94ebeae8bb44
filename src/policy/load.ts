// Builds the policy of a runtime from all its sources. Rules become one set, where a deny anywhere wins; scalars follow
// managed > user > project > run, and a project or a run may only narrow them. The only file of the room that touches the disk
// besides the ones it calls.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Diagnostic, SkillcellError } from '../errors.ts'
import type { SandboxMode, SourceName } from '../options.ts'
import { resolvePath } from './paths.ts'
import { type GrantMode, type PolicyFile, type PolicyScalars, readPolicyFile } from './policy-file.ts'
import { type Rule, type RuleKind, readRule } from './rule.ts'
import type { RuleSet } from './ruleset.ts'
import { readSettingsFile, type SettingsPermissions } from './settings-file.ts'

export interface Policy {
  readonly rules: RuleSet
  readonly scalars: PolicyScalars
  /** Bounds `ceiling` grants (SPEC R5.11). */
  readonly ceiling: PolicyFile['ceiling']
  /** Folders beside the workspace that commands may read: real paths. */
  readonly additionalDirectories: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
  readonly workspace: string
}

export interface PolicySources {
  readonly workspace: string
  readonly home: string
  readonly managedDir?: string | undefined
  /** A policy file, or the name of one that comes with skillcell. */
  readonly policy?: string | undefined
  /** Where a relative `policy` counts from. Default: the current directory. */
  readonly from?: string | undefined
  readonly allow?: readonly string[] | undefined
  readonly ask?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  /** Whether what stands in the workspace may allow; else it may deny and ask only (SPEC R17.10). */
  readonly trustWorkspace?: boolean | undefined
}

const defaults: PolicyScalars = {
  unmatched: 'ask',
  shellExecution: true,
  sandbox: 'auto',
  unattended: false,
  grants: { managed: 'full', project: 'full', user: 'full', plugin: 'full', bundled: 'full', mcp: 'none' },
}

/** @throws {SkillcellError} POLICY_INVALID: a policy that cannot be read stops the start, it never falls open */
export async function loadPolicy(sources: PolicySources): Promise<Policy> {
  const { workspace, home, managedDir, trustWorkspace = false } = sources
  const diagnostics: Diagnostic[] = []
  const managed = managedDir === undefined ? undefined : policyIn(managedDir, 'policy.yaml')
  const user = policyIn(join(home, '.skillcell'), 'policy.yaml')
  const project = policyIn(join(workspace, '.skillcell'), 'policy.yaml')
  const run = sources.policy === undefined ? undefined : readPolicyFile(sources.policy, sources.from ?? process.cwd())
  const outside = [
    managedDir === undefined ? undefined : readSettingsFile(join(managedDir, '.claude', 'settings.json')),
    readSettingsFile(join(home, '.claude', 'settings.json')),
  ]
  // The home may be the workspace: then its settings are the user's own.
  const own = home === workspace
  const inside = own ? [] : ['settings.json', 'settings.local.json'].map(name => readSettingsFile(join(workspace, '.claude', name)))

  const kept = <T extends { readonly allow: readonly Rule[] }>(source: T | undefined): T | undefined => {
    if (!source || trustWorkspace || own || source.allow.length === 0) return source
    for (const rule of source.allow) diagnostics.push(untrusted(rule))
    return { ...source, allow: [] }
  }
  const settings = [...outside, ...inside.map(kept)].filter((each): each is SettingsPermissions => each !== undefined)
  const files = [managed, user, kept(project), run].filter((each): each is PolicyFile => each !== undefined)
  const rules = (kind: RuleKind): readonly Rule[] => [
    ...[...files, ...settings].flatMap(each => each[kind]),
    ...(sources[kind] ?? []).map(text => flagRule(kind, text, workspace)),
  ]
  for (const each of settings) diagnostics.push(...each.diagnostics)
  const granting = trustWorkspace || own ? settings : outside.filter((each): each is SettingsPermissions => each !== undefined)

  return {
    rules: { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') },
    scalars: resolveScalars(user, managed, [project, run]),
    ceiling: files.flatMap(file => file.ceiling),
    additionalDirectories: granting
      .flatMap(each => each.additionalDirectories)
      .map(folder => resolvePath(resolve(workspace, folder.replace(/^~(?=\/|$)/, home))).real),
    diagnostics,
    workspace,
  }
}

function policyIn(folder: string, name: string): PolicyFile | undefined {
  const path = join(folder, name)
  return existsSync(path) ? readPolicyFile(path, folder) : undefined
}

function flagRule(kind: RuleKind, text: string, workspace: string): Rule {
  const read = readRule([text], { source: `--${kind}`, root: workspace })
  if ('problem' in read) throw new SkillcellError('POLICY_INVALID', `Cannot use --${kind}: ${read.problem}`)
  return read.rule
}

function untrusted(rule: Rule): Diagnostic {
  return {
    code: 'RULE_UNTRUSTED',
    severity: 'warning',
    message: `Ignored "allow: ${rule.text}": what stands in a workspace may deny and ask only; put it into ~/.skillcell/policy.yaml, give it as --allow, or trust the workspace (option trustedWorkspaces, --trust-workspace)`,
    path: rule.source,
    ...(rule.line === undefined ? {} : { line: rule.line }),
  }
}

function resolveScalars(
  user: PolicyFile | undefined,
  managed: PolicyFile | undefined,
  narrowing: readonly (PolicyFile | undefined)[],
): PolicyScalars {
  const merge = (base: PolicyScalars, file: PolicyFile | undefined): PolicyScalars => ({
    ...base,
    ...file?.scalars,
    grants: { ...base.grants, ...file?.scalars.grants },
  })
  const settled = merge(merge(defaults, user), managed)
  return narrowing.reduce<PolicyScalars>((scalars, file) => narrow(scalars, file?.scalars ?? {}), settled)
}

const sandboxStrictness: readonly SandboxMode[] = ['off', 'auto', 'required']
const grantStrictness: readonly GrantMode[] = ['full', 'ceiling', 'none']

function narrow(base: PolicyScalars, given: PolicyFile['scalars']): PolicyScalars {
  const stricter = <T>(order: readonly T[], a: T, b: T | undefined): T => (b !== undefined && order.indexOf(b) > order.indexOf(a) ? b : a)
  const grants = Object.fromEntries(
    Object.entries(base.grants).map(([name, mode]) => [name, stricter(grantStrictness, mode, given.grants?.[name as SourceName])]),
  ) as Record<SourceName, GrantMode>
  return {
    unmatched: stricter(['ask', 'deny'], base.unmatched, given.unmatched),
    shellExecution: base.shellExecution && given.shellExecution !== false,
    sandbox: stricter(sandboxStrictness, base.sandbox, given.sandbox),
    unattended: base.unattended || given.unattended === true,
    grants,
  }
}
