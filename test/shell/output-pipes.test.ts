// What a command prints is kept, whatever it does to its own output: nothing that was printed is lost without a word (SPEC R17.2, R6.4).

import { execFileSync } from 'node:child_process'
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
