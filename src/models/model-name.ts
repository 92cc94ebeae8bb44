// Which model a run gets: names as people, skills and agent files write them → `anthropic:ID`, `openai:ID` or `script:FILE` (SPEC R8.3,
// R16.7). Pure. A name of a skill or an agent file is one of a stranger: it gives no more than aliases, the default model's provider, or
// what an allowlist holds, and it never opens a file.

import { SkillcellError } from '../errors.ts'
import { safeText } from './safe-text.ts'

export type ModelProvider = 'anthropic' | 'openai' | 'script'

export type ModelName =
  | { readonly type: 'full'; readonly provider: ModelProvider; readonly id: string }
  /** A model id without a provider; it may hold a colon (`llama3:8b`). */
  | { readonly type: 'bare'; readonly id: string }
  | { readonly type: 'inherit' }

const maxNameChars = 200

/** Undefined for what is no name: nothing, too long, a control character, or a blank in an id. */
export function parseModelName(text: string): ModelName | undefined {
  const name = text.trim()
  const [, prefix, rest] = /^(anthropic|openai|script):(.*)$/is.exec(name) ?? []
  const provider = prefix?.toLowerCase()
  // A file may have any name that a path can have.
  if (provider === 'script') return rest ? (/\p{Cc}/u.test(rest) ? undefined : { type: 'full', provider, id: rest }) : undefined
  const id = rest ?? name
  if (id === '' || id.length > maxNameChars || /[\s\p{Cc}\p{Cf}]/u.test(id)) return undefined
  if (provider === 'anthropic' || provider === 'openai') return { type: 'full', provider, id }
  return id.toLowerCase() === 'inherit' ? { type: 'inherit' } : { type: 'bare', id }
}

export interface ModelChoice {
  /** What was asked for first: the flag of a run, or the skill's `model`. */
  readonly asked?: string | undefined
  /** Who asked: only a flag may name any model there is. */
  readonly from: 'flag' | 'skill' | 'agent'
  /** The agent file's `model`, which counts where nothing was asked. */
  readonly agentModel?: string | undefined
  /** `--model`, SKILLCELL_MODEL or configuration. */
  readonly defaultName?: string | undefined
  /** Alias → name, from configuration. */
  readonly aliases: Readonly<Record<string, string>>
  /** Names that a skill or agent file may use; `openai:*` is all of a provider. Without it: any id of the default model's provider. */
  readonly allowed?: readonly string[] | undefined
  /** Providers with an address or a key, for messages. */
  readonly configured?: readonly string[] | undefined
}

interface Wish {
  readonly text: string
  readonly from: ModelChoice['from']
}

/**
 * The name of the model to use. A default that is a script answers for every model that is permitted: a recorded run must not leave its
 * script when a skill in it names another model.
 * @throws {SkillcellError} MODEL_UNAVAILABLE that lists what there is.
 */
export function resolveModel(choice: ModelChoice): string {
  const { asked, agentModel, defaultName, from } = choice
  if (asked !== undefined) return resolveWish({ text: asked, from }, choice)
  if (agentModel !== undefined) return resolveWish({ text: agentModel, from: 'agent' }, choice)
  if (defaultName !== undefined) return defaultModel(choice)
  throw refusal(`Cannot run a model: none is configured; give ${wantedNames('ID')}, or set SKILLCELL_MODEL`, choice)
}

function resolveWish(wish: Wish, choice: ModelChoice): string {
  const alias = aliasOf(wish.text, choice.aliases)
  const name = alias === undefined ? parseModelName(wish.text) : configuredName(alias, choice, `the alias ${quoted(wish.text)}`)
  if (name === undefined) throw refusal(`Cannot use the model ${quoted(wish.text)}${ofWhom(wish)}: it is not a name of a model`, choice)
  if (name.type === 'inherit') return defaultModel(choice)
  if (name.type === 'bare' && isUsualAlias(name.id))
    return scriptOf(choice) ?? fail(`Cannot use the model ${quoted(wish.text)}${ofWhom(wish)}: that alias is not configured`, choice)
  const fullName =
    nameOf(name, choice) ??
    fail(`Cannot use the model ${quoted(wish.text)}${ofWhom(wish)}: it names no provider, and there is no default model`, choice)
  if (wish.from === 'flag') return fullName
  // An alias is ours, and yet a stranger chooses it: a script answers to whoever chose it as the default, and to nobody else.
  if (alias !== undefined && fullName.startsWith('script:') && scriptOf(choice) === undefined)
    throw refusal(`Cannot use the model ${quoted(wish.text)}${ofWhom(wish)}: it is a script, which only the default model may be`, choice)
  if (alias === undefined && !isPermitted(name, fullName, choice)) {
    const why =
      name.type === 'full' && name.provider === 'script'
        ? 'only a flag or the configuration names a script'
        : 'it is not among those allowed'
    throw refusal(`Cannot use the model ${quoted(wish.text)}${ofWhom(wish)}: ${why}`, choice)
  }
  return scriptOf(choice) ?? fullName
}

