// SPEC R14.2: an expansion without commands through the pool against a thread that only gives the message back, and the pure function.

import { join } from 'node:path'
import { Piscina } from 'piscina'
import { planExpansion } from '../src/expansion/expand.ts'
import type { ExpansionRequest } from '../src/expansion/plan.ts'
import { packageRoot } from '../src/package-root.ts'
import { createExpansionPool } from '../src/pool/expansion-pool.ts'
import { atLeast, interleave, median, type Row, report, shown, timed } from './report.ts'

const tasks = 2_000
const threads = 2

const body = `# Review

Look at $1 with care, then at $ARGUMENTS.

- Read \${CLAUDE_SKILL_DIR}/guide.md first.
- It costs $5 today, and \`awk '{print $1}'\` is no placeholder.

\`\`\`bash
echo "not run"
\`\`\`
`

const request: ExpansionRequest = {
  body,
  bodyLine: 5,
  path: '/home/somebody/.claude/skills/review/SKILL.md',
  kind: 'skill',
  argumentsText: '123 "some file.ts"',
  argumentsFile: '/home/somebody/.local/state/skillcell/local/arguments/1/run_1/arguments',
  argumentNames: [],
  hasArgumentHint: true,
  skillDir: '/home/somebody/.claude/skills/review',
  projectDir: '/home/somebody/project',
  sessionId: 'session-1',
  dialect: 'skillcell',
  maxExportedBytes: 65_536,
}

async function measure(): Promise<readonly Row[]> {
  const pool = createExpansionPool({ threads, timeoutMs: 10_000, heapMb: 128 })
  const piscina = new Piscina({
    filename: join(packageRoot, 'dist', 'bench', 'no-op-worker.js'),
    minThreads: threads,
    maxThreads: threads,
    env: {},
  })
  try {
    const message = { version: 1, type: 'expansion.plan', request }
    const rates = await interleave(
      9,
      async () => (tasks / (await timed(() => many(() => pool.plan(request))))) * 1_000,
      async () => (tasks / (await timed(() => many(() => piscina.run(message))))) * 1_000,
    )
    const pure = median(Array.from({ length: 9 }, purePerSecond))
    const detail = `ours ${shown(rates.a)}/s, no-op ${shown(rates.b)}/s`
    return [
      atLeast('expansion through the pool : no-op with the same payload', rates.a / rates.b, 0.6, '×', detail),
      atLeast('expansions through the pool', rates.a, 4_000, '/s'),
      atLeast('planExpansion() alone', pure, 20_000, '/s'),
    ]
  } finally {
    await pool.close()
    await piscina.destroy()
  }
}

async function many(task: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: tasks }, task))
}

function purePerSecond(): number {
  const calls = 5_000
  const startedAt = performance.now()
  for (let call = 0; call < calls; call += 1) planExpansion(request)
  return (calls / (performance.now() - startedAt)) * 1_000
}

await report('expansion', measure)
