// A workspace with skills and a runtime over it whose model is a written conversation.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import type { RuntimeOptions } from '../../src/options.ts'
import type { Run } from '../../src/run.ts'
import { createRuntime, type RunOptions, type Runtime } from '../../src/runtime.ts'

export interface ForkWorkspace {
  readonly root: string
  readonly project: string
  write(path: string, text: string): void
  /** `fields`: frontmatter lines below name and description. */
  skill(name: string, body: string, fields?: string): void
  /** The name of a model that says this, turn by turn. */
  script(...turns: readonly object[]): string
  open(options?: RuntimeOptions): Promise<Runtime>
}

export function createForkWorkspace(): ForkWorkspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-fork-')))
  const project = join(root, 'project')
  for (const folder of [project, join(root, 'home')]) mkdirSync(folder)
  let scripts = 0
  const opened: Runtime[] = []
  onTestFinished(async () => {
    for (const runtime of opened) await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  return {
    root,
    project,
    write,
    skill: (name, body, fields = '') =>
      write(`.skillcell/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Does ${name}\n${fields}---\n${body}\n`),
    script: (...turns) => {
      scripts += 1
      const file = join(root, `script-${scripts}.jsonl`)
      writeFileSync(file, turns.map(turn => `${JSON.stringify(turn)}\n`).join(''))
      return `script:${file}`
    },
    open: async options => {
      const runtime = await createRuntime({ cwd: project, home: join(root, 'home'), sandbox: 'off', ...options })
      opened.push(runtime)
      return runtime
    },
  }
}

export interface Told {
  readonly events: readonly RunEvent[]
  readonly outcome: Awaited<Run['result']>
}

export async function tell(runtime: Runtime, text: string, options: RunOptions): Promise<Told> {
  const run = runtime.run(text, options)
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return { events, outcome: await run.result }
}

export function says(text: string): object {
  return { reply: [{ text }] }
}

export function calls(...named: readonly (readonly [name: string, input: object])[]): object {
  return { reply: named.map(([name, input]) => ({ toolCall: { name, input } })) }
}
