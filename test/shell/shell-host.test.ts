// The shell host of a cell: what it promises under both shells that may play its part, and how values reach it.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runtimeOptionsSchema } from '../../src/options.ts'
import { makeHostProgram, sandboxProblem } from '../../src/shell/sandbox.ts'
import { quoted } from '../../src/shell/shell-host.ts'
import { testBroker } from './support.ts'

const posixShells = ['/bin/dash', '/bin/sh'].filter(path => existsSync(path))

test('quoted() is one word to a POSIX shell, whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }), values => {
      const list = values.map(value => Buffer.from(value.replaceAll('\0', '')).toString())
      for (const shell of posixShells) {
        const text = `/usr/bin/printf '%s\\0' ${list.map(quoted).join(' ')}`
        const { stdout } = spawnSync(shell, ['-c', text], { env: {}, encoding: 'utf8' })
        expect(stdout).toBe(list.length === 0 ? '\0' : list.map(value => `${value}\0`).join(''))
      }
    }),
    { numRuns: 60 },
  )
})

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test.each(['/bin/dash', '/bin/bash'].filter(path => existsSync(path)))('run() keeps its promises where %s is the host', async shell => {
    const { run, state, cwd } = testBroker({ sandbox: 'required' })
    await run('true')
    // Of the next cell.
    const [own = ''] = readdirSync(join(state, 'cells'))
    const host = join(state, 'cells', own, 'host')
    rmSync(host)
    makeHostProgram(host, shell)
    const inNew = (script: string, request = {}) => run(script, { trust: 'other', ...request })
    expect((await inNew('cut -f2 /proc/1/status | head -1')).output).toBe('sh')
    const space = (await inNew('readlink /proc/self/ns/pid')).output
    expect(await inNew('ls -d "$1"; pwd', { parameters: ['a b'] })).toMatchObject({ exitCode: 0, output: expect.stringContaining(cwd) })
    for (const [script, exitCode] of [
      ['exit 7', 7],
      ['kill -9 $$', 137],
      ['kill -TERM $$', 143],
      ['false || exec false', 1],
      ['no-such-program', 127],
    ] as const)
      expect(await inNew(script), script).toMatchObject({ exitCode })
    expect(await inNew('for n in {1..64}; do kill -$n 1 2>/dev/null; done; echo alive')).toMatchObject({ output: 'alive' })
    expect(await inNew('sleep 61 & setsid sleep 61 & echo left')).toMatchObject({ output: 'left' })
    expect(await inNew('for n in {1..64}; do kill -$n 1 2>/dev/null; done; echo alive')).toMatchObject({ output: 'alive' })
    expect((await inNew('readlink /proc/self/ns/pid; pgrep -c sleep')).output).toBe(`${space}\n0`)
    expect(await inNew('ulimit -f; ulimit -u')).toMatchObject({ output: '1048576\n1024' })
  })

  test('run() says what its shell cannot do', async () => {
    const { run } = testBroker({ sandbox: 'required', limits: { maxOpenFiles: 12 } })
    await expect(run('ls /')).rejects.toMatchObject({ code: 'SHELL_SPAWN_FAILED', message: expect.stringContaining('sh: ') })
  })
})

test('resolveLimits() of fewer open files than a shell needs is refused', () => {
  expect(runtimeOptionsSchema.safeParse({ limits: { maxOpenFiles: 19 } }).success).toBe(false)
})
