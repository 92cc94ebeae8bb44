// The policies that come with skillcell: files of policies/ that a configuration may name instead of a path.

import { join } from 'node:path'
import { packageRoot } from '../package-root.ts'

export const namedPolicies: readonly string[] = ['default', 'read-only', 'unattended', 'trusted']

/** The file of a policy of that name; undefined if there is none. */
export function namedPolicyFile(name: string): string | undefined {
  return namedPolicies.includes(name) ? join(packageRoot, 'policies', `${name}.yaml`) : undefined
}
