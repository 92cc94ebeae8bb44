// The limits of a command as words for `ulimit`, and what of them does not hold here (SPEC R6.3, R6.8).
// Set in the process that becomes the command, soft and hard, before it reads its text. They hold for each process; usage.ts sums up.

import { constants } from 'node:os'
import type { Limits } from '../limits.ts'

type ResourceLimits = Pick<Limits, 'maxCpuSeconds' | 'maxFileBytes' | 'maxOpenFiles' | 'maxProcesses' | 'maxMemoryMb'>

/** `-Xvalue` pairs as `-X=value`. `blockBytes` is what `ulimit -f` counts in: 1,024 in bash, 512 in a POSIX shell. */
export function ulimitWords(limits: ResourceLimits, blockBytes: 512 | 1024): string[] {
  const { maxCpuSeconds, maxFileBytes, maxOpenFiles, maxMemoryMb } = limits
  return [
    // The soft one gives the signal that says why, the hard one ends what ignores it.
    `-St=${maxCpuSeconds}`,
    `-Ht=${maxCpuSeconds + 1}`,
    `-f=${Math.ceil(maxFileBytes / blockBytes)}`,
    `-n=${maxOpenFiles}`,
    // Data, not address space: node, Go and Java reserve much of that and use little.
    `-d=${maxMemoryMb * 1024}`,
    '-c=0',
  ]
}

/** Only in a cell, whose processes are counted by themselves; elsewhere all of the user's count. */
export function processWords({ maxProcesses }: ResourceLimits): string[] {
  return [`-u=${maxProcesses}`]
}

/** What this machine cannot hold a command to, for people; empty where all holds. */
export function limitsNotEnforced(
  sandbox: 'bubblewrap' | 'none',
  groups: ReadonlySet<string>,
  userId: number | undefined = process.getuid?.(),
): string[] {
  const facts: string[] = []
  if (sandbox === 'none') facts.push('maxProcesses is not enforced by the system without a cell: processes are counted every 250 ms')
  else if (userId === 0 && !groups.has('pids'))
    facts.push('maxProcesses is not enforced by the system for root: processes are counted every 250 ms')
  if (process.platform !== 'linux') facts.push(`maxMemoryMb is not enforced by the system of ${process.platform}`)
  return facts
}

/** The limit that an exit code speaks of, if one. */
export function limitReached(exitCode: number, { maxCpuSeconds, maxFileBytes }: ResourceLimits): string | undefined {
  if (exitCode === 128 + (constants.signals.SIGXCPU ?? 24)) return `CPU limit of ${maxCpuSeconds.toLocaleString('en-US')} s reached`
  if (exitCode === 128 + (constants.signals.SIGXFSZ ?? 25))
    return `File size limit of ${maxFileBytes.toLocaleString('en-US')} bytes reached`
  return undefined
}
