// Reads the files and variables that configuration comes from. Each becomes a layer: checked options and where they stand.
// An unknown key is refused with near names; a file that is not there is no layer. Merging is config.ts's.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { isSystemError, messageOf, SkillcellError } from './errors.ts'
import { isRecord } from './is-record.ts'
import { type LimitName, limits } from './limits.ts'
import { nearNames } from './near-names.ts'
import { parseOptions, type RuntimeOptions } from './options.ts'
import { namedPolicies } from './policy/named-policies.ts'

export interface Layer {
  /** `default`, a file, `$NAME` or `flag`, for `skillcell config`. */
  readonly from: string
  /** May only narrow what is below it. */
  readonly ofProject: boolean
  readonly options: RuntimeOptions
}

/** Keys of a configuration file; `cwd` and `home` say where the files are, so they cannot stand in one. */
export const configurationKeys: readonly (keyof RuntimeOptions)[] = [
  'managedDir',
  'plugins',
  'policy',
  'allow',
  'ask',
  'deny',
  'trustedWorkspaces',
  'sandbox',
  'network',
  'networkHosts',
  'dialect',
  'sourceDialects',
  'precedence',
  'disableAgentSkillsDirectory',
  'disableBundledSkills',
  'mcpServers',
  'model',
  'modelAliases',
  'allowedModels',
  'modelProviders',
  'toolRestriction',
  'limits',
]

const maxFileBytes = 1024 * 1024

/** @throws {SkillcellError} CONFIG_INVALID with the file, and the line where there is one. */
export async function readConfigurationFile(path: string, home: string, ofProject: boolean): Promise<Layer | undefined> {
  const text = await readText(path)
  if (text === undefined) return undefined
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [error] = document.errors
  // Not the parser's own text with the line in it: the file may be a link to something private.
  if (error) throw invalid(path, `line ${lineCounter.linePos(error.pos[0]).line} is no YAML (${error.code})`)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 0 })
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause)
  }
  return { from: path, ofProject, options: checkedOptions(value ?? {}, path, home) }
}

/** `disableAgentSkillsDirectory` from a settings.json of Claude Code; what else stands there is not configuration of ours. */
export async function readClaudeSettings(path: string, ofProject: boolean): Promise<Layer | undefined> {
  const text = await readText(path)
  if (text === undefined || !text.includes('disableAgentSkillsDirectory')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalid(path, 'it is no JSON', cause)
  }
  const flag = isRecord(value) && Object.hasOwn(value, 'disableAgentSkillsDirectory') ? value.disableAgentSkillsDirectory : undefined
  if (flag === undefined) return undefined
  if (typeof flag !== 'boolean') throw invalid(path, '"disableAgentSkillsDirectory" is neither true nor false')
  return { from: path, ofProject, options: { disableAgentSkillsDirectory: flag } }
}

/** One layer for each variable that is set. An empty variable is not set. */
export function readEnvironment(environment: NodeJS.ProcessEnv): Layer[] {
  return environmentVariables.flatMap(({ name, read }) => {
    const text = environment[name]
    return text === undefined || text === '' ? [] : [{ from: `$${name}`, ofProject: false, options: parsed(`$${name}`, read(text, name)) }]
  })
}

interface Variable {
  readonly name: string
  readonly read: (text: string, name: string) => unknown
}

const lines = (text: string): string[] => text.split('\n').filter(line => line.trim() !== '')

const paths = (text: string): string[] =>
  text
    .split(delimiter)
    .filter(Boolean)
    .map(path => resolve(path))

