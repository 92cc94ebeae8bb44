// The events of an agent on their way to the host, with credit: one list of events costs one, and the host gives it back when it has handled
// the list. Without credit the producer waits, so it stops reading its model; what came meanwhile is joined. `postMessage` alone never waits.

import type { AgentEvent } from './agent-task.ts'

interface EventFlow {
  /** `undefined`: go on at once. A promise: wait for it before making the next event; it rejects when the flow is ended. */
  push(event: AgentEvent): Promise<void> | undefined
  /** Resolves when all that was pushed is sent. */
  flush(): Promise<void> | undefined
  grant(count: number): void
  /** Everyone who waits is rejected with the reason; later events are dropped in the same way. */
  end(reason: unknown): void
}

// Long enough to make a list worth its message, short enough to be read as it is written.
const maxListChars = 8_192
const maxListEvents = 64

export function createEventFlow(send: (events: readonly AgentEvent[]) => void, credit: number): EventFlow {
  let left = credit
  let waiting: AgentEvent[] = []
  let chars = 0
  let timer: NodeJS.Immediate | undefined
  let moved: Moved | undefined
  let ended: { readonly reason: unknown } | undefined

  const sendWaiting = (): void => {
    if (waiting.length === 0 || left === 0) return
    clearImmediate(timer)
    timer = undefined
    const events = waiting
    waiting = []
    chars = 0
    left -= 1
    send(events)
    moved?.resolve()
    moved = undefined
  }

  const nextMove = (): Promise<void> => {
    moved ??= createMoved()
    return moved.promise
  }

  return {
    push: event => {
      if (ended) return Promise.reject(ended.reason)
      chars += join(waiting, event)
      if (chars >= maxListChars || waiting.length >= maxListEvents) sendWaiting()
      else if (left > 0 && waiting.length > 0) timer ??= setImmediate(sendWaiting)
      // With credit and room for more there is nothing to wait for.
      return left > 0 ? undefined : nextMove()
    },
    flush: () => {
      if (ended) return Promise.reject(ended.reason)
      sendWaiting()
      return waiting.length === 0 ? undefined : nextMove()
    },
    grant: count => {
      left += count
      sendWaiting()
      moved?.resolve()
      moved = undefined
    },
    end: reason => {
      ended ??= { reason }
      clearImmediate(timer)
      waiting = []
      moved?.reject(reason)
      moved = undefined
    },
  }
}

/** Adds the event, to the last one where both are text of one agent. Gives the characters that came on. */
function join(events: AgentEvent[], event: AgentEvent): number {
  if (event.type !== 'text.delta') {
    events.push(event)
    return event.type === 'turn.recorded' ? event.line.length : 0
  }
  const last = events.at(-1)
  if (last?.type === 'text.delta' && last.agentId === event.agentId) events[events.length - 1] = { ...last, text: last.text + event.text }
  else events.push(event)
  return event.text.length
}

interface Moved {
  readonly promise: Promise<void>
  resolve(): void
  reject(reason: unknown): void
}

function createMoved(): Moved {
  let resolve: () => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  // Who waits sees it; when nobody does, it is no stray rejection.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
