// What a command prints is kept, whatever it does to its own output: nothing that was printed is lost without a word (SPEC R17.2, R6.4).

import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCapture } from '../../src/shell/capture.ts'
import { openOutputPipes, pipeNames } from '../../src/shell/output-pipes.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { temporaryFolder, testBroker } from './support.ts'

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test.each([
    ['stops all readers', 'echo first; pkill -STOP cat; echo lost; seq 1 3', 'first\nlost\n1\n2\n3'],
    ['kills all it can', 'echo first; kill -9 -1 2>/dev/null; echo x; seq 1 2', 'first\nx\n1\n2'],
    [
      'stops all it can',
      'for p in /proc/[0-9]*; do p=${p##*/}; [ $p = $$ ] || kill -STOP $p 2>/dev/null; done; echo x; seq 1 2',
      'x\n1\n2',
    ],
    [
      'opens it again',
      'echo first; echo second >/dev/stdout; cat /etc/hostname 2>/dev/null | cat >/dev/null; echo third >>/proc/self/fd/1',
      'first\nsecond\nthird',
    ],
    ['opens it again by a pattern', 'echo first; echo second >file; cp file /de[v]/stdout; echo third', 'first\nsecond\nthird'],
    ['opens it again from its folder', 'echo first; cd /dev; echo second >stdout', 'first\nsecond'],
    ['opens it again by a link', 'echo first; echo second >out', 'first\nsecond'],
    ['opens it again by a link, with a program', 'echo first; echo second >other; cp other out; sort -o out file0', 'first\nsecond\nzero'],
    [
      'has git write to it',
      'echo first; git log --output=out 2>/dev/null; git log [-]-output=out 2>/dev/null; echo second',
      'first\nsecond',
    ],
    ['reads it', 'echo first; timeout 1 cat /dev/stdout 2>/dev/null; echo second', 'first\nsecond'],
    ['cuts it', 'echo first; truncate -s 0 /proc/self/fd/1 2>/dev/null; : >/dev/stdout; echo second', 'first\nsecond'],
  ])('run() keeps what a command printed that %s', async (_what, script, output) => {
    const { run, cwd } = testBroker({ sandbox: 'required' })
    symlinkSync('/dev/stdout', join(cwd, 'out'))
    writeFileSync(join(cwd, 'file0'), 'zero\n')
    expect(await run(script, { stderr: 'merged' })).toMatchObject({ reason: 'exited', exitCode: 0, output })
    expect(await run('bash -c "echo again"')).toMatchObject({ output: 'again' })
  })

  test('run() keeps both outputs apart, all of a long one, and their order when they are one', async () => {
    const { run } = testBroker({ sandbox: 'required' })
    const long = await run('bash -c "seq 1 200000; exit 3"; echo end >&2; exit 4')
    expect(long).toMatchObject({ exitCode: 4, outputChars: 1_288_895 + 3 })
    expect(readFileSync(long.spillPath ?? '', 'latin1').endsWith('\n199999\n200000\nend\n')).toBe(true)
    expect(await run('bash -c "echo a; echo b >&2; echo c"; exit 1', { stderr: 'merged' })).toMatchObject({ output: 'a\nb\nc' })
    expect(await run('bash -c "echo a; echo b >&2; echo c"')).toMatchObject({ output: 'a\nc' })
  })

  test('run() shows no file of an output by its name, and leaves no pipe behind', async () => {
    const { run, broker, state } = testBroker({ sandbox: 'required' })
    const { output } = await run('for p in /proc/[0-9]*; do readlink $p/fd/1; done | grep -c /spill/')
    expect(output).toBe('0')
    await broker.close()
    expect(readdirSync(join(state, 'cells'))).toEqual([])
  })

  test('run() meets the next command with pipes that a command closed to us', async () => {
    const { run } = testBroker({ sandbox: 'required' })
    await run('bash -c "chmod 0 /proc/self/fd/1 /proc/self/fd/2; echo x"')
    expect(await run('bash -c "echo next"')).toMatchObject({ exitCode: 0, output: 'next' })
  })
})

