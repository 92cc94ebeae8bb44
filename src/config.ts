// Configuration of the command line: the user's file, the project's, the environment, flags, in rising strength (SPEC R15).
// Rules and plugins of all layers add up, dialects of sources and limits go name by name, other values replace each other.
// A project's file may only narrow; what widens is refused.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { configurationKeys, invalid, type Layer, readClaudeSettings, readConfigurationFile, readEnvironment } from './config-files.ts'
import { shownProviders, shownServers } from './config-secrets.ts'
import { createDialectOf, dialects } from './dialect.ts'
import { type LimitName, type Limits, resolveLimits } from './limits.ts'
import { type ModelProviders, type RuntimeOptions, sourceNames } from './options.ts'

export interface ConfigurationValue {
  /** `limits.commandTimeoutMs` for a limit. */
  readonly key: string
  /** What may be a secret is told as set, never shown. */
  readonly value: unknown
  /** Weakest first: `default`, a file, `$NAME`, `flag`. A list, or `sourceDialects`, has all that added to it, another value one. */
  readonly from: readonly string[]
}

export interface Configuration {
  readonly options: RuntimeOptions
  readonly values: readonly ConfigurationValue[]
}

/** @throws {SkillcellError} CONFIG_INVALID that names the file, the variable or the key. */
export async function readConfiguration(flags: RuntimeOptions, environment: NodeJS.ProcessEnv): Promise<Configuration> {
  const cwd = resolve(flags.cwd ?? process.cwd())
  const home = resolve(flags.home ?? homedir())
  const layers = await Promise.all([
    readClaudeSettings(join(home, '.claude', 'settings.json'), false),
    readConfigurationFile(join(home, '.skillcell', 'config.yaml'), home, false),
    // With the home as workspace its files are the user's own, once.
    ...(cwd === home
      ? []
      : [
          readClaudeSettings(join(cwd, '.claude', 'settings.json'), true),
          readClaudeSettings(join(cwd, '.claude', 'settings.local.json'), true),
          readConfigurationFile(join(cwd, '.skillcell', 'config.yaml'), home, true),
        ]),
  ])
  const found = [
    ...layers.filter(layer => layer !== undefined),
    ...readEnvironment(environment),
    { from: 'flag', ofProject: false, options: flags },
  ]
  let options: RuntimeOptions = {}
  for (const layer of found) options = mergeOptions(options, layer.ofProject ? narrowed(layer, options) : layer.options)
  options = { ...options, cwd, home }
  return { options, values: explain(found, options) }
}

const added = ['plugins', 'allow', 'ask', 'deny', 'trustedWorkspaces'] as const

/** A layer above another. */
export function mergeOptions(below: RuntimeOptions, above: RuntimeOptions): RuntimeOptions {
  const lists = added.flatMap(key =>
    below[key] || above[key] ? [[key, [...new Set([...(below[key] ?? []), ...(above[key] ?? [])])]]] : [],
  )
  const given = Object.fromEntries(Object.entries(above).filter(([, value]) => value !== undefined))
  const providers = mergedProviders(below.modelProviders, above.modelProviders)
  return {
    ...below,
    ...given,
    ...Object.fromEntries(lists),
    ...(providers && { modelProviders: providers }),
    ...((below.sourceDialects || above.sourceDialects) && { sourceDialects: { ...below.sourceDialects, ...above.sourceDialects } }),
    limits: { ...below.limits, ...above.limits },
  }
}

/** Field by field: a key from the environment goes with an address from a file. */
function mergedProviders(below: ModelProviders | undefined, above: ModelProviders | undefined): ModelProviders | undefined {
  if (!below || !above) return above ?? below
  return {
    anthropic: { ...below.anthropic, ...above.anthropic },
    openai: { ...below.openai, ...above.openai },
  }
}

/** Limits of which a smaller value takes something away from the skills of a project and from nobody else. */
const projectLimits: ReadonlySet<string> = new Set<LimitName>([
  'commandTimeoutMs',
  'maxOutputChars',
  'previewChars',
  'maxSpillBytes',
  'maxSkillBytes',
  'maxFrontmatterBytes',
  'maxArgumentsBytes',
  'maxCommandChars',
  'maxCommandDepth',
  'listingBudgetChars',
  'expansionTimeoutMs',
  'injectionConcurrency',
])

