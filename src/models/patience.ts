// The end of one call: the caller's abort or too long a silence, whichever comes first. The clock runs only while we wait for the
// server; a reader who takes his time is no silence of the server.

import { untilAborted } from '../until-aborted.ts'
import { modelFault } from './fault.ts'

interface Patience {
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
        return await untilAborted(promise, signal)
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
    await untilAborted(
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
