// One thread for one agent, from tinypool: started ahead of time with its modules loaded, used once, ended after it (`isolateWorkers`).
// A pool of one thread each, and not one for all: tinypool does not say which of its threads has a task, counts the busy among its
// spares, and never notices a thread that ends without an error.

import type { MessagePort } from 'node:worker_threads'
import { Tinypool } from 'tinypool'

export interface AgentThreadOptions {
  /** The thread's file. */
  readonly entry: string
  readonly heapMb: number
  readonly stackMb: number
}

export interface AgentThread {
  /** False when it ended before its use. */
  readonly isAlive: boolean
  /** Resolves when its modules are loaded, or when it is gone. */
  readonly ready: Promise<void>
  /**
   * Gives the thread its port. Resolves when its function has returned and the thread is gone; rejects with what killed it,
   * or when `signal` ended it.
   */
  run(port: MessagePort, signal: AbortSignal): Promise<void>
  /** Ends a thread that was not used; resolves when it is gone, or after a while. */
  discard(): Promise<void>
}

const youngHeapMb = 16

// For a thread that hangs in a system call: its exit is waited for no longer than this.
const exitWaitMs = 5_000

export function startAgentThread({ entry, heapMb, stackMb }: AgentThreadOptions): AgentThread {
  const pool = new Tinypool({
    filename: entry,
    runtime: 'worker_threads',
    isolateWorkers: true,
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
    // The loop of a thread that waits stays free; it has one task in its life.
    useAtomics: false,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb },
    // Nothing of the caller: no variables, no arguments, no loader or inspector.
    env: {},
    argv: [],
    execArgv: [],
  })
  // The one thread has started; when it has ended, tinypool must not start another.
  pool.options.minThreads = 0

  let death: { readonly cause: unknown } | undefined
  let isGone = false
  let die: (cause: unknown) => void = () => {}
  const died = new Promise<never>((_, reject) => {
    die = cause => {
      death ??= { cause }
      reject(death.cause)
    }
  })
  died.catch(() => {})
  const [thread] = pool.threads
  const gone = new Promise<void>(resolve => {
    // tinypool listens for errors only: process.exit(0) gives none, and its task would wait for ever.
    thread?.once('exit', (code: unknown) => {
      isGone = true
      // The error behind the exit, if there is one, is told in the same tick.
      setImmediate(() => die(new Error(`its thread ended with code ${String(code)}`)))
      resolve()
    })
  })
  // The first thing that tinypool's side of the thread says.
  const loaded = new Promise<void>(resolve => {
    thread?.once('message', () => resolve())
  })
  // An error without a task: the entry could not be loaded, or the thread was ended while it ran out of memory.
  pool.on('error', die)

  return {
    get isAlive() {
      return death === undefined && !isGone
    },
    ready: Promise.race([loaded, gone]),
    run: async (port, signal) => {
      // tinypool's own clean-up after an exit that it does not see.
      const cleanUp = new AbortController()
      try {
        await Promise.race([pool.run({ port }, { transferList: [port], signal: anySignal(signal, cleanUp) }), died])
      } finally {
        cleanUp.abort()
        await atMost(gone)
      }
    },
    discard: async () => {
      // Not pool.destroy(): it waits for the exit through events.once(), which throws past everybody when the thread has an error meanwhile.
      thread?.terminate().catch(die)
      await atMost(gone)
    },
  }
}

/** Follows `signal` until the controller is aborted: the caller's signal may live long and keeps nothing of this. */
function anySignal(signal: AbortSignal, own: AbortController): AbortSignal {
  const follow = (): void => own.abort()
  if (signal.aborted) follow()
  signal.addEventListener('abort', follow, { once: true })
  own.signal.addEventListener('abort', () => signal.removeEventListener('abort', follow), { once: true })
  return own.signal
}

async function atMost(gone: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, exitWaitMs)
  })
  try {
    await Promise.race([gone, late])
  } finally {
    clearTimeout(timer)
  }
}
