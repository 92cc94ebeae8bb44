// The shell host of a cell: what it promises under both shells that may play its part, and how values reach it.

import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runtimeOptionsSchema } from '../../src/options.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { quoted } from '../../src/shell/shell-host.ts'
import { hosts, type TestOptions, testBroker } from './support.ts'

test('quoted() is one word to a POSIX shell, whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }), values => {
      const list = values.map(value => Buffer.from(value.replaceAll('\0', '')).toString())
      for (const shell of hosts) {
        const text = `/usr/bin/printf '%s\\0' ${list.map(quoted).join(' ')}`
        const { stdout } = spawnSync(shell, ['-c', text], { argv0: 'sh', env: {}, encoding: 'utf8' })
        expect(stdout).toBe(list.length === 0 ? '\0' : list.map(value => `${value}\0`).join(''))
      }
    }),
    { numRuns: 60 },
  )
})

describe.runIf(sandboxProblem() === undefined).each(hosts)('in a cell with %s', host => {
  const hosted = (options: TestOptions = {}) => testBroker({ sandbox: 'required', host, ...options })

  test('run() says how a command ended', async () => {
    const { run, cwd } = hosted()
    expect((await run('stat -c %s /run/skillcell/sh')).output).toBe(String(statSync(host).size))
    expect(await run('ls -d "$1"; pwd', { parameters: ['a b'] })).toMatchObject({ exitCode: 0, output: expect.stringContaining(cwd) })
    for (const [script, exitCode, reason, signal] of [
      ['exit 7', 7, 'exited', undefined],
      ['exit 137', 137, 'exited', undefined],
      ['kill -9 $$', 137, 'killed', 'SIGKILL'],
      ['kill -TERM $$', 143, 'killed', 'SIGTERM'],
      ['false || exec false', 1, 'exited', undefined],
      ['no-such-program', 127, 'exited', undefined],
    ] as const) {
      const result = await run(script)
      expect([script, result.exitCode, result.reason, result.signal]).toEqual([script, exitCode, reason, signal])
    }
    expect(await run('kill -INT $$')).toMatchObject({ exitCode: 130 })
    expect((await run('ulimit -f; ulimit -u; echo $SHLVL')).output).toBe('1048576\n1024\n1')
  })

  test('run() keeps its host through every signal, also after a command that left processes behind', async () => {
    const { run } = hosted()
    const space = (await run('readlink /proc/self/ns/pid')).output
    const signals = 'for n in {1..64}; do kill -$n 1 2>/dev/null; done; echo alive'
    expect(await run(signals)).toMatchObject({ output: 'alive' })
    expect(await run('sleep 61 & setsid sleep 61 & (trap "" TERM; sleep 61) & echo left')).toMatchObject({ output: 'left' })
    expect(await run(signals)).toMatchObject({ output: 'alive' })
    expect((await run('readlink /proc/self/ns/pid; pgrep -c sleep')).output).toBe(`${space}\n0`)
  })

  test('run() ends what a command left, also where that stops all beside it', async () => {
    const { run } = hosted()
    expect(await run('setsid bash -c "while :; do kill -STOP -1; done" & echo left')).toMatchObject({ exitCode: 0, output: 'left' })
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })

  test('run() waits a moment for what a command left', async () => {
    const { run } = hosted()
    expect((await run('exec > >(sleep 0.03; cat); echo late')).output).toBe('late')
  })

  test('run() says what its shell cannot do, and the next command has another', async () => {
    const { run, state } = hosted()
    await run('true')
    const spill = join(state, 'spill')
    for (const name of readdirSync(spill).filter(each => each.endsWith('.request'))) rmSync(join(spill, name))
    await expect(run('ls /')).rejects.toMatchObject({
      code: 'SHELL_SPAWN_FAILED',
      message: expect.stringMatching(/No such file|cannot open/i),
    })
    expect(await run('echo next')).toMatchObject({ output: 'next' })
    // A bash gets along with it.
    if (host === '/bin/bash') return
    const few = hosted({ limits: { maxOpenFiles: 12 } })
    await expect(few.run('ls /')).rejects.toMatchObject({ code: 'SHELL_SPAWN_FAILED' })
  })
})

test('maxOpenFiles that no shell can live with is refused', () => {
  expect(runtimeOptionsSchema.safeParse({ limits: { maxOpenFiles: 19 } }).success).toBe(false)
  expect(runtimeOptionsSchema.safeParse({ limits: { maxOpenFiles: 20 } }).success).toBe(true)
})
