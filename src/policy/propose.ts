// The rules that would cover what was asked: one for each simple command, as narrow as a person would write it, at most five.

import type { Decision, SimpleCommandDecision } from './decision.ts'
import { readRule } from './rule.ts'
import type { ToolRequest } from './tool-decision.ts'

const maxRules = 5

// Programs whose first word says what they do.
const withSubcommand: ReadonlySet<string> = new Set(
  'apt apt-get aws az brew bun cargo composer conda deno docker dotnet flutter gcloud gem gh git go gradle helm just kubectl make mvn nix npm npx pip pip3 pnpm podman poetry rustup systemctl task terraform uv yarn'.split(
    ' ',
  ),
)

// Programs that destroy what they are given, change what may be done with it, or do anything at all as somebody else; two words where only
// a sub-command does.
const destroying: ReadonlySet<string> = new Set([
  ...['rm', 'rmdir', 'unlink', 'mv', 'dd', 'shred', 'truncate', 'wipefs', 'mkfs', 'fdisk', 'parted', 'mkswap', 'ln', 'install', 'tee'],
  ...['chmod', 'chown', 'chgrp', 'setfacl', 'chattr', 'mount', 'umount', 'kill', 'pkill', 'killall', 'shutdown', 'reboot', 'crontab'],
  ...['sudo', 'doas', 'su', 'userdel', 'systemctl stop', 'systemctl disable', 'git clean', 'git reset', 'git rm', 'terraform destroy'],
  ...['docker', 'podman'].flatMap(name => ['rm', 'rmi', 'kill', 'prune'].map(word => `${name} ${word}`)),
  ...['kubectl delete', 'helm uninstall', 'helm delete', 'npm publish', 'npm unpublish', 'cargo publish'],
])

export interface Proposal {
  readonly simpleCommands: readonly string[]
  readonly rules: readonly string[]
}

/** What a decision asks for. A command that no pattern can allow is proposed nothing. */
export function proposeRules(decision: Decision): Proposal {
  const asked = decision.commands.filter(command => command.decision === 'ask')
  const rules = new Set(asked.flatMap(command => ruleFor(command) ?? []))
  return { simpleCommands: asked.map(({ text }) => text), rules: [...rules].slice(0, maxRules) }
}

/** The rule that would cover a call of a tool that is no command: a file, a domain, a name. A path is absolute and its signs are literal. */
export function proposeToolRules(request: ToolRequest): readonly string[] {
  const { tool } = request
  const text =
    'path' in request && request.path !== undefined
      ? `${tool === 'Edit' || tool === 'Write' ? 'Edit' : 'Read'}(/${request.path})`
      : 'url' in request && request.url !== undefined
        ? `WebFetch(domain:${new URL(request.url).hostname})`
        : 'name' in request && request.name !== undefined
          ? `${tool}(${request.name})`
          : tool
  // A name with the signs of a pattern would allow more than was asked.
  return /[*?[\]{}!\\\n]/.test(text) || !('rule' in readRule([text], { source: '', root: '/' })) ? [] : [text]
}

function ruleFor({ argv, rule, text: source }: SimpleCommandDecision): string | undefined {
  const [name, first] = argv
  // An ask rule asks again whatever is allowed.
  if (rule !== undefined || name === undefined || !isPlain(name)) return undefined
  if (destroys(argv)) return exactRule(argv, source)
  const words = withSubcommand.has(name) && first !== undefined && /^[a-z][\w:-]*$/.test(first) ? [name, first] : [name]
  const text = `Bash(${words.join(' ')} *)`
  return 'rule' in readRule([text], { source: '', root: '/' }) ? text : undefined
}

/** A word that no pattern, no quote and no shell gives another meaning. */
function isPlain(word: string): boolean {
  return /^[\w./:@%+,=-]+$/.test(word)
}

/** Yes to one file is no yes to all: the command itself, where it can be written as a rule without a sign of a pattern. */
function exactRule(argv: readonly string[], source: string): string | undefined {
  const text = argv.join(' ')
  // What was written has to be what is allowed: a word that cannot be known stands for any number of others.
  if (!argv.every(isPlain) || text !== source.trim()) return undefined
  return `Bash(${text})`
}

function destroys([name = '', ...rest]: readonly string[]): boolean {
  const program = name.slice(name.lastIndexOf('/') + 1)
  if (destroying.has(program) || program.startsWith('mkfs.')) return true
  // Options of the program may stand before the word that says what it does.
  return rest.some(word => destroying.has(`${program} ${word}`))
}
