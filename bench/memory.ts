// SPEC R14.4: memory stays flat over many expansions, many commands, and a command that tries to write a gibibyte; cell temp and captures counted.
// Arguments: expansions, commands, MiB that the command tries to write. Needs `node --expose-gc`.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveLimits } from '../src/limits.ts'
import { createExpansionPool } from '../src/pool/expansion-pool.ts'
import { createBroker } from '../src/shell/broker.ts'
import { atMost, numberArguments, type Row, report, shown } from './report.ts'

const [expansions = 100_000, commands = 10_000, megabytes = 1_024] = numberArguments()
const megabyte = 1024 * 1024
const limitMb = 32

const request = {
  body: '# Review\n\nLook at $1, then at $ARGUMENTS.\n',
  bodyLine: 5,
  path: '/skills/review/SKILL.md',
  kind: 'skill',
  argumentsText: '123 "some file.ts"',
  argumentsFile: '/state/arguments',
  argumentNames: [],
  hasArgumentHint: true,
  skillDir: '/skills/review',
  projectDir: '/project',
  sessionId: 'session-1',
  dialect: 'skillcell',
  maxExportedBytes: 65_536,
} as const

async function measure(): Promise<readonly Row[]> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('Start it with `node --expose-gc`')
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  const cwd = join(folder, 'workspace')
  const state = join(folder, 'state')
  for (const path of [cwd, state]) mkdirSync(path)
  const pool = createExpansionPool({ threads: 2, timeoutMs: 10_000, heapMb: 128 })
  const broker = createBroker({ sandbox: 'auto', stateDirectory: state, limits: resolveLimits(undefined, 'skillcell'), env: process.env })
  const run = (script: string) =>
    broker.run({ script, shell: 'bash', parameters: [], variables: {}, environment: {}, cwd, timeoutMs: 300_000, stderr: 'apart' })
  /** Memory of the process and its threads, and the files of captures and of cells. */
  const used = () => {
    gc()
    gc()
    return { memory: process.memoryUsage().rss, files: bytesIn(state) }
  }
  const growth = async (name: string, times: number, work: (count: number) => Promise<unknown>): Promise<Row> => {
    const warm = Math.max(1, Math.ceil(times / 10))
    await work(warm)
    const before = used()
    await work(times)
    const after = used()
    const detail = `memory ${shown((after.memory - before.memory) / megabyte)} MiB, files ${shown((after.files - before.files) / megabyte)} MiB`
    return atMost(name, (after.memory - before.memory + after.files - before.files) / megabyte, limitMb, 'MiB', detail)
  }
  try {
    return [
      await growth(`growth over ${expansions.toLocaleString('en-US')} expansions`, expansions, async count => {
        for (let done = 0; done < count; done += 100) await Promise.all(Array.from({ length: 100 }, () => pool.plan(request)))
      }),
      await growth(`growth over ${commands.toLocaleString('en-US')} commands (${broker.sandbox})`, commands, async count => {
        for (let done = 0; done < count; done += 1) await run(done % 10 === 0 ? 'seq 1 2000' : 'echo x')
      }),
      await growth(`growth by a command that writes ${megabytes.toLocaleString('en-US')} MiB`, 1, async () => {
        const { spillPath } = await run(`head -c ${megabytes}M /dev/zero`)
        // What it is allowed to keep is kept for the user, up to an age; growth is what is over that.
        if (spillPath !== undefined) rmSync(spillPath)
      }),
    ]
  } finally {
    await broker.close()
    await pool.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0)
}

await report('memory', measure)
