// Turns the options of a runtime into what the rooms need: absolute folders that exist, limits with their defaults, variables read once.

import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { OnAsk } from './ask.ts'
import { mergeOptions } from './config.ts'
import { policyPath, readEnvironment } from './config-files.ts'
import { createDialectOf, type DialectOf, dialects } from './dialect.ts'
import { isSystemError, messageOf, SkillcellError } from './errors.ts'
import { type Limits, resolveLimits } from './limits.ts'
import { type ModelProviders, type NetworkMode, parseOptions, type RuntimeOptions, type SandboxMode, type SourceName } from './options.ts'
import type { BundledSkill, McpServer, SkillChanges } from './source-options.ts'
import { stateDirectory } from './state.ts'

export interface Setup {
  /** Absolute, as given: prompts and commands see this one. */
  readonly workspace: string
  /** What policy compares with: rules match real paths. */
  readonly realWorkspace: string
  readonly home: string
  readonly managedDir?: string
  readonly plugins: readonly string[]
  /** The name of a policy of ours or an absolute path. */
  readonly policy?: string
  readonly rules: { readonly allow: readonly string[]; readonly ask: readonly string[]; readonly deny: readonly string[] }
  /** What stands in the workspace may allow too (SPEC R17.10). */
  readonly trustWorkspace: boolean
  readonly sandbox?: SandboxMode
  readonly network: NetworkMode
  readonly networkHosts: readonly string[]
  /** What a skill means, with its time limit and tool restriction; `limits` knows nothing of sources. */
  readonly dialectOf: DialectOf
  readonly precedence: readonly SourceName[]
  readonly disableAgentSkillsDirectory: boolean
  readonly limits: Limits
  readonly state: string
  readonly bundledSkills: readonly (string | BundledSkill)[]
  readonly disableBundledSkills: boolean
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly models: ModelSettings
  readonly onAsk?: OnAsk
  readonly onSkillsChanged?: (changes: SkillChanges) => void
}

export interface ModelSettings {
  /** The default model, by name. */
  readonly name?: string
  readonly aliases: Readonly<Record<string, string>>
  readonly allowed: readonly string[]
  readonly providers: ModelProviders
}

/** @throws {SkillcellError} CONFIG_INVALID */
export async function prepareSetup(given: RuntimeOptions, environment: NodeJS.ProcessEnv): Promise<Setup> {
  const options = parseOptions(given)
  const dialect = dialects[options.dialect ?? 'skillcell']
  const home = resolve(options.home ?? homedir())
  const workspace = resolve(options.cwd ?? process.cwd())
  const realWorkspace = await realFolder(workspace)
  const defaults = fromEnvironment(environment)
  const managedDir = options.managedDir ?? defaults.managedDir
  return {
    workspace,
    realWorkspace,
    home,
    ...(managedDir !== undefined && { managedDir: resolve(managedDir) }),
    plugins: (options.plugins ?? []).map(plugin => resolve(plugin)),
    ...(options.policy !== undefined && { policy: policyPath(options.policy) }),
    rules: { allow: options.allow ?? [], ask: options.ask ?? [], deny: options.deny ?? [] },
    trustWorkspace: await isTrusted(realWorkspace, options.trustedWorkspaces ?? []),
    ...(options.sandbox !== undefined && { sandbox: options.sandbox }),
    ...networkOf(options),
    dialectOf: createDialectOf(options),
    precedence: options.precedence ?? dialect.precedence,
    disableAgentSkillsDirectory: options.disableAgentSkillsDirectory ?? defaults.disableAgentSkillsDirectory ?? false,
    limits: resolveLimits(options.limits, dialect.name),
    state: stateDirectory(home, environment),
    bundledSkills: options.bundledSkills ?? [],
    disableBundledSkills: options.disableBundledSkills ?? false,
    mcpServers: options.mcpServers ?? {},
    models: modelSettings(options, defaults),
    ...(options.onAsk && { onAsk: options.onAsk }),
    ...(options.onSkillsChanged && { onSkillsChanged: options.onSkillsChanged }),
  }
}

/**
 * What a policy requires holds; else the caller's wish does. That "auto" is what a policy says that says nothing,
 * so it does not stand against "off".
 */
export function sandboxOf(asked: SandboxMode | undefined, ofPolicy: SandboxMode): SandboxMode {
  return ofPolicy === 'required' ? ofPolicy : (asked ?? ofPolicy)
}

/** Why injected commands cannot run in a shell of that name; undefined when they can (SPEC R4.8). */
export function shellProblem(shell: string): string | undefined {
  if (shell === 'bash' || shell === 'sh') return undefined
  const wish = shell === 'powershell' ? 'it asks for PowerShell, which skillcell does not run here' : `it asks for the shell "${shell}"`
  return `${wish}; there are bash and sh`
}

/** @throws {SkillcellError} USAGE. A session id may become part of a log line or a variable, never of a path (SPEC R16.3). */
export function checkedSession(id: string): string {
  if (/^[A-Za-z0-9._-]{1,128}$/.test(id)) return id
  throw new SkillcellError('USAGE', 'Cannot use the session id: it needs 1 to 128 letters, digits, ".", "_" or "-"')
}

function networkOf({ network = 'none', networkHosts = [] }: RuntimeOptions): Pick<Setup, 'network' | 'networkHosts'> {
  if (network === 'allowlist' && networkHosts.length === 0)
    throw new SkillcellError('CONFIG_INVALID', 'Cannot use network "allowlist" without networkHosts: list the hosts, or choose "none"')
  return { network, networkHosts }
}

/** The folder itself, by its real path: trust in a folder says nothing of what lies in it. */
async function isTrusted(realWorkspace: string, trusted: readonly string[]): Promise<boolean> {
  for (const folder of trusted) {
    try {
      if ((await realpath(resolve(folder))) === realWorkspace) return true
    } catch {
      // One that is not there is not this one.
    }
  }
  return false
}

async function realFolder(workspace: string): Promise<string> {
  try {
    const real = await realpath(workspace)
    if ((await stat(real)).isDirectory()) return real
  } catch (cause) {
    const problem = isSystemError(cause, 'ENOENT') ? 'there is no such folder' : messageOf(cause)
    throw new SkillcellError('CONFIG_INVALID', `Cannot use "${workspace}" as workspace: ${problem}`, { cause })
  }
  throw new SkillcellError('CONFIG_INVALID', `Cannot use "${workspace}" as workspace: it is no folder`)
}

// Names for the library too: where the managed skills are, a switch that others have, and how models are reached.
const libraryVariables = [
  'SKILLCELL_MANAGED_DIR',
  'SKILLCELL_DISABLE_AGENT_SKILLS_DIR',
  'CLAUDE_CODE_DISABLE_AGENT_SKILLS_DIR',
  'SKILLCELL_MODEL',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_API_KEY',
]

function fromEnvironment(environment: NodeJS.ProcessEnv): RuntimeOptions {
  const layers = readEnvironment(Object.fromEntries(libraryVariables.map(name => [name, environment[name]])))
  return layers.reduce((below: RuntimeOptions, { options }) => mergeOptions(below, options), {})
}

function modelSettings(options: RuntimeOptions, defaults: RuntimeOptions): ModelSettings {
  const name = options.model ?? defaults.model
  return {
    ...(name !== undefined && { name }),
    aliases: options.modelAliases ?? {},
    allowed: options.allowedModels ?? [],
    providers: mergeOptions(defaults, options).modelProviders ?? {},
  }
}
