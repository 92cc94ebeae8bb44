// SPEC R14.6: from the request of a fork to the first word of its model, in a thread that waited and in one that had to start,
// against the start of an empty thread. The model is a script, so nothing of it is a network.

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packageRoot } from '../src/package-root.ts'
import { type AgentPool, createAgentPool } from '../src/pool/agent-pool.ts'
import { listeningHost, oneWord } from './agent-task.ts'
import { atMost, interleave, type Row, report, shown, timed } from './report.ts'

const rounds = 25
const heapMb = 256

async function measure(): Promise<readonly Row[]> {
  const warm = createAgentPool({ threads: 1, spareThreads: 1, heapMb })
  const cold = createAgentPool({ threads: 1, spareThreads: 0, heapMb })
  try {
    const withSpare = await interleave(rounds, () => firstWord(warm), emptyThread)
    const without = await interleave(rounds, () => firstWord(cold), emptyThread)
    return [
      atMost(
        'fork to its first word, a spare thread : an empty thread',
        withSpare.a / withSpare.b,
        0.5,
        '×',
        `fork ${shown(withSpare.a)} ms, empty thread ${shown(withSpare.b)} ms`,
      ),
      atMost(
        'fork to its first word, no spare : an empty thread',
        without.a / without.b,
        3,
        '×',
        `fork ${shown(without.a)} ms, empty thread ${shown(without.b)} ms`,
      ),
    ]
  } finally {
    await Promise.all([warm.close(), cold.close()])
  }
}

/** ms to the first word; then waits for the next spare, as between two requests. */
async function firstWord(pool: AgentPool): Promise<number> {
  const never = new AbortController().signal
  let wordAt = Number.NaN
  const host = listeningHost(event => {
    if (event.type === 'text.delta') wordAt = performance.now()
  })
  const startedAt = performance.now()
  await pool.run(oneWord, host, never)
  await pool.ready()
  return wordAt - startedAt
}

function emptyThread(): Promise<number> {
  const worker = join(packageRoot, 'dist', 'bench', 'empty-thread.js')
  let thread: Worker | undefined
  const started = timed(
    () =>
      new Promise<void>((resolve, reject) => {
        thread = new Worker(worker, { env: {}, argv: [], execArgv: [] })
        thread.once('online', resolve)
        thread.once('error', reject)
      }),
  )
  return started.finally(() => thread?.terminate())
}

await report('fork', measure)