const sandboxStrength = { off: 0, auto: 1, required: 2 } as const

/** The options of a project's file, if each of them narrows. @throws {SkillcellError} CONFIG_INVALID for one that would widen. */
function narrowed({ from, options }: Layer, below: RuntimeOptions): RuntimeOptions {
  const refuse = (key: string, allowed: string): never => {
    throw invalid(from, `a project may only narrow, and "${key}" would not: ${allowed}`)
  }
  const dialectOf = createDialectOf(below)
  const current = {
    ...resolveLimits(below.limits, below.dialect ?? 'skillcell'),
    // One number for all sources: it may give more time to none of them.
    commandTimeoutMs: Math.min(...sourceNames.map(source => dialectOf(source).commandTimeoutMs)),
  }
  for (const [key, value] of Object.entries(options)) {
    if (key === 'deny' || key === 'ask') continue
    if (key === 'disableAgentSkillsDirectory') {
      // `false` asks for nothing new while nobody below has said true.
      if (value === false && below.disableAgentSkillsDirectory) refuse(key, 'it may only be true')
    } else if (key === 'sandbox') {
      if (options.sandbox && sandboxStrength[options.sandbox] < sandboxStrength[below.sandbox ?? 'auto'])
        refuse(key, `it may only be stricter than "${below.sandbox ?? 'auto'}"`)
    } else if (key === 'trustedWorkspaces') {
      refuse(key, 'a workspace cannot trust itself; put it into ~/.skillcell/config.yaml or give --trust-workspace')
    } else if (key === 'limits') {
      for (const [name, limit] of Object.entries(options.limits ?? {})) {
        if (!projectLimits.has(name)) refuse(`limits.${name}`, `only ${[...projectLimits].join(', ')} may be lowered here`)
        const most = current[name as keyof Limits]
        if (limit > most) refuse(`limits.${name}`, `it is ${limit}, and may be at most ${most}`)
      }
    } else {
      refuse(
        key,
        'put it into ~/.skillcell/config.yaml or give it as a flag; a project may set deny, ask, sandbox, disableAgentSkillsDirectory and limits',
      )
    }
  }
  return options
}

function explain(layers: readonly Layer[], options: RuntimeOptions): ConfigurationValue[] {
  const dialect = dialects[options.dialect ?? 'skillcell']
  const defaults: RuntimeOptions = {
    policy: 'default',
    plugins: [],
    allow: [],
    ask: [],
    deny: [],
    trustedWorkspaces: [],
    sandbox: 'auto',
    dialect: 'skillcell',
    sourceDialects: {},
    precedence: dialect.precedence,
    disableAgentSkillsDirectory: false,
    disableBundledSkills: false,
    network: 'none',
    networkHosts: [],
    mcpServers: {},
    modelAliases: {},
    allowedModels: [],
    toolRestriction: dialect.toolRestriction,
  }
  const shown: RuntimeOptions = {
    ...(options.modelProviders && { modelProviders: shownProviders(options.modelProviders) }),
    ...(options.mcpServers && { mcpServers: shownServers(options.mcpServers) }),
  }
  const place = (has: (options: RuntimeOptions) => boolean, all: boolean): readonly string[] => {
    const places = layers.filter(layer => has(layer.options)).map(layer => layer.from)
    return places.length === 0 ? ['default'] : all ? places : places.slice(-1)
  }
  const plain = (['cwd', 'home', ...configurationKeys] as const)
    .filter(key => key !== 'limits')
    .map(key => ({
      key,
      value: shown[key] ?? options[key] ?? defaults[key] ?? null,
      from: place(given => given[key] !== undefined, key === 'sourceDialects' || added.some(each => each === key)),
    }))
  const limits = Object.entries(resolveLimits(options.limits, dialect.name)).map(([name, value]) => ({
    key: `limits.${name}`,
    value,
    from: place(given => given.limits?.[name as LimitName] !== undefined, false),
  }))
  return [...plain, ...limits]
}
