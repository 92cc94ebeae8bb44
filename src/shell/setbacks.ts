// A tenant whose commands are ended at a limit again and again waits a little before its next one: each of them costs a new cell, which is our own
// process's work and not the tenant's (SPEC R14.5). Promises: the first such end costs nothing, none more than `longestMs`, and it is forgotten.

export interface Setbacks {
  /** A command was ended at a limit of output, processes, memory or CPU. */
  add(): void
  /** Undefined when there is nothing to wait for; rejects with the reason of `signal`. */
  wait(signal?: AbortSignal): Promise<void> | undefined
}

const firstMs = 50

const longestMs = 400

const forgottenAfterMs = 5_000

export function createSetbacks(): Setbacks {
  let count = 0
  let lastAt = 0
  const isForgotten = () => performance.now() - lastAt >= forgottenAfterMs
  return {
    add() {
      if (isForgotten()) count = 0
      count += 1
      lastAt = performance.now()
    },
    wait(signal) {
      if (count < 2 || isForgotten()) return undefined
      const left = lastAt + Math.min(firstMs * 2 ** (count - 2), longestMs) - performance.now()
      return left <= 0 ? undefined : pause(left, signal)
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
