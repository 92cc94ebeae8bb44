// What the policy room is told of a runtime: where its rules come from and where a command would run.

import type { DecisionContext } from './policy/decide.ts'
import type { PolicySources } from './policy/load.ts'
import type { Setup } from './setup.ts'

/** Where the policy of a runtime comes from; `more` are rules for one question. */
export function policySources(setup: Setup, more: Partial<Setup['rules']> = {}): PolicySources {
  const { realWorkspace, home, managedDir, policy, rules, trustWorkspace } = setup
  return {
    workspace: realWorkspace,
    home,
    managedDir,
    policy,
    trustWorkspace,
    allow: [...rules.allow, ...(more.allow ?? [])],
    ask: [...rules.ask, ...(more.ask ?? [])],
    deny: [...rules.deny, ...(more.deny ?? [])],
  }
}

export function decisionContext(
  { realWorkspace, home, limits }: Setup,
  run: Pick<DecisionContext, 'extraReadDirectories' | 'grants' | 'denials'>,
): DecisionContext {
  return { workspace: realWorkspace, home, maxCommandChars: limits.maxCommandChars, maxCommandDepth: limits.maxCommandDepth, ...run }
}