function isPermitted(name: ModelName, fullName: string, choice: ModelChoice): boolean {
  if (name.type === 'full' && name.provider === 'script') return false
  const isDefault = choice.defaultName !== undefined && fullName === defaultModel(choice)
  if (isDefault) return true
  if (choice.allowed === undefined) return name.type === 'bare'
  const provider = fullName.slice(0, fullName.indexOf(':'))
  return choice.allowed.some(entry => {
    const allowed = aliasOf(entry, choice.aliases) ?? entry
    if (allowed.trim().toLowerCase() === `${provider}:*`) return true
    const parsed = parseModelName(allowed)
    return parsed !== undefined && parsed.type !== 'inherit' && nameOf(parsed, choice) === fullName
  })
}

/** A bare id belongs to the provider of the default model; to a script it is the script. */
function nameOf(name: Exclude<ModelName, { type: 'inherit' }>, choice: ModelChoice): string | undefined {
  if (name.type === 'full') return `${name.provider}:${name.id}`
  if (choice.defaultName === undefined) return undefined
  const provider = defaultModel(choice)
  return provider.startsWith('script:') ? provider : `${provider.slice(0, provider.indexOf(':'))}:${name.id}`
}

function scriptOf(choice: ModelChoice): string | undefined {
  const name = choice.defaultName === undefined ? undefined : defaultModel(choice)
  return name?.startsWith('script:') === true ? name : undefined
}

/** The default is ours: an alias or a full name. */
function defaultModel(choice: ModelChoice): string {
  const { defaultName, aliases } = choice
  if (defaultName === undefined) throw refusal('Cannot inherit a model: no default model is configured', choice)
  const name = configuredName(aliasOf(defaultName, aliases) ?? defaultName, choice, `the default model ${quoted(defaultName)}`)
  if (name.type === 'full') return `${name.provider}:${name.id}`
  throw refusal(
    `Cannot use the default model ${quoted(defaultName)}: it must name its provider, as in ${wantedNames(name.type === 'bare' ? name.id : 'ID')}`,
    choice,
  )
}

function configuredName(text: string, choice: ModelChoice, what: string): ModelName {
  const name = parseModelName(text)
  if (name !== undefined) return name
  throw refusal(`Cannot use ${what}: ${quoted(text)} is not a name of a model`, choice)
}

/** What an alias stands for. */
export function aliasOf(text: string, aliases: ModelChoice['aliases']): string | undefined {
  const name = text.trim().toLowerCase()
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined
}

function isUsualAlias(name: string): boolean {
  return ['haiku', 'sonnet', 'opus'].includes(name.toLowerCase())
}

function ofWhom({ from }: Wish): string {
  return from === 'flag' ? '' : from === 'skill' ? ' of the skill' : ' of the agent type'
}

function quoted(text: string): string {
  return `"${safeText(text, undefined).slice(0, maxNameChars)}"`
}

/** What a person may type. */
function wantedNames(id: string): string {
  return `--model anthropic:${safeText(id, undefined).slice(0, maxNameChars)}, openai:${safeText(id, undefined).slice(0, maxNameChars)} or script:FILE`
}

function fail(message: string, choice: ModelChoice): never {
  throw refusal(message, choice)
}

function refusal(message: string, { defaultName, aliases, allowed, configured }: ModelChoice): SkillcellError {
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))
  const facts = [
    `default: ${defaultName ?? 'none'}`,
    `aliases: ${list(Object.entries(aliases).map(([alias, name]) => `${alias} = ${name}`))}`,
    ...(allowed === undefined ? [] : [`allowed: ${list(allowed)}`]),
    ...(configured === undefined ? [] : [`configured providers: ${list(configured)}`]),
  ]
  return new SkillcellError('MODEL_UNAVAILABLE', `${message} (${facts.join('; ')})`)
}
