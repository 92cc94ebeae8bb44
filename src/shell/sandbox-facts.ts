// What this machine gives for confining commands, as lines for `doctor` (SPEC R6.2, R6.8). Looks and starts a probe; changes nothing.

import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { execaSync } from 'execa'
import { controlGroups } from './control-groups.ts'
import { limitsNotEnforced } from './resource-limits.ts'
import { sandboxProblem } from './sandbox.ts'

export interface SandboxFact {
  readonly name: string
  readonly holds: boolean
  /** For people; where it does not hold, what to do. */
  readonly detail: string
}

export function sandboxFacts(bubblewrap: string = 'bwrap'): SandboxFact[] {
  const problem = sandboxProblem(bubblewrap)
  const facts: SandboxFact[] = [
    { name: 'kernel', holds: process.platform === 'linux', detail: `${process.platform} ${release()}` },
    { name: 'cell', holds: problem === undefined, detail: problem ?? versionOf(bubblewrap) },
  ]
  if (process.platform !== 'linux') return facts
  const spaces = readNumber('/proc/sys/user/max_user_namespaces')
  facts.push({
    name: 'user namespaces',
    holds: spaces !== 0,
    detail: spaces === 0 ? 'switched off: set sysctl user.max_user_namespaces' : `up to ${spaces ?? 'unknown'}`,
  })
  if (process.getuid?.() === 0) {
    facts.push({
      name: 'user',
      holds: false,
      detail: 'root: what a cell does not hide, root may read; start skillcell as the owner of the workspace (setpriv --reuid)',
    })
  }
  const groups = controlGroups()
  facts.push({
    name: 'control groups',
    holds: groups.problems.length === 0,
    detail: [
      groups.controllers.size === 0
        ? 'none: limits are looked at every 250 ms'
        : `each cell has its own: ${[...groups.controllers].join(', ')}`,
      ...groups.problems.map(problem => `not had: ${problem}`),
    ].join('; '),
  })
  const missing = limitsNotEnforced(problem === undefined ? 'bubblewrap' : 'none', groups.controllers)
  facts.push({ name: 'limits', holds: missing.length === 0, detail: missing.join('; ') || 'all enforced' })
  return facts
}

function versionOf(bubblewrap: string): string {
  return execaSync(bubblewrap, ['--version'], { reject: false, timeout: 5_000 }).stdout.trim()
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
