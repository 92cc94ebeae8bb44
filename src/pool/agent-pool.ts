// The threads of forks: each agent has a thread of its own that nothing of another run was in, and that is ended after it. However a thread
// ends, its run settles exactly once, with the first cause, and no other run is touched. Idle threads hold no process open.
// A thread is no wall (SPEC R7.2): only our code runs in it, and what it may do to the world it asks of its host.

import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { isSystemError, messageOf, SkillcellError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import type { AgentOutcome, AgentTask } from '../protocol/agent-task.ts'
import { type AgentHost, openHostEnd, PortClosed } from '../protocol/channel-host.ts'
import { createTurns } from '../turns.ts'
import { type AgentThread, startAgentThread } from './agent-thread.ts'

export interface AgentPool {
  /**
   * Runs one agent and those in it; waits its turn when all threads are taken.
   * @throws {SkillcellError} WORKER_OUT_OF_MEMORY, WORKER_FAILED, CLOSED, INTERNAL, or the agent's own fault; the reason of `signal`
   * at once on abort, whatever the thread does.
   */
  run(task: AgentTask, host: AgentHost, signal: AbortSignal): Promise<AgentOutcome>
  /** Resolves when the spare threads have loaded their modules. */
  ready(): Promise<void>
  /** Ends all threads; runs under way and those that wait end with CLOSED. */
  close(): Promise<void>
}

export interface AgentPoolOptions {
  /** How many agents work at once. */
  readonly threads: number
  /** How many wait with their modules loaded, besides those at work. Default 1. */
  readonly spareThreads?: number
  readonly heapMb: number
  readonly stackMb?: number
  /** The thread's file. Default: the compiled worker of this package. */
  readonly entry?: string
}

// Deep enough for our own code; a larger one is memory that each thread takes.
const defaultStackMb = 4

// A thread that let go of its port without a word: so long it may take to tell why.
const lastWordMs = 5_000

export function createAgentPool(options: AgentPoolOptions): AgentPool {
  const { threads, spareThreads = 1, heapMb, stackMb = defaultStackMb } = options
  const entry = options.entry ?? join(packageRoot, 'dist', 'workers', 'agent-worker.js')
  const takeTurn = createTurns(threads)
  const spares: AgentThread[] = []
  const underWay = new Set<AbortController>()
  const ending = new Set<Promise<void>>()
  let closed = false

  const start = (): AgentThread => startAgentThread({ entry, heapMb, stackMb })

  const fillSpares = (): void => {
    while (!closed && spares.length < spareThreads) spares.push(start())
  }

  /** A spare that has not died in the meantime, or a new one. */
  const takeThread = (): AgentThread => {
    for (let spare = spares.shift(); spare; spare = spares.shift()) {
      if (spare.isAlive) return spare
      discard(spare)
    }
    return start()
  }

  const keep = (work: Promise<void>): void => {
    const settled = work.catch(() => {}).finally(() => ending.delete(settled))
    ending.add(settled)
  }

  const discard = (thread: AgentThread): void => keep(thread.discard())

  fillSpares()

  return {
    run: (task, host, signal) => {
      const settled = perform(task, host, signal)
      keep(settled.then(() => {}))
      return settled
    },
    ready: async () => {
      await Promise.all(spares.map(spare => spare.ready))
    },
    close: async () => {
      closed = true
      for (const controller of underWay) controller.abort(closing())
      for (const spare of spares.splice(0)) discard(spare)
      // A run that settles hands over its thread.
      while (ending.size > 0) await Promise.all(ending)
    },
  }

  async function perform(task: AgentTask, host: AgentHost, signal: AbortSignal): Promise<AgentOutcome> {
    signal.throwIfAborted()
    if (closed) throw closing()
    const controller = new AbortController()
    const follow = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', follow, { once: true })
    underWay.add(controller)
    try {
      const giveBack = await takeTurn(controller.signal)
      if (closed) {
        giveBack()
        throw closing()
      }
      // The next spare starts when this agent is at work, so that it does not slow the first steps.
      const watched = whenFirstHeard(host, fillSpares)
      return await useThread(takeThread(), { task, host: watched, heapMb, signal: controller.signal }, done => keep(done.finally(giveBack)))
    } finally {
      fillSpares()
      underWay.delete(controller)
      signal.removeEventListener('abort', follow)
    }
  }
}

function whenFirstHeard(host: AgentHost, act: () => void): AgentHost {
  let isHeard = false
  return {
    callTool: (request, signal) => host.callTool(request, signal),
    onStop: (agentId, outcome, signal) => host.onStop(agentId, outcome, signal),
    onNestedEnd: (agentId, outcome, signal) => host.onNestedEnd(agentId, outcome, signal),
    onEvent: event => {
      if (!isHeard) act()
      isHeard = true
      return host.onEvent(event)
    },
  }
}

interface Use {
  readonly task: AgentTask
  readonly host: AgentHost
  readonly heapMb: number
  readonly signal: AbortSignal
}

/** `release` is given the end of the thread, once: later than the run's own end. */
async function useThread(thread: AgentThread, use: Use, release: (done: Promise<void>) => void): Promise<AgentOutcome> {
  const { task, host, signal } = use
  const { port1, port2 } = new MessageChannel()
  const stop = new AbortController()
  const end = openHostEnd(port1, task, host)
  const ran = thread.run(port2, stop.signal)
  // Its rejection is looked at below, but perhaps later than it comes.
  ran.catch(() => {})
  // Reject before the thread is ended, so that the caller sees the abort and not "thread ended".
  const abort = (): void => end.end(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([end.outcome, deathOf(ran)])
  } catch (error) {
    const cause = error instanceof PortClosed ? await lastWord(ran) : error
    const fault = signal.aborted ? signal.reason : asFault(cause, use)
    end.end(fault)
    throw fault
  } finally {
    signal.removeEventListener('abort', abort)
    stop.abort()
    release(ran)
  }
}

/** Never resolves: that a thread returns is no outcome, its last message is. */
function deathOf(ran: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    ran.catch(reject)
  })
}

/** Why a thread has closed its port: what killed it, or nothing that it tells. */
async function lastWord(ran: Promise<void>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const silent = new Error('its thread ended without a result')
  const late = new Promise<unknown>(resolve => {
    timer = setTimeout(() => resolve(silent), lastWordMs)
  })
  try {
    return await Promise.race([
      ran.then(
        () => silent,
        (cause: unknown) => cause,
      ),
      late,
    ])
  } finally {
    clearTimeout(timer)
  }
}

function asFault(cause: unknown, { task, heapMb }: Use): unknown {
  if (cause instanceof SkillcellError) return cause
  if (isSystemError(cause, 'ERR_WORKER_OUT_OF_MEMORY'))
    return new SkillcellError('WORKER_OUT_OF_MEMORY', `Cannot finish "${task.skill}": its agent needs more than ${heapMb} MiB of heap`, {
      cause,
    })
  return new SkillcellError('WORKER_FAILED', `Cannot finish "${task.skill}": ${messageOf(cause)}`, { cause })
}

function closing(): SkillcellError {
  return new SkillcellError('CLOSED', 'Cannot run an agent: the runtime is closing')
}
