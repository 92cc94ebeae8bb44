// Remembers decisions that followed from the text and the rules alone. One that looked at the disk is made anew each time:
// a link may have been put there in between.

import type { DecisionContext } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Policy } from './load.ts'
import type { Rule } from './rule.ts'
import { Seen } from './seen.ts'

/** All that a decision depends on beside the policy and the text. */
type Key = Readonly<DecisionContext>

const maxEntries = 1_000
const maxTextChars = 2_000
const seen = new Seen()

interface Entry {
  readonly key: Key
  readonly decision: Decision
}

// By text; what else it depends on is compared. A text under two keys in turn is decided anew, which is right and rare.
const caches = new WeakMap<Policy, Map<string, Entry>>()

/** `decide` calls back when its answer depends on the disk. */
export function cachedDecision(policy: Policy, text: string, key: Key, decide: (onDisk: () => void) => Decision): Decision {
  if (text.length > maxTextChars) return decide(() => {})
  let cache = caches.get(policy)
  if (!cache) {
    cache = new Map()
    caches.set(policy, cache)
  }
  const known = cache.get(text)
  if (known && isSame(known.key, key)) return known.decision
  let dependsOnDisk = false
  const decision = decide(() => {
    dependsOnDisk = true
  })
  // A text that comes once is not kept: keeping it costs more than deciding it.
  if (dependsOnDisk || !seen.before(text)) return decision
  // The oldest goes: texts come in bursts of the same.
  if (cache.size >= maxEntries)
    for (const oldest of cache.keys()) {
      cache.delete(oldest)
      break
    }
  cache.set(text, { key: copyOf(key), decision })
  return decision
}

// The caller may change its lists later.
function copyOf(key: Key): Key {
  const { extraReadDirectories, grants, denials } = key
  return { ...key, extraReadDirectories: [...extraReadDirectories], grants: [...grants], ...(denials && { denials: [...denials] }) }
}

const noRules: readonly Rule[] = []

function isSame(a: Key, b: Key): boolean {
  return (
    a.workspace === b.workspace &&
    a.home === b.home &&
    a.maxCommandChars === b.maxCommandChars &&
    a.maxCommandDepth === b.maxCommandDepth &&
    areSame(a.extraReadDirectories, b.extraReadDirectories) &&
    areSame(a.grants, b.grants) &&
    areSame(a.denials ?? noRules, b.denials ?? noRules)
  )
}

function areSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}
