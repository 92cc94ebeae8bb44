// The flags that every command takes, before or after its name (SPEC R15), and what they mean as options of a runtime.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { dialects } from '../dialect.ts'
import type { RuntimeOptions } from '../options.ts'

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value]

export function addCommonFlags(command: Command): Command {
  const options = [
    new Option('--json', 'print JSON to stdout and nothing else there'),
    new Option('--cwd <dir>', 'the workspace (default: the current folder)'),
    new Option('--policy <file>', 'a policy file, or one of default, read-only, unattended, trusted'),
    new Option('--home <dir>', "instead of the user's home"),
    new Option('--managed <dir>', 'managed skills and policy'),
    new Option('--plugin <dir>', 'a plugin folder; may be given again').argParser(collect),
    new Option('--allow <rule>', 'allow what matches, such as "Bash(git log *)"; may be given again').argParser(collect),
    new Option('--ask <rule>', 'ask for what matches; may be given again').argParser(collect),
    new Option('--deny <rule>', 'deny what matches; may be given again').argParser(collect),
    new Option('--trust-workspace', 'let the settings and the policy in the workspace allow, too'),
    new Option('--sandbox <mode>', 'confine commands').choices(['required', 'auto', 'off']),
    new Option('--dialect <name>', 'whose meaning a SKILL.md has').choices(Object.keys(dialects)),
    new Option('--command-timeout-ms <n>', 'time limit of one command, in ms').argParser(wholeNumber),
    new Option('--no-input', 'ask nobody: what would be asked is refused'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Common options:'))
  return command
}

export interface CommonFlags {
  readonly json: boolean
  readonly input: boolean
  readonly options: RuntimeOptions
}

/** The flags of a command and of those above it: lists add up, the nearest of others wins. */
export function commonFlags(command: Command): CommonFlags {
  let json = false
  let input = true
  let trusts = false
  let options: RuntimeOptions = {}
  for (const given of chain(command)) {
    json ||= given.json === true
    input &&= given.input !== false
    options = mergeFlags(options, given)
    trusts ||= given.trustWorkspace === true
  }
  if (trusts) options = { ...options, trustedWorkspaces: [options.cwd ?? process.cwd()] }
  return { json, input, options }
}

/** What commander has parsed: the argParsers and choices above checked it. */
interface ParsedFlags {
  readonly json?: boolean
  readonly input?: boolean
  readonly cwd?: string
  readonly policy?: string
  readonly home?: string
  readonly managed?: string
  readonly plugin?: readonly string[]
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
  readonly trustWorkspace?: boolean
  readonly sandbox?: RuntimeOptions['sandbox']
  readonly dialect?: RuntimeOptions['dialect']
  readonly commandTimeoutMs?: number
}

function chain(command: Command): ParsedFlags[] {
  return [...(command.parent ? chain(command.parent) : []), command.opts<ParsedFlags>()]
}

function mergeFlags(below: RuntimeOptions, given: ParsedFlags): RuntimeOptions {
  const { cwd, policy, home, managed, plugin, allow, ask, deny, sandbox, dialect, commandTimeoutMs } = given
  return {
    ...below,
    ...(cwd !== undefined && { cwd }),
    ...(home !== undefined && { home }),
    ...(managed !== undefined && { managedDir: managed }),
    ...(policy !== undefined && { policy }),
    ...(sandbox !== undefined && { sandbox }),
    ...(dialect !== undefined && { dialect }),
    ...(commandTimeoutMs !== undefined && { limits: { commandTimeoutMs } }),
    ...(plugin && { plugins: [...(below.plugins ?? []), ...plugin] }),
    ...(allow && { allow: [...(below.allow ?? []), ...allow] }),
    ...(ask && { ask: [...(below.ask ?? []), ...ask] }),
    ...(deny && { deny: [...(below.deny ?? []), ...deny] }),
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is no whole number.')
}