const environmentVariables: readonly Variable[] = [
  { name: 'SKILLCELL_MANAGED_DIR', read: text => ({ managedDir: resolve(text) }) },
  { name: 'SKILLCELL_PLUGINS', read: text => ({ plugins: paths(text) }) },
  { name: 'SKILLCELL_POLICY', read: text => ({ policy: policyPath(text) }) },
  // One rule a line: rules hold commas and blanks.
  { name: 'SKILLCELL_ALLOW', read: text => ({ allow: lines(text) }) },
  { name: 'SKILLCELL_ASK', read: text => ({ ask: lines(text) }) },
  { name: 'SKILLCELL_DENY', read: text => ({ deny: lines(text) }) },
  { name: 'SKILLCELL_TRUSTED_WORKSPACES', read: text => ({ trustedWorkspaces: paths(text) }) },
  { name: 'SKILLCELL_SANDBOX', read: text => ({ sandbox: text }) },
  { name: 'SKILLCELL_NETWORK', read: text => ({ network: text }) },
  { name: 'SKILLCELL_NETWORK_HOSTS', read: text => ({ networkHosts: text.split(',').map(each => each.trim()) }) },
  { name: 'SKILLCELL_DIALECT', read: text => ({ dialect: text }) },
  { name: 'SKILLCELL_SOURCE_DIALECTS', read: readSourceDialects },
  { name: 'SKILLCELL_PRECEDENCE', read: text => ({ precedence: text.split(',').map(each => each.trim()) }) },
  { name: 'SKILLCELL_MODEL', read: text => ({ model: text }) },
  { name: 'ANTHROPIC_BASE_URL', read: text => ({ modelProviders: { anthropic: { baseUrl: text } } }) },
  { name: 'ANTHROPIC_API_KEY', read: text => ({ modelProviders: { anthropic: { apiKey: text } } }) },
  { name: 'OPENAI_BASE_URL', read: text => ({ modelProviders: { openai: { baseUrl: text } } }) },
  { name: 'OPENAI_API_KEY', read: text => ({ modelProviders: { openai: { apiKey: text } } }) },
  { name: 'SKILLCELL_TOOL_RESTRICTION', read: text => ({ toolRestriction: text }) },
  { name: 'CLAUDE_CODE_DISABLE_AGENT_SKILLS_DIR', read: readSwitch },
  { name: 'SKILLCELL_DISABLE_AGENT_SKILLS_DIR', read: readSwitch },
  ...Object.keys(limits).map(limit => ({
    name: `SKILLCELL_${limit.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
    read: (text: string) => ({ limits: { [limit]: /^\d+$/.test(text.trim()) ? Number(text) : text } }),
  })),
]

/** `plugin=claude,user=wave` */
function readSourceDialects(text: string, name: string): unknown {
  const entries = text.split(',').map(entry => {
    const [source = '', dialect, ...more] = entry.split('=').map(part => part.trim())
    if (dialect === undefined || more.length > 0) throw invalid(`$${name}`, `"${entry.trim()}" is no SOURCE=DIALECT, such as plugin=claude`)
    return [source, dialect] as const
  })
  const sources = entries.map(([source]) => source)
  const twice = sources.find((source, index) => sources.indexOf(source) < index)
  if (twice !== undefined) throw invalid(`$${name}`, `"${twice}" has two dialects; give it one`)
  return { sourceDialects: Object.fromEntries(entries) }
}

function readSwitch(text: string, name: string): RuntimeOptions {
  if (/^(1|true|yes|on)$/i.test(text)) return { disableAgentSkillsDirectory: true }
  if (/^(0|false|no|off)$/i.test(text)) return { disableAgentSkillsDirectory: false }
  throw invalid(`$${name}`, `"${text}" is neither 1 nor 0`)
}

/** The name of a policy that comes with skillcell stays; a path becomes absolute, from the current directory. */
export function policyPath(policy: string): string {
  return namedPolicies.includes(policy) ? policy : resolve(policy)
}

function absolute(path: string, folder: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(folder, path)
}

function checkedOptions(value: unknown, path: string, home: string): RuntimeOptions {
  if (!isRecord(value)) throw invalid(path, 'it is a list or a single value; write `key: value` lines')
  checkKeys(Object.keys(value), configurationKeys, path)
  if (isRecord(value.limits)) checkKeys(Object.keys(value.limits), Object.keys(limits) as LimitName[], path, 'limits.')
  const options = parsed(path, value)
  const from = (given: string): string => absolute(given, dirname(path), home)
  return {
    ...options,
    ...(options.managedDir !== undefined && { managedDir: from(options.managedDir) }),
    ...(options.plugins && { plugins: options.plugins.map(from) }),
    ...(options.trustedWorkspaces && { trustedWorkspaces: options.trustedWorkspaces.map(from) }),
    ...(options.policy !== undefined && { policy: namedPolicies.includes(options.policy) ? options.policy : from(options.policy) }),
  }
}

function checkKeys(keys: readonly string[], known: readonly string[], path: string, prefix = ''): void {
  const unknown = keys.find(key => !known.includes(key))
  if (unknown === undefined) return
  throw invalid(path, `unknown key "${prefix}${unknown}"; ${nearNames(unknown, known, prefix)}`)
}

function parsed(from: string, value: unknown): RuntimeOptions {
  try {
    return parseOptions(value)
  } catch (cause) {
    throw invalid(from, messageOf(cause).replace(/^Cannot use the options: /, ''), cause)
  }
}

/** A small regular file; undefined if there is none. A FIFO must not hang us, a device or a huge file not fill us. */
async function readText(path: string): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT', 'ENOTDIR')) return undefined
    throw invalid(path, messageOf(cause), cause)
  }
  try {
    const found = await file.stat()
    if (!found.isFile()) throw invalid(path, 'it is no regular file')
    if (found.size > maxFileBytes) throw invalid(path, `${found.size} bytes, and at most ${maxFileBytes} are read`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

export function invalid(from: string, problem: string, cause?: unknown): SkillcellError {
  return new SkillcellError('CONFIG_INVALID', `Cannot use ${from.startsWith('$') ? from : `"${from}"`}: ${problem}`, {
    cause,
    details: { from },
  })
}
