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

function ruleFor({ argv, rule }: SimpleCommandDecision): string | undefined {
  const [name, first] = argv
  // An ask rule asks again whatever is allowed.
  if (rule !== undefined || name === undefined || !/^[\w./:@%+,=-]+$/.test(name)) return undefined
  const words = withSubcommand.has(name) && first !== undefined && /^[a-z][\w:-]*$/.test(first) ? [name, first] : [name]
  const text = `Bash(${words.join(' ')} *)`
  return 'rule' in readRule([text], { source: '', root: '/' }) ? text : undefined
}
