// What this machine gives for confining commands, as lines for `doctor` (SPEC R6.2, R6.8). Looks and starts a probe; changes nothing.

import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { execaSync } from 'execa'
import { controlGroups } from './control-groups.ts'
import { limitsNotEnforced } from './resource-limits.ts'
import { findHostProgram, sandboxProblem } from './sandbox.ts'

export interface SandboxFact {
  readonly name: string
  readonly holds: boolean
  /** Nothing is missing; it is good to know. */
  readonly isNote?: true
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
  const host = findHostProgram()
  if (problem === undefined && host !== undefined) facts.push(hostFact(host))
  const spaces = readNumber('/proc/sys/user/max_user_namespaces')
  facts.push({
    name: 'user namespaces',
    holds: spaces !== 0,
    detail: spaces === 0 ? 'switched off: set sysctl user.max_user_namespaces' : `up to ${spaces ?? 'unknown'}`,
  })
  if (process.getuid?.() === 0) {
    facts.push({
      name: 'user',
      holds: true,
      isNote: true,
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
  facts.push(limitsFact(problem === undefined ? 'bubblewrap' : 'none', groups.controllers))
  return facts
}

/** @param program path of the shell that hosts the commands of cells */
export function hostFact(program: string): SandboxFact {
  const detail = program.endsWith('/dash')
    ? program
    : `${program}: a command starts faster with dash (Debian, Ubuntu: apt-get install dash)`
  return { name: 'shell host', holds: true, isNote: true, detail }
}

/** @param groups controllers that are had */
export function limitsFact(sandbox: 'bubblewrap' | 'none', groups: ReadonlySet<string>, userId?: number): SandboxFact {
  const missing = limitsNotEnforced(sandbox, groups, userId)
  const isHeld = (controller: string) => sandbox === 'bubblewrap' && groups.has(controller)
  const processes = isHeld('pids') || !missing.some(text => text.startsWith('maxProcesses'))
  const byKernel = [
    ...['CPU time, file size, open files and memory of each process'],
    ...(isHeld('memory') ? ['memory of a command'] : []),
    ...(processes ? ['processes of a command'] : []),
  ]
  const byLooking = [
    ...['CPU time of a command'],
    ...(isHeld('memory') ? [] : ['memory of a command']),
    ...(processes ? [] : ['processes of a command']),
  ]
  const detail = [`held by the kernel: ${byKernel.join(', ')}`, `looked at every 250 ms: ${byLooking.join(', ')}`, ...missing].join('; ')
  return { name: 'limits', holds: missing.length === 0, detail }
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
