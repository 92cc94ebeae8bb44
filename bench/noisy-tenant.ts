// SPEC R14.5: how much one noisy tenant moves the p95 of another one's commands. Two brokers with states and workspaces of their own stand for two
// tenants; one kind of noise at a time, bounded. Quiet and noisy rounds take turns, many and short, since what else the machine does moves a p95 more
// than the noise. Arguments: rounds, commands in a round, seconds of noise.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { resolveLimits } from '../src/limits.ts'
import { type Broker, createBroker } from '../src/shell/broker.ts'
import { controlGroups } from '../src/shell/control-groups.ts'
import { atMost, numberArguments, percentile95, type Row, report, shown, timed } from './report.ts'

const [rounds = 8, commands = 30, seconds = 24] = numberArguments()

type Noise = (tenant: Tenant, signal: AbortSignal) => Promise<unknown>

interface Tenant {
  run(script: string, signal?: AbortSignal): ReturnType<Broker['run']>
  close(): Promise<void>
}

const again = async (tenant: Tenant, script: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) await tenant.run(script, signal)
}

const noises: readonly (readonly [name: string, make: Noise])[] = [
  // Bounded by the limit of 200 processes, by its own count, and by the time.
  ['a fork bomb', (tenant, signal) => again(tenant, 'for i in {1..2000}; do (sleep 5 & sleep 5) & done; wait', signal)],
  ['`yes`', (tenant, signal) => again(tenant, 'yes', signal)],
  ['10,000 queued runs', (tenant, signal) => queued(tenant, 10_000, signal)],
  ['a thread at 100 %', (_tenant, signal) => burn(signal)],
]

async function measure(): Promise<readonly Row[]> {
  const groups = [...controlGroups().controllers]
  const limit = groups.includes('cpu') ? 2 : 4
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  const victim = tenantIn(join(folder, 'victim'))
  try {
    const rows: Row[] = []
    for (const [name, make] of noises) {
      const noisy = tenantIn(join(folder, name.replaceAll(/\W/g, '')))
      const times: { quiet: number[]; loud: number[] } = { quiet: [], loud: [] }
      try {
        await sample(victim, 3, [])
        for (let round = 0; round < rounds; round += 1) {
          await sample(victim, commands, times.quiet)
          const stop = AbortSignal.timeout(Math.ceil((seconds * 1_000) / rounds))
          const noise = make(noisy, stop)
          // It has to be loud first.
          await new Promise(resolve => setTimeout(resolve, 300))
          await sample(victim, commands, times.loud, stop)
          if (!stop.aborted) await new Promise(resolve => stop.addEventListener('abort', resolve, { once: true }))
          await noise
        }
      } finally {
        await noisy.close()
      }
      const [quiet, loud] = [percentile95(times.quiet), percentile95(times.loud)]
      const detail = `p95 ${shown(quiet)} ms alone, ${shown(loud)} ms beside it (${times.loud.length} commands); control groups: ${groups.join(', ') || 'none'}`
      rows.push(atMost(`p95 of a tenant beside ${name} : alone`, loud / quiet, limit, '×', detail))
    }
    return rows
  } finally {
    await victim.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function tenantIn(folder: string): Tenant {
  const cwd = join(folder, 'workspace')
  mkdirSync(cwd, { recursive: true })
  const limits = resolveLimits({ maxProcesses: 200, killGraceMs: 200 }, 'skillcell')
  const broker = createBroker({ sandbox: 'auto', stateDirectory: join(folder, 'state'), limits, env: process.env })
  const base = { shell: 'bash', parameters: [], variables: {}, environment: {}, cwd, timeoutMs: 60_000, stderr: 'apart' } as const
  return { run: (script, signal) => broker.run({ ...base, script, ...(signal && { signal }) }), close: () => broker.close() }
}

async function sample(tenant: Tenant, count: number, times: number[], until?: AbortSignal): Promise<void> {
  for (let done = 0; done < count && !until?.aborted; done += 1) times.push(await timed(() => tenant.run('git --version | cat')))
}

/** So many wait; two run at a time, as a tenant's quota has it. */
async function queued(tenant: Tenant, count: number, signal: AbortSignal): Promise<void> {
  let left = count
  const work = async () => {
    while (left-- > 0 && !signal.aborted) await tenant.run('true', signal)
  }
  await Promise.all([work(), work()])
}

async function burn(signal: AbortSignal): Promise<void> {
  const worker = new Worker('for (;;) {}', { eval: true })
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  await worker.terminate()
}

await report('noisy-tenant', measure)
