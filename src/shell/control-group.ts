// The control group of one cell: its limits, its counters, and the end of all that is in it. Speaks both versions of the kernel's files.
// Leaves to others: where it lies and when it may be made (control-groups.ts).

import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { ControlPlace } from './control-group-places.ts'
import { type CounterFile, counterFile } from './counter-file.ts'
import { send } from './process-group.ts'

export interface ControlGroup {
  /** A process that writes 0 to each of these files is in it, with all that it starts. */
  readonly doors: readonly string[]
  /** All that is in it, the cell's own too. */
  processes(): readonly number[]
  /** Begins to count anew: for a command. */
  begin(): void
  /** What was used since `begin`; undefined what is not counted here. */
  counts(): GroupCounts
  /** KILL to everything in it; removes it when nothing is left. */
  close(): Promise<void>
}

export interface GroupCounts {
  readonly cpuSeconds: number | undefined
  readonly memoryBytes: number | undefined
  readonly peakMemoryBytes: number | undefined
  /** Processes that the kernel ended for want of memory. */
  readonly memoryKills: number | undefined
  /** Forks that the kernel refused. */
  readonly forksRefused: number | undefined
}

// bubblewrap, the shell host, the process that waits for the next command, and two to be sure.
const ownProcesses = 5

// Like any other group's: a cell with a thousand processes gets no more than one with a single one.
export const shares = { 1: ['cpu.shares', '1024'], 2: ['cpu.weight', '100'] } as const

export function openControlGroup(
  places: readonly ControlPlace[],
  { maxMemoryMb, maxProcesses }: Pick<Limits, 'maxMemoryMb' | 'maxProcesses'>,
): ControlGroup {
  const files = filesOf(places)
  const memoryLimit = String(maxMemoryMb * 1024 * 1024)
  for (const { version, folder, controllers } of places) {
    if (controllers.includes('pids')) writeFileSync(join(folder, 'pids.max'), String(maxProcesses + ownProcesses))
    if (controllers.includes('cpu')) writeFileSync(join(folder, shares[version][0]), shares[version][1])
    if (!controllers.includes('memory')) continue
    writeFileSync(join(folder, version === 1 ? 'memory.limit_in_bytes' : 'memory.max'), memoryLimit)
    // Where swap is counted at all.
    writeIfThere(join(folder, version === 1 ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max'), version === 1 ? memoryLimit : '0')
  }
  let before = cumulative(files)
  let peakBefore = 0
  return {
    doors: [...new Set(places.map(({ folder }) => join(folder, 'cgroup.procs')))],
    processes: () => (places[0] === undefined ? [] : processesIn(places[0].folder)),
    begin() {
      before = cumulative(files)
      if (files.peak === undefined) return
      // Old kernels of the second version do not forget a peak; then only a higher one is this command's.
      peakBefore = files.peakIsReset && files.peak.reset() ? 0 : (files.peak.read() ?? 0)
    },
    counts() {
      const now = cumulative(files)
      const peak = files.peak?.read()
      return {
        cpuSeconds: difference(now.cpuSeconds, before.cpuSeconds),
        memoryBytes: files.memory?.read(),
        peakMemoryBytes: peak === undefined || peak <= peakBefore ? undefined : peak,
        memoryKills: difference(now.memoryKills, before.memoryKills),
        forksRefused: difference(now.forksRefused, before.forksRefused),
      }
    },
    async close() {
      for (const file of [files.cpu, files.memory, files.peak, files.memoryEvents, files.forks]) file?.close()
      for (const { folder, version, controllers } of places) {
        if (version === 2) writeIfThere(join(folder, 'cgroup.kill'), '1')
        // So that nothing forks faster than it is ended.
        if (controllers.includes('pids')) writeIfThere(join(folder, 'pids.max'), '0')
      }
      for (const { folder } of places) await emptyAndRemove(folder, { isAwaited: true })
    },
  }
}

/** True when it is gone. */
export function removeQuietly(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return isSystemError(error, 'ENOENT')
  }
}

/** The groups in it first, then itself. */
export async function emptyAndRemoveTree(folder: string, how: { readonly isAwaited: boolean }): Promise<void> {
  for (const name of foldersIn(folder)) await emptyAndRemoveTree(join(folder, name), how)
  await emptyAndRemove(folder, how)
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

/** KILL to all that is in a group until it can be removed, for two seconds at most. One that nobody awaits does not keep our process alive. */
async function emptyAndRemove(folder: string, { isAwaited }: { readonly isAwaited: boolean }): Promise<void> {
  for (let round = 0; !removeQuietly(folder) && round < 100; round += 1) {
    for (const id of processesIn(folder)) send(id, 'SIGKILL')
    await setTimeout(Math.min(round, 20), undefined, { ref: isAwaited })
  }
}

function processesIn(folder: string): number[] {
  try {
    // 0 is a process of a space that we do not see; to signal it would signal our own group.
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8')
      .split('\n')
      .map(Number)
      .filter(id => id > 1 && id !== process.pid)
  } catch {
    return []
  }
}

/** CPU seconds of a group with all in it, since it was made. */
export interface CpuCounter {
  read(): number | undefined
  close(): void
}

/** Undefined where they are not counted. */
export function cpuCounter(places: readonly ControlPlace[]): CpuCounter | undefined {
  const place = places.find(({ controllers }) => controllers.includes('cpuacct'))
  if (place === undefined) return undefined
  const [name, pattern, unitsInSecond] =
    place.version === 1 ? (['cpuacct.usage', undefined, 1e9] as const) : (['cpu.stat', /^usage_usec (\d+)/m, 1e6] as const)
  const file = counterFile(join(place.folder, name), pattern)
  return {
    read() {
      const units = file.read()
      return units === undefined ? undefined : units / unitsInSecond
    },
    close: () => file.close(),
  }
}

interface Files {
  readonly cpu: CpuCounter | undefined
  readonly memory: CounterFile | undefined
  readonly peak: CounterFile | undefined
  readonly peakIsReset: boolean
  readonly memoryEvents: CounterFile | undefined
  readonly forks: CounterFile | undefined
}

function filesOf(places: readonly ControlPlace[]): Files {
  const memory = places.find(place => place.controllers.includes('memory'))
  const pids = places.find(place => place.controllers.includes('pids'))
  const inMemory = (first: string, second: string, pattern?: RegExp) =>
    memory && counterFile(join(memory.folder, memory.version === 1 ? first : second), pattern)
  return {
    cpu: cpuCounter(places),
    memory: inMemory('memory.usage_in_bytes', 'memory.current'),
    peak: inMemory('memory.max_usage_in_bytes', 'memory.peak'),
    peakIsReset: memory?.version === 1,
    memoryEvents: inMemory('memory.oom_control', 'memory.events', /^oom_kill (\d+)/m),
    forks: pids && counterFile(join(pids.folder, 'pids.events'), /^max (\d+)/m),
  }
}

interface Cumulative {
  readonly cpuSeconds: number | undefined
  readonly memoryKills: number | undefined
  readonly forksRefused: number | undefined
}

function cumulative({ cpu, memoryEvents, forks }: Files): Cumulative {
  return {
    cpuSeconds: cpu?.read(),
    memoryKills: memoryEvents?.read(),
    forksRefused: forks?.read(),
  }
}

function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : Math.max(0, now - before)
}

function writeIfThere(path: string, text: string): boolean {
  try {
    if (!existsSync(path)) return false
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}
