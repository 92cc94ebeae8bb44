// What a command that lasts uses, with all that it started: CPU seconds and memory, looked at now and then (SPEC R6.3, R6.8).
// A process can be held to its limits by the kernel, a tree of them only so. Short commands are never looked at. Leaves to others: how to end it.

import pidusage from 'pidusage'
import type { Limits } from '../options.ts'

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

export function watchUsage({ processes, limits, reached }: UsageOptions): UsageWatch {
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
    const ids = processes()
    if (ids.length > limits.maxProcesses) return end(`Limit of ${limits.maxProcesses.toLocaleString('en-US')} processes reached`)
    if (ids.length === 0) return
    let memory = 0
    for (const found of Object.values(await pidusage(ids.slice(0, maxLookedAt), { maxage }))) {
      // Null for one that has ended meanwhile, whatever its types say.
      if (!found) continue
      memory += found.memory
      seconds.set(found.pid, found.ctime / 1_000)
    }
    peak = Math.max(peak ?? 0, memory)
    if (memory > limits.maxMemoryMb * 1024 * 1024) end(`Memory limit of ${limits.maxMemoryMb.toLocaleString('en-US')} MiB reached`)
    else if (sum() > limits.maxCpuSeconds) end(`CPU limit of ${limits.maxCpuSeconds.toLocaleString('en-US')} s reached`)
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
