// What may end a command before it ends by itself: its time limit, the caller, the size of its output. The first cause wins.
// Leaves to others: how to stop it. Holds a timer and a listener until `release`.

export type StopReason = 'timed-out' | 'aborted' | 'output-limit'

export interface Watch {
  /** The first cause, once there is one. */
  readonly reason: StopReason | undefined
  /** Looks at the size once more; a command may have ended between two looks. */
  checkSize(): void
  release(): void
}

export interface WatchOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly maxBytes: number
  readonly bytes: () => number
  readonly stop: (reason: StopReason) => void
}

// A disk takes about 1 GiB a second: some 20 MiB more than allowed between two looks, cut off again afterwards.
const lookEveryMs = 20

export function watchCommand({ timeoutMs, signal, maxBytes, bytes, stop }: WatchOptions): Watch {
  let reason: StopReason | undefined
  const become = (cause: StopReason) => {
    if (reason !== undefined) return
    reason = cause
    stop(cause)
  }
  const abort = () => become('aborted')
  const checkSize = () => {
    if (bytes() > maxBytes) become('output-limit')
  }
  const timer = setTimeout(() => become('timed-out'), Math.min(timeoutMs, 2 ** 31 - 1))
  const look = setInterval(checkSize, lookEveryMs)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  return {
    get reason() {
      return reason
    },
    checkSize,
    release() {
      clearTimeout(timer)
      clearInterval(look)
      signal?.removeEventListener('abort', abort)
    },
  }
}
