// Waiting no longer than a signal allows, for work that cannot be ended itself. Its result comes too late for anybody then, and a later
// failure of it is nobody's. Promises: after the answer no listener is left on the signal.

/** What the promise gives; once the signal aborts, or has been aborted, its reason at once. */
export async function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let leave: (() => void) | undefined
  try {
    // Not Promise.race(): each race would leave a reaction on the promise for as long as that lives.
    return await new Promise<T>((resolve, reject) => {
      leave = () => reject(signal.reason)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      promise.then(resolve, reject)
    })
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave)
  }
}
