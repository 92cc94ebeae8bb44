// Decides one command text (SPEC R5): deny → ask → allow → built-in read-only set → unmatched. Allow needs every simple command,
// deny and ask fire on any. What cannot be read for certain is never allowed by a pattern. Pure but for the real paths it looks up.

import { defaultParseLimits } from '../bash/parse.ts'
import type { Decision } from './decision.ts'
import { cachedDecision } from './decision-cache.ts'
import { DiskLooks } from './disk-looks.ts'
import { Judge } from './judge.ts'
import type { Policy } from './load.ts'
import { resolvePath } from './paths.ts'
import type { Rule } from './rule.ts'
import { loadTables } from './tables.ts'

/** Where a command would run, and what holds for this run beside the policy. */
export interface DecisionContext {
  /** Absolute real path. Relative paths, the read-only set and `cd` are about it. */
  readonly workspace: string
  readonly home: string
  /** Folders beside the workspace that may be read, never written: the skill's own and its plugin's (SPEC R5.6). */
  readonly extraReadDirectories: readonly string[]
  /** Allow rules of the run: what `allowed-tools` grants. */
  readonly grants: readonly Rule[]
  /** Deny rules that a person saved. */
  readonly denials?: readonly Rule[]
  readonly maxCommandChars?: number
  readonly maxCommandDepth?: number
}

/** @param text the exact text that bash will be given */
export function decideCommand(policy: Policy, text: string, context: DecisionContext): Decision {
  return cachedDecision(policy, text, context, onDisk => {
    const decision = judgeOf(policy, context, onDisk).text(text)
    if (!policy.scalars.unattended || decision.decision !== 'ask') return decision
    return { ...decision, decision: 'deny', reason: `${decision.reason}; the policy is unattended, so nobody can be asked` }
  })
}

function judgeOf({ rules, scalars, additionalDirectories }: Policy, context: DecisionContext, onDisk: () => void): Judge {
  const { workspace, home, grants, denials = [], extraReadDirectories, maxCommandChars, maxCommandDepth } = context
  return new Judge({
    workspace,
    home,
    rules: grants.length + denials.length > 0 ? { ...rules, allow: [...rules.allow, ...grants], deny: [...rules.deny, ...denials] } : rules,
    readDirectories: [workspace, ...additionalDirectories, ...extraReadDirectories.map(folder => resolvePath(folder).real)],
    tables: loadTables(),
    unmatched: scalars.unmatched,
    limits: { maxChars: maxCommandChars ?? defaultParseLimits.maxChars, maxDepth: maxCommandDepth ?? defaultParseLimits.maxDepth },
    onDisk,
    looks: new DiskLooks(),
  })
}
