// What a command that lasts uses, with all that it started: CPU seconds and memory, looked at now and then (SPEC R6.3, R6.8).
// A process can be held to its limits by the kernel, a tree of them only so. Short commands are never looked at. Leaves to others: how to end it.

import pidusage from 'pidusage'
import type { Limits } from '../limits.ts'
import type { GroupCounts } from './control-group.ts'

export interface UsageWatch {
  /** Most that was seen at one time, shared pages counted for each process; undefined when it ended before the first look. */
  readonly peakMemoryBytes: number | undefined
  /** Of all that was seen running; undefined when it ended before the first look. */
  readonly cpuSeconds: number | undefined
  release(): void
}

export interface UsageOptions {
  /** Process ids of all that the command started. */
  readonly processes: () => readonly number[]
  /** What the kernel counts for all of them together, where it does. */
  readonly counts?: () => GroupCounts
  readonly limits: Pick<Limits, 'maxCpuSeconds' | 'maxMemoryMb' | 'maxProcesses'>
  /** Called once, with what is to be said to people. */
  readonly reached: (note: string) => void
}

// A bomb forks some hundreds of times between two looks.
const lookEveryMs = 250

// Of a process that is gone it keeps a descriptor so long.
const maxage = 2_000

// More are over every limit that makes sense, and a look at each costs a file.
const maxLookedAt = 2_000

export function watchUsage({ processes, counts, limits, reached }: UsageOptions): UsageWatch {
  const seconds = new Map<number, number>()
  let peak: number | undefined
  let released = false
  const sum = () => [...seconds.values()].reduce((total, value) => total + value, 0)
  const end = (note: string) => {
    if (released) return
    released = true
    reached(note)
  }
  const look = async () => {
    const counted = counts?.()
    const note = counted && noteOf(counted, limits)
    if (note !== undefined) return end(note)
    // The kernel holds these two; no need to read the files of some hundred processes.
    if (counted?.forksRefused !== undefined && counted.peakMemoryBytes !== undefined && counted.cpuSeconds !== undefined) return
    const ids = processes()
    if (ids.length > limits.maxProcesses) return end(processNote(limits))
    if (ids.length === 0) return
    let memory = 0
    for (const found of Object.values(await pidusage(ids.slice(0, maxLookedAt), { maxage }))) {
      // Null for one that has ended meanwhile, whatever its types say.
      if (!found) continue
      memory += found.memory
      seconds.set(found.pid, found.ctime / 1_000)
    }
    peak = Math.max(peak ?? 0, memory)
    if (memory > limits.maxMemoryMb * 1024 * 1024) end(memoryNote(limits))
    else if (sum() > limits.maxCpuSeconds) end(cpuNote(limits))
  }
  let timer = setTimeout(again, lookEveryMs)
  function again(): void {
    look()
      // All of them ended while it looked.
      .catch(() => undefined)
      .then(() => {
        if (!released) timer = setTimeout(again, lookEveryMs)
      })
  }
  return {
    get peakMemoryBytes() {
      return peak
    },
    get cpuSeconds() {
      return peak === undefined ? undefined : sum()
    },
    release() {
      released = true
      clearTimeout(timer)
    },
  }
}

type UsageLimits = UsageOptions['limits']

const processNote = ({ maxProcesses }: UsageLimits) => `Limit of ${maxProcesses.toLocaleString('en-US')} processes reached`
const memoryNote = ({ maxMemoryMb }: UsageLimits) => `Memory limit of ${maxMemoryMb.toLocaleString('en-US')} MiB reached`
const cpuNote = ({ maxCpuSeconds }: UsageLimits) => `CPU limit of ${maxCpuSeconds.toLocaleString('en-US')} s reached`

/** The limit that the counters of the kernel say was reached, if one. */
export function noteOf({ cpuSeconds = 0, memoryKills = 0, forksRefused = 0 }: GroupCounts, limits: UsageLimits): string | undefined {
  if (memoryKills > 0) return memoryNote(limits)
  if (forksRefused > 0) return processNote(limits)
  return cpuSeconds > limits.maxCpuSeconds ? cpuNote(limits) : undefined
}
