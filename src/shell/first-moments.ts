// The first moments of commands, in which they start and most of them end: there a tenant has no more than its share of the processors, as long as
// others are in theirs (SPEC R11.2, R14.5). Later the kernel's shares hold a command, so nobody waits for a long one.
// Promises: nobody waits for another tenant, only for its own commands, and at most `longMs`; a tenant alone never waits. Leaves to others: quotas.

import { availableParallelism } from 'node:os'

export interface FirstMoments {
  /**
   * At once a function where nothing is to be waited for. It is called when the command has ended, and may be called again.
   * @throws the reason of `signal`, which ends the waiting.
   */
  enter(tenant: object, signal?: AbortSignal): (() => void) | Promise<() => void>
}

interface Presence {
  /** When each of its commands began, oldest first. */
  readonly begun: Set<{ readonly at: number }>
  readonly waiting: Set<() => void>
  lastLeftAt: number
}

// Who runs longer sleeps or computes.
const longMs = 50

// Who asks for one command after the other is still there between two of them.
const lingerMs = 20

const lookEveryMs = 10

export function createFirstMoments(processors: number = availableParallelism()): FirstMoments {
  const present = new Map<object, Presence>()
  let timer: NodeJS.Timeout | undefined

  const begin = (tenant: object, presence: Presence): (() => void) => {
    const command = { at: performance.now() }
    presence.begun.add(command)
    return () => {
      // Forgotten already, or ended twice.
      if (!presence.begun.delete(command)) return
      presence.lastLeftAt = performance.now()
      if (timer !== undefined) letIn()
      // Alone, there is nobody to linger for.
      else if (present.size === 1 && presence.begun.size === 0) present.delete(tenant)
    }
  }

  const isFree = (presence: Presence): boolean =>
    present.size === 1 || presence.begun.size < Math.max(1, Math.floor(processors / present.size))

  /** Those whose first moments are over count no more. */
  const forget = (): void => {
    const now = performance.now()
    for (const [tenant, { begun, waiting, lastLeftAt }] of present) {
      for (const command of begun) if (now - command.at >= longMs) begun.delete(command)
      if (begun.size === 0 && waiting.size === 0 && now - lastLeftAt >= lingerMs) present.delete(tenant)
    }
  }

  const letIn = (): void => {
    clearTimeout(timer)
    timer = undefined
    forget()
    for (const presence of present.values()) {
      for (const enter of presence.waiting) {
        if (!isFree(presence)) break
        enter()
      }
      if (presence.waiting.size > 0) timer ??= setTimeout(letIn, lookEveryMs)
    }
  }

  const wait = (tenant: object, presence: Presence, signal: AbortSignal | undefined): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        presence.waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = (): void => {
        presence.waiting.delete(enter)
        signal?.removeEventListener('abort', abort)
        resolve(begin(tenant, presence))
      }
      presence.waiting.add(enter)
      signal?.addEventListener('abort', abort, { once: true })
      timer ??= setTimeout(letIn, lookEveryMs)
    })

  return {
    enter(tenant, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      let presence = present.get(tenant)
      if (presence === undefined) {
        presence = { begun: new Set(), waiting: new Set(), lastLeftAt: 0 }
        present.set(tenant, presence)
      }
      if (present.size > 1) forget()
      // It may have been forgotten just now.
      present.set(tenant, presence)
      if (presence.waiting.size === 0 && isFree(presence)) return begin(tenant, presence)
      return wait(tenant, presence, signal)
    },
  }
}

/** Of all tenants of this process. */
export const firstMoments: FirstMoments = createFirstMoments()
