// Everything that one command started, as one thing: is it gone, signal it, end it.
// Promises that `end` leaves nothing that can be found, however it forks. Leaves to others: when to do so.

import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../errors.ts'
import { findProcesses, type Trace } from './process-scan.ts'

export interface ProcessGroup {
  /** Process ids still alive beside the shell. Where there is no /proc, the group as one. */
  survivors(): number[]
  signal(name: NodeJS.Signals): void
  /** Waits until nothing but the shell is left, at most so long. Says whether nothing is left. */
  drained(milliseconds: number): Promise<boolean>
  /** KILL until nothing is left. Says whether it succeeded. */
  end(): Promise<boolean>
}

export function processGroup(trace: Omit<Trace, 'recent' | 'known'>, startedAt: number): ProcessGroup {
  const known = new Set<string>()
  const survivors = () => {
    // 32,768 ids are used up in a few seconds at worst; after one second look at all.
    const found = findProcesses({ ...trace, known, recent: performance.now() - startedAt < 1_000 })
    return found.length > 0 || process.platform === 'linux' ? found : isAlive(-trace.leader) ? [-trace.leader] : []
  }
  const drained = async (milliseconds: number) => {
    const deadline = performance.now() + milliseconds
    for (let pause = 2; survivors().length > 0; pause = Math.min(pause * 2, 20)) {
      if (performance.now() >= deadline) return false
      await setTimeout(pause)
    }
    return true
  }
  return {
    survivors,
    drained,
    signal(name) {
      send(-trace.leader, name)
      for (const id of survivors()) send(id, name)
    },
    async end() {
      // A fork bomb is faster than one look: stop all first, so that nothing forks while the rest is looked for.
      for (let round = 0; round < 200; round++) {
        const found = survivors()
        if (found.length === 0) return true
        if (found.some(id => id > 0)) for (const id of found) send(id, 'SIGSTOP')
        for (const id of found) send(id, 'SIGKILL')
        await setTimeout(Math.min(round, 10))
      }
      return false
    },
  }
}

export function send(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name)
  } catch (error) {
    // Gone in the meantime, or by now somebody else's.
    if (!isSystemError(error, 'ESRCH', 'EPERM')) throw error
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
