// A fresh process of bench/list.ts: lists a workspace, or reads and parses the same heads plainly. Prints ms.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

const [what, workspace = ''] = process.argv.slice(2)

if (what === 'list') {
  const { createRuntime } = await import('../src/runtime.ts')
  const startedAt = performance.now()
  const runtime = await createRuntime({ cwd: workspace, home: join(workspace, 'home') })
  const { skills } = await runtime.list()
  print(performance.now() - startedAt, skills.length)
  await runtime.close()
} else {
  const { parse } = await import('yaml')
  const startedAt = performance.now()
  const root = join(workspace, '.skillcell', 'skills')
  const buffer = Buffer.alloc(4_096)
  let count = 0
  for (const name of readdirSync(root)) {
    const file = openSync(join(root, name, 'SKILL.md'), 'r')
    const text = buffer.toString('utf8', 0, readSync(file, buffer))
    closeSync(file)
    const fields: unknown = parse(text.slice(4, text.indexOf('\n---', 4)))
    if (fields) count += 1
  }
  print(performance.now() - startedAt, count)
}

function print(ms: number, count: number): void {
  console.log(JSON.stringify({ ms, count }))
}
