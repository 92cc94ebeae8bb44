// The threads that turn a skill into a plan. A body that stalls, fills its heap or kills its thread ends its own run only:
// the thread is replaced and the next run gets a fresh one. The threads hold no process open.
// A thread is no wall (SPEC R7.2): sizes are bounded by the caller before they come here.

import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { Piscina } from 'piscina'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'
import type { ExpansionPlan, ExpansionRequest } from '../expansion/plan.ts'
import { packageRoot } from '../package-root.ts'
import { type PlanMessage, parsePlanReply, protocolVersion } from '../protocol/messages.ts'
import { fromWireError } from '../protocol/wire-error.ts'
import { createTurns } from '../turns.ts'

export interface ExpansionPool {
  /**
   * Plans one expansion. Waiting for a thread does not count towards the time limit.
   * @throws {SkillcellError} WORKER_TIMEOUT, WORKER_OUT_OF_MEMORY, WORKER_FAILED, CLOSED, or what planning itself threw; the reason of `signal` on abort.
   */
  plan(request: ExpansionRequest, signal?: AbortSignal): Promise<ExpansionPlan>
  /** Ends the threads; plans under way end with CLOSED. */
  close(): Promise<void>
}

export interface ExpansionPoolOptions {
  readonly threads: number
  readonly timeoutMs: number
  readonly heapMb: number
  /** The thread's file. Default: the compiled worker of this package. */
  readonly entry?: string
}

// Long enough for a busy spell, short enough that an idle server gives the memory back.
const idleThreadMs = 30_000

const stackMb = 4
const youngHeapMb = 16

export function createExpansionPool(options: ExpansionPoolOptions): ExpansionPool {
  const piscina = new Piscina({
    filename: options.entry ?? join(packageRoot, 'dist', 'workers', 'expansion-worker.js'),
    // One thread starts now, while its first caller still reads files.
    minThreads: 1,
    maxThreads: options.threads,
    concurrentTasksPerWorker: 1,
    idleTimeout: idleThreadMs,
    resourceLimits: { maxOldGenerationSizeMb: options.heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb },
    // Nothing of the caller: no variables, no arguments, no loader or inspector.
    env: {},
    argv: [],
    execArgv: [],
  })
  // A thread that dies without a task is replaced by piscina; without a listener its event would end the process.
  piscina.on('error', () => {})
  const takeTurn = createTurns(options.threads)
  const underWay = new Set<Ending>()
  let closed = false

  return {
    plan: async (request, signal) => {
      signal?.throwIfAborted()
      if (closed) throw closing()
      const giveBack = await takeTurn(signal)
      const ending = createEnding()
      // The clock starts here, when a thread takes the task, and not while others hold the threads.
      const clock = setTimeout(() => ending.end(timedOut(request, options)), options.timeoutMs)
      const follow = (): void => ending.end(signal?.reason)
      signal?.addEventListener('abort', follow, { once: true })
      underWay.add(ending)
      try {
        if (closed) throw closing()
        const message: PlanMessage = { version: protocolVersion, type: 'expansion.plan', request }
        const reply = parsePlanReply(await piscina.run(message, { signal: ending.emitter }).catch(asThreadFault(request, ending, options)))
        if (reply.type === 'expansion.planned') return reply.plan
        throw fromWireError(reply.error)
      } finally {
        clearTimeout(clock)
        signal?.removeEventListener('abort', follow)
        underWay.delete(ending)
        giveBack()
      }
    },
    close: async () => {
      closed = true
      for (const ending of underWay) ending.end(closing())
      // Not piscina.close(): that waits for its tasks, up to 30 s.
      await piscina.destroy()
    },
  }
}

/** How a task is ended from outside; the first cause wins. An emitter, since an AbortController per task costs more than the rest. */
interface Ending {
  readonly emitter: EventEmitter
  readonly cause: { readonly reason: unknown } | undefined
  end(reason: unknown): void
}

function createEnding(): Ending {
  const emitter = new EventEmitter()
  let cause: { readonly reason: unknown } | undefined
  return {
    emitter,
    get cause() {
      return cause
    },
    end: reason => {
      if (cause) return
      cause = { reason }
      emitter.emit('abort')
    },
  }
}

/** What piscina rejects with, in our terms. The first cause wins: an abort before what the abort broke. */
function asThreadFault(request: ExpansionRequest, ending: Ending, { heapMb }: ExpansionPoolOptions): (cause: unknown) => never {
  return cause => {
    if (ending.cause) throw ending.cause.reason
    if (isSystemError(cause, 'ERR_WORKER_OUT_OF_MEMORY'))
      throw new SkillcellError('WORKER_OUT_OF_MEMORY', `Cannot expand "${request.path}": it needs more than ${heapMb} MiB of heap`, {
        cause,
      })
    throw new SkillcellError('WORKER_FAILED', `Cannot expand "${request.path}": ${messageOf(cause)}`, { cause })
  }
}

function timedOut(request: ExpansionRequest, { timeoutMs }: ExpansionPoolOptions): SkillcellError {
  return new SkillcellError('WORKER_TIMEOUT', `Cannot expand "${request.path}": its thread gave no answer within ${timeoutMs} ms`)
}

function closing(): SkillcellError {
  return new SkillcellError('CLOSED', 'Cannot expand: the runtime is closing')
}
