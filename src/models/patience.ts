// The end of one call: the caller's abort or too long a silence, whichever comes first. The clock runs only while we wait for the
// server; a reader who takes his time is no silence of the server.

import { modelFault } from './fault.ts'

export interface Patience {
  /** Ends with the reason of the caller's signal, or with a MODEL_FAILED that may be tried again. */
  readonly signal: AbortSignal
  /** Waits for something of the server, and at once no longer when the signal ends. */
  wait<T>(promise: PromiseLike<T>): Promise<T>
  /** A sign of life: the clock starts anew, with the shorter limit of the middle of an answer. */
  touch(): void
  /** Lets go of the caller's signal and ends what still runs. */
  close(): void
}

export function createPatience(caller: AbortSignal, limits: { readonly firstByteMs: number; readonly silenceMs: number }): Patience {
  const controller = new AbortController()
  const { signal } = controller
  const abort = (): void => controller.abort(caller.reason)
  if (caller.aborted) abort()
  else caller.addEventListener('abort', abort, { once: true })

  let timer: NodeJS.Timeout | undefined
  let isWaiting = false
  let hasAnswered = false
  const start = (): void => {
    clearTimeout(timer)
    const ms = hasAnswered ? limits.silenceMs : limits.firstByteMs
    timer = setTimeout(() => controller.abort(modelFault(silenceText(hasAnswered, ms), true)), ms)
  }
  return {
    signal,
    async wait(promise) {
      isWaiting = true
      start()
      try {
        return await unlessAborted(promise, signal)
      } finally {
        isWaiting = false
        clearTimeout(timer)
      }
    },
    touch() {
      hasAnswered = true
      if (isWaiting) start()
    },
    close() {
      clearTimeout(timer)
      caller.removeEventListener('abort', abort)
      controller.abort()
    },
  }
}

/** Resolves after `ms`; rejects at once with the reason of the signal. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await unlessAborted(
      new Promise<void>(resolve => {
        timer = setTimeout(resolve, ms)
      }),
      signal,
    )
  } finally {
    clearTimeout(timer)
  }
}

function silenceText(hasAnswered: boolean, ms: number): string {
  return hasAnswered ? `the answer stopped: nothing for ${ms} ms` : `no answer within ${ms} ms`
}

// Not Promise.race(): each race would leave a reaction on the signal's side for as long as that lives.
async function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      stop = () => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      promise.then(resolve, reject)
    })
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}
