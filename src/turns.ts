// Turns: at most so many at once, first come, first served. A waiter whose signal aborts leaves the line at once.

/** Resolves when it is the caller's turn; the answer gives the turn back and may be called again without harm. */
export type TakeTurn = (signal?: AbortSignal) => Promise<() => void>

export function createTurns(atOnce: number): TakeTurn {
  const waiting = new Set<() => void>()
  let free = atOnce

  const giveBack = (): void => {
    const [next] = waiting
    if (!next) {
      free += 1
      return
    }
    waiting.delete(next)
    next()
  }

  const once = (): (() => void) => {
    let held = true
    return () => {
      if (held) giveBack()
      held = false
    }
  }

  return signal => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (free > 0) {
      free -= 1
      return Promise.resolve(once())
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve(once())
      }
      waiting.add(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
}
