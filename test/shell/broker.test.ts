// How a command may end, and what comes of it. Each ending settles, keeps the output and leaves nothing behind.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testBroker as brokerOf, processesWith, programs, sandboxes, type TestOptions, temporaryFolder, until } from './support.ts'

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test.each([
    // script, exit code, reason, signal
    ['true', 0, 'exited', undefined],
    ['exit 7', 7, 'exited', undefined],
    ['false | true', 0, 'exited', undefined],
    ['no-such-program-here', 127, 'exited', undefined],
    ['kill -9 $$', 137, 'killed', 'SIGKILL'],
    ['kill -TERM $$', 143, 'killed', 'SIGTERM'],
    ['kill -INT $$', 130, 'killed', 'SIGINT'],
    ['trap - INT; kill -INT $$; echo after', 130, 'killed', 'SIGINT'],
    ['kill -PIPE $$', 141, 'killed', 'SIGPIPE'],
    ['kill -SEGV $$', 139, 'killed', 'SIGSEGV'],
    ['exit 137', 137, 'exited', undefined],
    ['exit 130', 130, 'exited', undefined],
    ['(kill -9 $BASHPID); exit', 137, 'exited', undefined],
  ] as const)('run() of %j gives exit code %i', async (script, exitCode, reason, signal) => {
    const result = await testBroker().run(script)
    // In a cell these two are not told from an exit with the same code.
    const untold = sandbox === 'required' && (signal === 'SIGPIPE' || signal === 'SIGINT')
    expect(result).toMatchObject({ exitCode, reason: untold ? 'exited' : reason, sandbox: sandbox === 'off' ? 'none' : 'bubblewrap' })
    expect(result.signal).toBe(untold ? undefined : signal)
    expect(result.note).toBeUndefined()
  })

  // The name leads to the capture itself; to open it anew would cut it.
  test.runIf(sandbox === 'required').each([
    ['echo a; echo b; echo c >/dev/stdout; echo d', 0, 'a\nb\nc\nd'],
    ['echo a >&2; echo b >/dev/stderr; echo c >&2; exit 1', 1, 'a\nb\nc'],
    ['echo a; echo b | cat >/proc/self/fd/1; echo c', 0, 'a\nb\nc'],
    ['echo a; echo b | tee "$1" | cat', 0, 'a\nb\nb'],
    ['echo a; echo b | cp /dev/stdin "$1"; echo c', 0, 'a\nb\nc'],
    ['echo a; sh ./script; echo d', 0, 'a\nb\nc\nd'],
    ['echo a; ./script; echo d', 0, 'a\nb\nc\nd'],
    ['echo a; x=$(echo in >/dev/stdout); echo "<$x>"', 0, 'a\n<in>'],
    ['echo a; { echo in >/dev/stderr; } 2>file; cat file', 0, 'a\nin'],
  ] as const)('run() loses nothing to %j', async (script, exitCode, output) => {
    const { run, cwd } = testBroker()
    writeFileSync(join(cwd, 'script'), '#!/bin/sh\necho b\necho c >/dev/stdout\n', { mode: 0o755 })
    expect(await run(script, { parameters: ['/dev/stdout'] })).toMatchObject({ exitCode, output })
    const merged = await run(`echo first >&2; ${script}`, { parameters: ['/dev/stdout'], stderr: 'merged' })
    expect(merged).toMatchObject({ exitCode, output: `first\n${output}` })
  })

  test('run() gives stdout of a success, and stdout, then stderr, of a failure', async () => {
    const { run } = testBroker()
    expect(await run('echo e >&2; echo o')).toMatchObject({ output: 'o', outputChars: 1 })
    expect(await run('echo e >&2; echo o; exit 1')).toMatchObject({ output: 'o\ne', outputChars: 3 })
    expect(await run('echo e >&2; echo o', { stderr: 'merged' })).toMatchObject({ output: 'e\no' })
    expect(await run('printf "\\n o \\n"', { trim: 'both-ends' })).toMatchObject({ output: 'o' })
  })

  test('run() names a folder that is not there, is no folder, or may not be entered', async () => {
    const { run, cwd } = testBroker()
    writeFileSync(join(cwd, 'file'), '')
    for (const folder of [join(cwd, 'missing'), join(cwd, 'file')]) {
      await expect(run('true', { cwd: folder })).rejects.toMatchObject({
        code: 'SHELL_SPAWN_FAILED',
        message: expect.stringContaining(folder),
      })
    }
  })

  test.runIf(sandbox === 'off')('run() goes on when a command removes its own folder', async () => {
    const { run, cwd } = testBroker()
    mkdirSync(join(cwd, 'gone'))
    expect(await run('rmdir "$PWD"; echo still', { cwd: join(cwd, 'gone') })).toMatchObject({ output: 'still', exitCode: 0 })
  })

  test('run() ends at its time limit with 124, names it and keeps what was printed', async () => {
    const { run } = testBroker()
    expect(await run('echo begun; sleep 60', { timeoutMs: 2_000 })).toMatchObject({
      reason: 'timed-out',
      exitCode: 124,
      output: 'begun',
      note: expect.stringContaining('2,000 ms'),
    })
  })

  test('run() kills what ignores TERM, after the grace and not before', async () => {
    const { run } = testBroker({ limits: { killGraceMs: 500 } })
    const result = await run(`${programs}/ignores-sigterm`, { timeoutMs: 2_000 })
    expect(result).toMatchObject({ reason: 'timed-out', exitCode: 124, output: 'started' })
    expect(result.durationMs).toBeGreaterThanOrEqual(2_500)
  })

  test('run() lets a command clean up within the grace', async () => {
    const { run, cwd } = testBroker({ limits: { killGraceMs: 5_000 } })
    const result = await run('trap "echo tidied; touch tidied; exit 0" TERM; echo begun; sleep 60 & wait', { timeoutMs: 2_000 })
    expect(result).toMatchObject({ reason: 'timed-out', exitCode: 124, output: 'begun\ntidied' })
    expect(existsSync(join(cwd, 'tidied'))).toBe(true)
    expect(result.durationMs).toBeLessThan(6_500)
  })

  test('run() ends when its signal aborts: before the start, while it runs, and not after the end', async () => {
    const { run, cwd } = testBroker()
    expect(await run('touch ran', { signal: AbortSignal.abort() })).toMatchObject({ reason: 'aborted', output: '' })
    expect(readdirSync(cwd)).toEqual([])

    const controller = new AbortController()
    const running = run(`echo $$ >id; echo begun; sleep 60 # ${cwd}`, { signal: controller.signal })
    await until(() => existsSync(join(cwd, 'id')) && readFileSync(join(cwd, 'id'), 'utf8') !== '')
    controller.abort()
    expect(await running).toMatchObject({ reason: 'aborted', output: 'begun', exitCode: 143 })
    expect(processesWith(cwd)).toEqual([])

    const late = new AbortController()
    const result = await run('echo done', { signal: late.signal })
    late.abort()
    expect(result).toMatchObject({ reason: 'exited', output: 'done' })
  })

  test.each(['orphan-parent', 'daemon', 'hidden-daemon'])('run() leaves nothing of %s running', async program => {
    const { run, cwd } = testBroker()
    const id = join(cwd, 'id')
    const result = await run(`"${programs}/${program}" "$1"`, { parameters: [id] })
    expect(result).toMatchObject({ reason: 'exited', exitCode: 0 })
    expect(result.durationMs).toBeLessThan(10_000)
    expect(processesWith(id)).toEqual([])
  })

  test.each(['orphan-parent', 'daemon', 'hidden-daemon'])('run() leaves nothing of %s running at a time-out', async program => {
    const { run, cwd } = testBroker()
    const id = join(cwd, 'id')
    expect(await run(`"${programs}/${program}" "$1"; sleep 60`, { parameters: [id], timeoutMs: 1_000 })).toMatchObject({
      reason: 'timed-out',
    })
    expect(processesWith(id)).toEqual([])
  })

  test('run() ends processes that fork a successor before they die', async () => {
    const { run, state } = testBroker()
    expect(await run(`"${programs}/breeder"`)).toMatchObject({ reason: 'exited', output: 'bred' })
    // Each of them still holds its capture file open, so /proc would show it.
    const holders = readdirSync('/proc').filter(id => /^\d+$/.test(id) && id !== String(process.pid) && opens(id, join(state, 'spill/')))
    expect(holders).toEqual([])
  })

  test.each([
    ['exec > >(tee -a log) 2>&1; echo hi; sleep 90 &', 'hi'],
    ['exec > >(sed s/a/b/); echo a', 'b'],
    ['mkfifo p; (sleep 90 > p) & echo done', 'done'],
    ['coproc cat; echo done', 'done'],
  ])('run() does not hang on %j', async (script, output) => {
    const result = await testBroker().run(script)
    expect(result).toMatchObject({ output, reason: 'exited' })
    expect(result.durationMs).toBeLessThan(10_000)
  })

  test('run() waits for the exit, not for the end of the output', async () => {
    expect(await testBroker().run(`exec "${programs}/closes-output"`)).toMatchObject({ output: 'before', exitCode: 3 })
  })

  test('run() runs commands side by side without mixing them', async () => {
    const { run } = testBroker()
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => run(`for i in 1 2 3; do echo ${index}; done`)))
    expect(results.map(result => result.output)).toEqual(results.map((_, index) => `${index}\n${index}\n${index}`))
  })

  test('close() ends what runs, refuses what comes and removes the temp', async () => {
    const { broker, run, cwd, state } = testBroker()
    const running = run(`echo $TMPDIR; touch "$TMPDIR/x"; echo $$ >id; sleep 60 # ${cwd}`)
    await until(() => existsSync(join(cwd, 'id')) && readFileSync(join(cwd, 'id'), 'utf8') !== '')
    await broker.close()
    const result = await running
    expect(result.reason).toBe('aborted')
    expect(processesWith(cwd)).toEqual([])
    if (sandbox === 'off') expect(existsSync(result.output)).toBe(false)
    expect(readdirSync(join(state, 'tmp'))).toEqual([])
    await expect(run('true')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('createBroker() makes private folders and removes spill files by age', async () => {
    const { run, state } = testBroker({ limits: { spillMaxAgeMs: 60_000 } })
    const spill = join(state, 'spill')
    mkdirSync(spill, { mode: 0o755 })
    for (const [name, ageMs] of [
      ['old', 61_000],
      ['young', 50_000],
    ] as const) {
      writeFileSync(join(spill, name), '')
      utimesSync(join(spill, name), new Date(), new Date(Date.now() - ageMs))
    }
    await run('true')
    await until(() => readdirSync(spill).length === 1)
    expect(readdirSync(spill)).toEqual(['young'])
    for (const name of ['spill', 'inputs', 'tmp']) expect(statSync(join(state, name)).mode & 0o777).toBe(0o700)
  })

  test('run() refuses a state folder that is a link', async () => {
    const { run, state } = testBroker()
    symlinkSync(temporaryFolder(), join(state, 'spill'))
    await expect(run('true')).rejects.toMatchObject({ code: 'SHELL_SPAWN_FAILED' })
  })

  test.runIf(sandbox === 'off')('run() gains nothing by swapping the capture file for a link', async () => {
    const { run, state, cwd } = testBroker({ limits: { maxOutputChars: 100 } })
    writeFileSync(join(cwd, 'target'), 'untouched')
    chmodSync(join(cwd, 'target'), 0o644)
    const result = await run(`head -c 200 /dev/zero | tr '\\0' x; for f in "$1"/spill/*.output; do ln -sf "$PWD/target" "$f"; done`, {
      parameters: [state],
    })
    expect(result).toMatchObject({ truncated: true, outputChars: 200 })
    expect(readFileSync(join(cwd, 'target'), 'utf8')).toBe('untouched')
    expect(statSync(join(cwd, 'target')).mode & 0o777).toBe(0o644)
    expect(lstatSync(result.spillPath ?? '').isFile()).toBe(true)
    expect(readFileSync(result.spillPath ?? '', 'utf8')).toBe('x'.repeat(200))
    rmSync(join(cwd, 'target'))
  })

  test('run() holds no descriptor, listener, timer or zombie after many commands', async () => {
    const { run, state } = testBroker()
    // A thousand in cells, which are the way of every day; starting as many plain shells takes a minute.
    const each = sandbox === 'off' ? 60 : 250
    const signal = new AbortController().signal
    // Four side by side need four cells, which stay.
    await Promise.all([1, 2, 3, 4].map(() => run('true', { shell: 'sh', signal })))
    const before = {
      descriptors: readdirSync('/proc/self/fd').length,
      resources: process.getActiveResourcesInfo().length,
      listeners: process.listenerCount('exit'),
    }
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let count = 0; count < each; count++) {
          const [script, shell] =
            (
              [
                [':', 'sh'],
                [':', 'bash'],
                ['ls | cat', 'bash'],
                ['echo $$', 'bash'],
              ] as const
            )[count % 4] ?? []
          await run(script ?? '', { shell: shell ?? 'sh', signal, variables: count % 5 === 0 ? { v: 'x' } : {} })
        }
      }),
    )
    // On a slow machine some were looked at, and a look keeps its descriptor for two seconds (usage.ts).
    await until(() => readdirSync('/proc/self/fd').length <= before.descriptors)
    // One for each of the four may be about to close.
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before.resources + 4)
    expect(process.listenerCount('exit')).toBe(before.listeners)
    expect(zombiesOf(process.pid)).toEqual([])
    for (const folder of ['spill', 'inputs']) await until(() => readdirSync(join(state, folder)).length === 0)
    const left = readdirSync(join(state, 'cells'), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    expect(left.map(entry => entry.name).filter(name => !['host', 'hidden', 'filter', 'errors'].includes(name))).toEqual([])
  }, 300_000)
})

function opens(id: string, folder: string): boolean {
  try {
    return readdirSync(`/proc/${id}/fd`).some(fd => readlinkSync(`/proc/${id}/fd/${fd}`).startsWith(folder))
  } catch {
    return false
  }
}

function zombiesOf(parent: number): string[] {
  return readdirSync('/proc').filter(id => {
    if (!/^\d+$/.test(id) || !existsSync(`/proc/${id}/stat`)) return false
    const [, state, of] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, 'latin1')) ?? []
    return state === 'Z' && Number(of) === parent
  })
}
