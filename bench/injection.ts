// SPEC R14.1: an injected command, decided, audited and run in a cell, against the plain start of a shell for the same text, and against the fork
// in a bare loop of one shell. A skill holds several: what a run costs without any (a hop to the pool, the fsync before its last event) is measured
// beside it and taken off, like the start of the bare loop's shell; the detail names it. Argument: rounds.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveLimits } from '../src/limits.ts'
import { createRuntime } from '../src/runtime.ts'
import { createBroker } from '../src/shell/broker.ts'
import { atMost, median, numberArguments, type Row, report, shown, timed } from './report.ts'

const [rounds = 30] = numberArguments()
const each = 5
const warmUps = 60

interface Text {
  readonly text: string
  readonly limit: number
  /** In a bare loop: a fork that does nothing, or the program. */
  readonly loop?: string
}

/** Every start of a process leaves all our pages shared with it for a while, and whatever runs next pays for taking them back: each pays its own. */
async function afterItself(act: () => Promise<unknown>): Promise<number> {
  await act()
  return await timed(act)
}

type Medians = [ours: number, run: number, only: number, spawned: number, fork: number]

const texts: readonly Text[] = [
  { text: 'true', limit: 0.4, loop: '(true)' },
  { text: '/usr/bin/true', limit: 0.7, loop: '/usr/bin/true' },
  { text: 'git --version', limit: 0.7, loop: 'git --version' },
  { text: 'git status', limit: 1 },
  { text: 'ls', limit: 0.7 },
  { text: 'node --version', limit: 1 },
  { text: 'git --version 2>/dev/null | head -1 || echo none', limit: 1 },
  // What takes a bash of its own.
  { text: 'x=1; echo "$((x + 1))"', limit: 1 },
]

async function measure(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-bench-'))
  const [cwd = '', home = ''] = ['workspace', 'home'].map(name => join(folder, name))
  mkdirSync(home)
  mkdirSync(cwd)
  for (const [index, { text }] of texts.entries()) {
    const skill = join(cwd, '.skillcell', 'skills', `skill-${index}`)
    mkdirSync(skill, { recursive: true })
    writeFileSync(join(skill, 'SKILL.md'), `---\nname: skill-${index}\ndescription: x\n---\n${`- !\`${text}\`\n`.repeat(each)}`)
  }
  const empty = join(cwd, '.skillcell', 'skills', 'empty')
  mkdirSync(empty, { recursive: true })
  writeFileSync(join(empty, 'SKILL.md'), `---\nname: empty\ndescription: x\n---\n${'- `true`\n'.repeat(each)}`)
  execFileSync('git', ['init', '-q', cwd])
  const previous = process.env.XDG_STATE_HOME
  process.env.XDG_STATE_HOME = join(folder, 'state')
  const runtime = await createRuntime({ cwd, home, sandbox: 'auto', allow: ['Bash'], disableBundledSkills: true })
  const broker = createBroker({
    sandbox: 'auto',
    stateDirectory: join(folder, 'alone'),
    limits: resolveLimits(undefined, 'skillcell'),
    env: process.env,
  })
  const alone = (script: string) =>
    broker.run({ script, shell: 'bash', parameters: [], variables: {}, environment: {}, cwd, timeoutMs: 60_000, stderr: 'apart' })
  const plain = (text: string) => once(spawn('bash', ['-c', text], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }).on('error', fail), 'close')
  const loop = (text: string) =>
    once(
      spawn('bash', ['-c', `for ((i = 0; i < ${each}; i++)); do ${text} >/dev/null; done`], { cwd, stdio: 'ignore' }).on('error', fail),
      'close',
    )
  const start = () => once(spawn('bash', ['-c', ':'], { cwd, stdio: 'ignore' }).on('error', fail), 'close')
  try {
    const rows: Row[] = []
    // A runtime that serves many is past its first hundreds of commands: the compilers have seen all of it.
    for (let count = 0; count < warmUps; count += 1) {
      await runtime.expand('skill-0')
      await alone('true')
      await plain('true')
    }
    for (const [index, { text, limit, loop: bare }] of texts.entries()) {
      const times = { ours: [] as number[], run: [] as number[], alone: [] as number[], plain: [] as number[], bare: [] as number[] }
      for (let round = 0; round <= rounds; round += 1) {
        const ours = await afterItself(async () => {
          const { commands } = await runtime.expand(`skill-${index}`)
          if (commands.some(({ status }) => status !== 'ok')) throw new Error(`"${text}" failed`)
        })
        const run = await afterItself(() => runtime.expand('empty'))
        const broken = await afterItself(async () => {
          for (let count = 0; count < each; count += 1) await alone(text)
        })
        const spawned = await afterItself(async () => {
          for (let count = 0; count < each; count += 1) await plain(text)
        })
        // Without the start of the one shell of the loop.
        const looped = bare === undefined ? 0 : (await afterItself(() => loop(bare))) - (await afterItself(start))
        // The first is for the compilers and the caches.
        if (round === 0) continue
        times.ours.push((ours - run) / each)
        times.run.push(run)
        times.alone.push(broken / each)
        times.plain.push(spawned / each)
        times.bare.push(looped / each)
      }
      const [ours, run, only, spawned, fork] = [times.ours, times.run, times.alone, times.plain, times.bare].map(median) as Medians
      const detail = `ours ${shown(ours)} ms (broker alone ${shown(only)}, run without commands ${shown(run)}), spawn ${shown(spawned)} ms`
      rows.push(atMost(`injected \`${text}\` : spawn of bash -c`, ours / spawned, limit, '×', detail))
      if (bare !== undefined)
        rows.push(atMost(`injected \`${text}\` : \`${bare}\` in a bare loop`, ours / fork, 2, '×', `loop ${shown(fork)} ms`))
    }
    return rows
  } finally {
    await runtime.close()
    await broker.close()
    if (previous === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = previous
    rmSync(folder, { recursive: true, force: true })
  }
}

function fail(error: Error): never {
  throw error
}

await report('injection', measure)
