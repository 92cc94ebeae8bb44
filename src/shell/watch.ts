// What may end a command before it ends by itself: its time limit, the caller, the size of its output, what it uses. The first cause wins.
// Leaves to others: how to stop it. Holds a timer and a listener until `release`.

import type { GroupCounts } from './control-group.ts'
import type { Ending, PreparedCommand } from './prepared-command.ts'
import { watchUsage } from './usage.ts'

export type StopReason = 'timed-out' | 'aborted' | 'output-limit' | 'resource-limit'

export interface Watch {
  /** The first cause, once there is one. */
  readonly reason: StopReason | undefined
  /** What the command used, and the limit of it that was reached. */
  readonly facts: Pick<Ending, 'cpuSeconds' | 'peakMemoryBytes' | 'note'>
  /** Looks at the size once more; a command may have ended between two looks. */
  checkSize(): void
  release(): void
}

export interface WatchOptions {
  readonly command: PreparedCommand
  /** Process ids of all that it started. */
  readonly processes: () => readonly number[]
  readonly counts?: () => GroupCounts
  /** Looked at as often as the size; a note ends the command. */
  readonly forbidden?: () => string | undefined
  readonly stop: (reason: StopReason) => void
}

// A disk takes about 1 GiB a second: some 20 MiB more than allowed between two looks, cut off again afterwards.
const lookEveryMs = 20

export function watchCommand({ command, processes, counts, forbidden, stop }: WatchOptions): Watch {
  const { limits, capture } = command
  const { timeoutMs, signal } = command.request
  let note: string | undefined
  let reason: StopReason | undefined
  const become = (cause: StopReason) => {
    if (reason !== undefined) return
    reason = cause
    stop(cause)
  }
  const abort = () => become('aborted')
  const checkSize = () => {
    if (capture.bytes() > limits.maxSpillBytes) become('output-limit')
    const found = forbidden?.()
    if (found === undefined) return
    note = found
    become('resource-limit')
  }
  const timer = setTimeout(() => become('timed-out'), Math.min(timeoutMs, 2 ** 31 - 1))
  const look = setInterval(checkSize, lookEveryMs)
  const usage = watchUsage({
    processes,
    ...(counts === undefined ? {} : { counts }),
    limits,
    reached(what) {
      note = what
      become('resource-limit')
    },
  })
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  return {
    get reason() {
      return reason
    },
    get facts() {
      const { cpuSeconds, peakMemoryBytes } = usage
      return {
        ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
        ...(peakMemoryBytes === undefined ? {} : { peakMemoryBytes }),
        ...(note === undefined ? {} : { note }),
      }
    },
    checkSize,
    release() {
      clearTimeout(timer)
      clearInterval(look)
      usage.release()
      signal?.removeEventListener('abort', abort)
    },
  }
}
