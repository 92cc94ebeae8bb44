// What a fork of one tenant that burns its thread and fills its heap does to the start of another tenant's forks: p95 of the time to the
// first event, beside it and alone, in turns. Two pools stand for two tenants. Arguments: rounds, forks in a round.

import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { type AgentPool, createAgentPool } from '../src/pool/agent-pool.ts'
import { listeningHost, oneWord } from './agent-task.ts'
import { atMost, numberArguments, percentile95, type Row, report, shown } from './report.ts'

const [rounds = 4, forks = 10] = numberArguments()
const heapMb = 256

async function measure(): Promise<readonly Row[]> {
  const quiet = createAgentPool({ threads: 2, spareThreads: 1, heapMb })
  const entry = join(packageRoot, 'dist', 'bench', 'burning-agent.js')
  const noisy = createAgentPool({ threads: 1, spareThreads: 0, heapMb, entry })
  try {
    await firstEvent(quiet)
    const times: { alone: number[]; beside: number[] } = { alone: [], beside: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (let done = 0; done < forks; done += 1) times.alone.push(await firstEvent(quiet))
      const stop = new AbortController()
      const burning = noisy
        .run(
          oneWord,
          listeningHost(() => {}),
          stop.signal,
        )
        .catch(() => {})
      // It has to burn first.
      await new Promise(resolve => setTimeout(resolve, 300))
      for (let done = 0; done < forks; done += 1) times.beside.push(await firstEvent(quiet))
      stop.abort()
      await burning
    }
    const [alone, beside] = [percentile95(times.alone), percentile95(times.beside)]
    const detail = `p95 ${shown(alone)} ms alone, ${shown(beside)} ms beside it (${times.beside.length} forks)`
    return [atMost('p95 to the first event of a fork beside one that burns : alone', beside / alone, 2, '×', detail)]
  } finally {
    await Promise.all([quiet.close(), noisy.close()])
  }
}

/** ms to the first event; then waits for the next spare, as between two requests. */
async function firstEvent(pool: AgentPool): Promise<number> {
  let heardAt = Number.NaN
  const startedAt = performance.now()
  const host = listeningHost(() => {
    if (Number.isNaN(heardAt)) heardAt = performance.now()
  })
  await pool.run(oneWord, host, new AbortController().signal)
  await pool.ready()
  return heardAt - startedAt
}

await report('noisy-fork', measure)
