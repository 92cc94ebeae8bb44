// SPEC R14.1: one injected command against the plain start of a shell for the same text.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveLimits } from '../src/options.ts'
import { createBroker } from '../src/shell/broker.ts'
import { atMost, interleave, type Row, report, shown, timed } from './report.ts'

const rounds = 60

const texts: readonly { readonly text: string; readonly limit: number }[] = [
  { text: 'true', limit: 0.4 },
  { text: '/usr/bin/true', limit: 0.7 },
  { text: 'git --version', limit: 0.7 },
]

async function measure(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  const broker = createBroker({
    sandbox: 'auto',
    stateDirectory: join(folder, 'state'),
    limits: resolveLimits(undefined, 'skillcell'),
    env: process.env,
  })
  try {
    const rows: Row[] = []
    for (const { text, limit } of texts) {
      const times = await interleave(
        rounds,
        () =>
          timed(() =>
            broker.run({
              script: text,
              shell: 'bash',
              parameters: [],
              variables: {},
              environment: {},
              cwd: folder,
              timeoutMs: 10_000,
              stderr: 'apart',
            }),
          ),
        () => timed(() => once(spawn('bash', ['-c', text], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }), 'close')),
      )
      const detail = `ours ${shown(times.a)} ms (${broker.sandbox}), spawn ${shown(times.b)} ms`
      rows.push(atMost(`injected \`${text}\` : spawn of bash -c`, times.a / times.b, limit, '×', detail))
    }
    return rows
  } finally {
    await broker.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

await report('injection', measure)