describe('without a cell', () => {
  // Its output goes into a pipe there as well.
  const asBash = (script: string, cwd: string) =>
    spawnSync('bash', ['-c', `{ ${script}\n} 2>&1 | cat`], { cwd, encoding: 'utf8', input: '' }).stdout.trimEnd()

  test.each([
    'echo first; echo second >/dev/stdout; echo third',
    'echo first; echo second >/dev/stderr; echo third >&2; : >/dev/stdout; echo fourth',
    'echo first; echo second >/proc/self/fd/1; echo third >>/dev/fd/1',
    'echo first; cd /dev; echo second >stdout',
    'echo first; echo second >out; cp file0 out; sort -o out file0',
    'echo first; echo second | tee /dev/stderr',
    'echo first; truncate -s 0 /dev/stdout; echo second',
    'sh -c "echo first; echo second >/dev/stdout"',
    'echo first; exec >/dev/stdout; seq 1 20000 | tail -2',
    'echo first >&2; (sleep 0.05; echo late) & echo second >/dev/stderr; wait',
  ])('run() keeps what %j prints, as bash does', async script => {
    const { run, cwd } = testBroker()
    symlinkSync('/dev/stdout', join(cwd, 'out'))
    writeFileSync(join(cwd, 'file0'), 'zero\n')
    const expected = asBash(script, cwd)
    expect(expected).toContain('first')
    for (const shell of ['bash', 'sh'] as const) expect((await run(script, { stderr: 'merged', shell })).output, shell).toBe(expected)
  })

  test('run() keeps both outputs apart, and all of a long one', async () => {
    const { run } = testBroker()
    const long = await run('bash -c "seq 1 200000; exit 3"; echo end >/dev/stderr; exit 4')
    expect(long).toMatchObject({ exitCode: 4, outputChars: 1_288_895 + 3 })
    expect(await run('echo a; echo b >/dev/stderr; echo c >/dev/stdout')).toMatchObject({ exitCode: 0, output: 'a\nc' })
    expect(await run('exec 2>/dev/stderr; echo a; exit 3')).toMatchObject({ exitCode: 3, output: 'a' })
  })

  test('run() does not wait for what holds its output for ever, and no later command hears of it', async () => {
    const { run } = testBroker()
    const leaves = `python3 -c 'import os
if os.fork() == 0:
    os.setsid()
    os.execve("/bin/sh", ["sh", "-c", "exec >&3 2>&3 3>&- ; until [ -e stop ]; do sleep 0.01; done; echo late; echo >done"], {})' 3>&1 >/dev/null 2>&1; echo first`
    const startedAt = performance.now()
    expect(await run(leaves)).toMatchObject({ reason: 'exited', exitCode: 0, output: 'first' })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    const next = run('exec 2>/dev/stderr; echo >stop; until [ -e done ]; do sleep 0.01; [ $((i += 1)) = 100 ] && break; done; echo next')
    expect(await next).toMatchObject({ output: 'next' })
  })

  test('run() ends a flood through its pipes', async () => {
    const { run } = testBroker({ limits: { maxSpillBytes: 1_000_000 } })
    expect(await run('while :; do echo 0123456789 >/dev/stdout; done')).toMatchObject({ reason: 'output-limit' })
    expect(await run('seq 1 300000 >/dev/stdout')).toMatchObject({ reason: 'output-limit' })
  })

  test('run() leaves no pipe behind', async () => {
    const { run, broker, state } = testBroker()
    await Promise.all(Array.from({ length: 20 }, () => run('exec 2>/dev/stderr; echo x')))
    await broker.close()
    for (const folder of ['spill', 'inputs', 'cells']) expect(readdirSync(join(state, folder)), folder).toEqual([])
  })
})

describe('openOutputPipes()', () => {
  const pipes = () => {
    const folder = temporaryFolder()
    for (const name of Object.values(pipeNames)) execFileSync('mkfifo', [join(folder, name)])
    mkdirSync(join(folder, 'spill'))
    return { folder, capture: openCapture(join(folder, 'spill'), 'apart') }
  }

  test('finishes at once where nobody wrote', async () => {
    const { folder, capture } = pipes()
    expect(await openOutputPipes(folder, capture).finish()).toBeUndefined()
    expect(capture.bytes()).toBe(0)
  })

  test('says what is missing when somebody else holds the pipe', async () => {
    const { folder, capture } = pipes()
    const opened = openOutputPipes(folder, capture)
    const held = openSync(join(folder, pipeNames.output), 'w')
    writeSync(held, 'text')
    expect(await opened.finish()).toContain('holds it open')
    expect(readFileSync(`${capture.prefix}.output`, 'utf8')).toBe('text')
    closeSync(held)
  })

  test('says what is missing when the capture cannot be written', async () => {
    const { folder, capture } = pipes()
    const full = openSync('/dev/full', 'w')
    const opened = openOutputPipes(folder, { ...capture, stdout: full })
    const writer = openSync(join(folder, pipeNames.output), 'w')
    writeSync(writer, 'text')
    closeSync(writer)
    expect(await opened.finish()).toContain('could not be saved')
    closeSync(full)
  })

  test('refuses what is no pipe, and leaves nothing open', () => {
    const { folder, capture } = pipes()
    const before = readdirSync('/proc/self/fd').length
    writeFileSync(join(folder, 'other'), '')
    execFileSync('mv', [join(folder, 'other'), join(folder, pipeNames.errors)])
    expect(() => openOutputPipes(folder, capture)).toThrow('is no pipe')
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1)
  })
})
