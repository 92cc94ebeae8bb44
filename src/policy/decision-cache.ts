// Remembers decisions that followed from the text and the rules alone. One that looked at the disk is made anew each time:
// a link may have been put there in between.

import type { DecisionContext } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Policy } from './load.ts'

/** All that a decision depends on beside the policy and the text. */
type Key = Readonly<DecisionContext>

const maxEntries = 1_000
const maxTextChars = 2_000

const caches = new WeakMap<Policy, Map<string, Decision>>()

/** `decide` calls back when its answer depends on the disk. */
export function cachedDecision(policy: Policy, text: string, key: Key, decide: (onDisk: () => void) => Decision): Decision {
  if (text.length > maxTextChars) return decide(() => {})
  let cache = caches.get(policy)
  if (!cache) {
    cache = new Map()
    caches.set(policy, cache)
  }
  const name = nameOf(text, key)
  const known = cache.get(name)
  if (known) return known
  let dependsOnDisk = false
  const decision = decide(() => {
    dependsOnDisk = true
  })
  // A text that comes once is not kept: keeping it costs more than deciding it.
  if (dependsOnDisk || !seenBefore(name)) return decision
  // The oldest goes: texts come in bursts of the same.
  if (cache.size >= maxEntries)
    for (const oldest of cache.keys()) {
      cache.delete(oldest)
      break
    }
  cache.set(name, decision)
  return decision
}

// One bit a text, by its hash: a text that shares its bit with another is kept one time too early, which harms nobody.
const seen = new Uint8Array(65_536)

function seenBefore(name: string): boolean {
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0
  const place = (hash ^ (hash >>> 16)) & 65_535
  const before = seen[place] === 1
  seen[place] = 1
  return before
}

function nameOf(
  text: string,
  { workspace, home, extraReadDirectories, grants, denials = [], maxCommandChars, maxCommandDepth }: Key,
): string {
  let name = `${workspace}\0${home}\0${maxCommandChars}\0${maxCommandDepth}`
  for (const folder of extraReadDirectories) name += `\0${folder}`
  for (const { text: rule, source } of grants) name += `\0${rule}\0${source}`
  for (const { text: rule } of denials) name += `\0!${rule}`
  return `${name}\n${text}`
}
