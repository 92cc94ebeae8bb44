// What a process of ours leaves that is killed in the middle of a command: nothing that runs, and no file after the next start.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { describe, expect, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import { createBroker } from '../../src/shell/broker.ts'
import { findControlPlaces } from '../../src/shell/control-group-places.ts'
import { isLeft, ownName } from '../../src/shell/owned-names.ts'
import { commandRequest, processesWith, programs, sandboxes, temporaryFolder, until } from './support.ts'

const groupsOf = (id: number | undefined) =>
  findControlPlaces().places.flatMap(({ folder }) => readdirSync(folder).filter(name => name.includes(`-${id}-`)))

describe.each(sandboxes)('sandbox %s', sandbox => {
  test('createBroker() ends and removes what a killed process of ours left', async () => {
    const folder = temporaryFolder()
    const [cwd, state] = ['workspace', 'state'].map(name => join(folder, name)) as [string, string]
    mkdirSync(cwd)
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: fileURLToPath(new URL('../../src/shell/broker.ts', import.meta.url)),
        outDir: join(folder, 'built'),
        rollupOptions: { output: { entryFileNames: 'broker.mjs' } },
      },
    })
    const program = join(folder, 'built', 'program.mjs')
    copyFileSync(join(programs, 'run-commands.mjs'), program)
    const limits = resolveLimits({}, 'skillcell')
    const request = commandRequest('', { cwd, readable: [] })
    // The shell, a child of it, and one that left its session.
    const script = `echo secret; setsid sleep 611 & sleep 612 & touch begun; while :; do sleep 613; done # ${cwd}`
    const work = { options: { sandbox, stateDirectory: state, limits }, request, scripts: [script] }
    const child = spawn(process.execPath, [program, join(folder, 'built', 'broker.mjs'), JSON.stringify(work)], { stdio: 'inherit' })
    await until(() => existsSync(join(cwd, 'begun')))
    child.kill('SIGKILL')
    await once(child, 'exit')
    // The shell itself goes at once, and a cell with all that is in it.
    await until(() => processesWith(cwd).length === 0)
    expect(readdirSync(join(state, 'spill'))).not.toEqual([])

    const broker = createBroker({ sandbox, stateDirectory: state, limits, env: process.env })
    try {
      expect(await broker.run(commandRequest('echo next', { cwd }))).toMatchObject({ output: 'next' })
      for (const name of ['spill', 'inputs']) await until(() => readdirSync(join(state, name)).length === 0)
      for (const name of ['tmp', 'cells']) expect(readdirSync(join(state, name)).filter(isLeft)).toEqual([])
      await until(() => processesWith('sleep\x311').length + processesWith('sleep\x312').length + processesWith('sleep\x313').length === 0)
      await until(() => groupsOf(child.pid).length === 0)
    } finally {
      await broker.close()
    }
  })
})

test('isLeft() says so of a process of this PID space that has ended, and of no other', async () => {
  const own = ownName()
  const [, space, id, start] = /^run-(\d*)-(\d+)-(\d+)-/.exec(own) ?? []
  expect(Number(id)).toBe(process.pid)
  const gone = spawn('true')
  await once(gone, 'exit')
  expect(isLeft(own)).toBe(false)
  expect(isLeft(`run-${space}-${gone.pid}-${start}-x`)).toBe(true)
  expect(isLeft(`run-${space}-${id}-${Number(start) - 1}-x`)).toBe(true)
  expect(isLeft(`run-7-${gone.pid}-${start}-x`)).toBe(false)
  for (const name of ['', 'x', 'run-', 'run---', `run-${space}-${gone.pid}`, 'note.output']) expect(isLeft(name)).toBe(false)
  expect(readFileSync(`/proc/${id}/stat`, 'latin1')).toContain(` ${start} `)
})
