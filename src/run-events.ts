// The stream of one run: stamps events, keeps them, and hands them to any number of readers.
// A reader that is slow, late or absent loses nothing and blocks nobody: a run has few events and each is bounded.

import type { RunEvent, RunEventBody } from './events.ts'

export interface RunEvents extends AsyncIterable<RunEvent> {
  /** Ignored after `run.finished`: nothing comes after the last event. */
  emit(body: RunEventBody): void
  readonly finished: boolean
}

export function createRunEvents(runId: string): RunEvents {
  const events: RunEvent[] = []
  let finished = false
  let wake: () => void = () => {}
  let more = new Promise<void>(resolve => {
    wake = resolve
  })

  return {
    get finished() {
      return finished
    },
    emit: body => {
      if (finished) return
      finished = body.type === 'run.finished'
      events.push({ ...body, runId, sequence: events.length, at: Date.now() })
      wake()
      more = new Promise(resolve => {
        wake = resolve
      })
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; next += 1) {
        while (next >= events.length) {
          if (finished) return
          await more
        }
        const event = events[next]
        if (event) yield event
      }
    },
  }
}
