// One run, from its start to its single last event. It owns the signal and the deadline of the run: every step gets the one signal,
// the first cause of an end wins, and the stream ends whatever dies, a step that never answers too.

import { randomBytes } from 'node:crypto'
import { messageOf, SkillcellError } from './errors.ts'
import type { RunError, RunEvent, RunEventBody, RunFinishReason, RunResult, RunTrigger } from './events.ts'
import { createRunEvents } from './run-events.ts'

export interface RunOutcome {
  readonly reason: RunFinishReason
  readonly result?: RunResult
  readonly error?: RunError
}

/**
 * Events in order, readable any number of times and at any time. `result` never rejects. Leaving a `for await` over it ends the reading and
 * not the run: its agent works on until it is done, its deadline passes, or the signal that was given with the run is aborted.
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly id: string
  readonly result: Promise<RunOutcome>
}

export interface RunStart {
  readonly id: string
  /** As it was asked for, until the skill is found. */
  readonly skill: string
  readonly argumentChars: number
  readonly trigger: RunTrigger
  /** The caller's signal. */
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
  /** How long a step may take to end after the abort before the run ends without it. */
  readonly abandonAfterMs: number
  /** Told before the last event; its fault is the run's. */
  readonly record: (outcome: RunOutcome) => Promise<void>
  readonly work: (signal: AbortSignal, emit: (event: RunEventBody) => void) => Promise<RunResult>
  /** Releases what the run held; called once, when the work is over, even if the run ended without it. Must not reject. */
  readonly release: () => Promise<void>
}

// A longer timer of Node fires at once.
const longestTimerMs = 2 ** 31 - 1

/** `run_` and 128 random bits (SPEC R16.3). */
export function createRunId(): string {
  return `run_${randomBytes(16).toString('hex')}`
}

/** Starts at once; nobody has to read. */
export function startRun(start: RunStart): Run {
  const events = createRunEvents(start.id)
  return {
    id: start.id,
    result: perform(start, events.emit),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  }
}

async function perform(start: RunStart, emit: (event: RunEventBody) => void): Promise<RunOutcome> {
  const { skill, argumentChars, trigger } = start
  emit({ type: 'run.started', skill, arguments: { chars: argumentChars }, trigger })
  const outcome = await recorded(start, await settle(start, emit))
  emit({ type: 'run.finished', ...outcome })
  return outcome
}

/** What cannot be recorded has not succeeded. */
async function recorded({ record }: RunStart, outcome: RunOutcome): Promise<RunOutcome> {
  try {
    await record(outcome)
    return outcome
  } catch (error) {
    return outcome.error ? outcome : failure(error)
  }
}

async function settle(
  { signal, deadlineMs, abandonAfterMs, work, release }: RunStart,
  emit: (event: RunEventBody) => void,
): Promise<RunOutcome> {
  const controller = new AbortController()
  const follow = (): void => controller.abort(asAbort(signal?.reason))
  if (signal?.aborted) follow()
  signal?.addEventListener('abort', follow, { once: true })
  const deadline =
    deadlineMs === undefined
      ? undefined
      : setTimeout(
          () => controller.abort(new SkillcellError('TIMED_OUT', `Cannot finish the run: its deadline of ${deadlineMs} ms has passed`)),
          Math.min(deadlineMs, longestTimerMs),
        )
  const abandonment = abandon(controller.signal, abandonAfterMs)
  try {
    return { reason: 'completed', result: await Promise.race([begin(controller.signal, work, emit).finally(release), abandonment.promise]) }
  } catch (error) {
    return failure(controller.signal.aborted ? controller.signal.reason : error)
  } finally {
    clearTimeout(deadline)
    abandonment.stop()
    signal?.removeEventListener('abort', follow)
  }
}

async function begin(signal: AbortSignal, work: RunStart['work'], emit: (event: RunEventBody) => void): Promise<RunResult> {
  // Not before a tick: the caller gets the stream first, and an abort given with the call is seen.
  await undefined
  signal.throwIfAborted()
  return work(signal, emit)
}

/** Rejects some time after the abort: the work had its chance to end by itself. */
function abandon(signal: AbortSignal, afterMs: number): { readonly promise: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let wait = (): void => {}
  const promise = new Promise<never>((_, reject) => {
    wait = () => {
      timer = setTimeout(() => reject(signal.reason), afterMs)
    }
    signal.addEventListener('abort', wait, { once: true })
  })
  promise.catch(() => {})
  return {
    promise,
    stop: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wait)
    },
  }
}

function asAbort(reason: unknown): SkillcellError {
  if (reason instanceof SkillcellError) return reason
  return new SkillcellError('ABORTED', 'The run was aborted by its caller', { cause: reason })
}

const reasons: Partial<Record<SkillcellError['code'], RunFinishReason>> = {
  ABORTED: 'aborted',
  CLOSED: 'aborted',
  TIMED_OUT: 'timed-out',
  COMMAND_DENIED: 'refused',
  SKILL_NOT_INVOCABLE: 'refused',
  HOOK_STOPPED: 'refused',
}

function failure(error: unknown): RunOutcome {
  const { code, message, details } =
    error instanceof SkillcellError ? error : new SkillcellError('INTERNAL', messageOf(error), { cause: error })
  return { reason: reasons[code] ?? 'failed', error: { code, message, ...(Object.keys(details).length > 0 && { details }) } }
}
