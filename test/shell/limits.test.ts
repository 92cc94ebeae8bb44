// What a command may use. Each limit is tried by a program that goes over it, bounded, and by one that does not.

import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { controlGroups } from '../../src/shell/control-groups.ts'
import { limitReached, limitsNotEnforced, processWords, ulimitWords } from '../../src/shell/resource-limits.ts'
import { sandboxFacts } from '../../src/shell/sandbox-facts.ts'
import { testBroker as brokerOf, processesWith, sandboxes, type TestOptions, temporaryFolder } from './support.ts'

const megabyte = 1024 * 1024

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test('run() ends a command at its CPU seconds and says so', async () => {
    const { run } = testBroker({ limits: { maxCpuSeconds: 1 } })
    const result = await run('while :; do :; done', { timeoutMs: 30_000 })
    expect(result).toMatchObject({ note: 'CPU limit of 1 s reached' })
    expect(result.exitCode).not.toBe(0)
    expect(result.cpuSeconds).toBeGreaterThanOrEqual(0.5)
  })

  test('run() ends a command whose processes use the CPU seconds together', async () => {
    const { run } = testBroker({ limits: { maxCpuSeconds: 2 } })
    const result = await run('for i in 1 2 3 4; do (while :; do :; done) & done; sleep 60', { timeoutMs: 40_000 })
    expect(result).toMatchObject({ reason: 'killed', exitCode: 137, note: 'CPU limit of 2 s reached' })
  })

  test.each([
    [megabyte, 0],
    [megabyte + 1, 153],
  ])('run() lets a file of %i bytes end with %i where one mebibyte is allowed', async (bytes, exitCode) => {
    const { run, cwd } = testBroker({ limits: { maxFileBytes: megabyte } })
    const result = await run(`head -c ${bytes} /dev/zero >file`)
    expect(result.exitCode).toBe(exitCode)
    expect(statSync(join(cwd, 'file')).size).toBe(megabyte)
    expect(result.note).toBe(exitCode === 0 ? undefined : 'File size limit of 1,048,576 bytes reached')
  })

  test('run() limits open files', async () => {
    const { run } = testBroker({ limits: { maxOpenFiles: 20 } })
    const open = (count: number) => `python3 -c 'l = [open("/dev/null") for i in range(${count})]'`
    // Three are open from the start.
    expect((await run(open(17))).exitCode).toBe(0)
    expect((await run(open(18))).exitCode).not.toBe(0)
  })

  test('run() limits the memory of a process', async () => {
    const { run } = testBroker({ limits: { maxMemoryMb: 200 } })
    const take = (megabytes: number) => `python3 -c 'b = bytearray(${megabytes} << 20); print("taken")'`
    expect(await run(take(100))).toMatchObject({ output: 'taken', exitCode: 0 })
    expect((await run(take(300))).output).toContain('MemoryError')
  })

  test('run() ends a command whose processes take the memory together', async () => {
    const { run } = testBroker({ limits: { maxMemoryMb: 150 } })
    const take = `python3 -c 'b = bytearray(b"x") * (60 << 20); import time; time.sleep(60)' &`
    const result = await run(`${take} ${take} ${take} ${take} sleep 60`, { timeoutMs: 30_000 })
    expect(result).toMatchObject({ reason: 'killed', exitCode: 137, note: 'Memory limit of 150 MiB reached' })
    expect(result.peakMemoryBytes).toBeGreaterThan(150 * megabyte)
  })

  test('run() ends a fork bomb, and the next command works', async () => {
    const { run, cwd } = testBroker({ limits: { maxProcesses: 100 } })
    // Bounded: each process lives for a minute at most and no more than 1,500 are made.
    const bomb = `for i in {1..1500}; do sleep 61 & done; wait # ${cwd}`
    const result = await run(bomb, { timeoutMs: 30_000 })
    expect(result.exitCode).not.toBe(0)
    const enforced = limitsNotEnforced(sandbox === 'off' ? 'none' : 'bubblewrap', controlGroups().controllers).length === 0
    if (!enforced) expect(result).toMatchObject({ reason: 'killed', note: 'Limit of 100 processes reached' })
    expect(processesWith(cwd)).toEqual([])
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })

  test.each(['-t', '-f', '-n', '-d', '-c'])('run() lets no command raise its limit %s', async flag => {
    if (process.getuid?.() === 0 && sandbox === 'off') return
    const { run } = testBroker({ limits: { maxCpuSeconds: 5, maxOpenFiles: 100 } })
    expect((await run(`ulimit -H ${flag} unlimited`)).exitCode).not.toBe(0)
    expect((await run(`ulimit -S ${flag} $(($(ulimit -H ${flag}) + 1))`)).exitCode).not.toBe(0)
  })

  test('run() counts CPU seconds and memory of a command that lasts', async () => {
    const { run } = testBroker()
    const program = `python3 -c 'import time; b = bytearray(b"x") * (50 << 20); t = time.process_time()\nwhile time.process_time() - t < 0.4: pass\ntime.sleep(1)'`
    const result = await run(program)
    expect(result.exitCode).toBe(0)
    expect(result.cpuSeconds).toBeGreaterThanOrEqual(0.3)
    expect(result.cpuSeconds).toBeLessThan(10)
    expect(result.peakMemoryBytes).toBeGreaterThan(40 * megabyte)
    const short = await run('true')
    expect(short.peakMemoryBytes).toBeUndefined()
    if (sandbox === 'off') expect(short.cpuSeconds).toBeUndefined()
    else expect(short.cpuSeconds).toBeLessThan(0.3)
  })

  test('run() says once what is not enforced', async () => {
    const { run } = testBroker()
    const network = sandbox === 'off' ? ['network: none is not enforced without a cell: commands have the network of the host'] : []
    const expected = network.concat(limitsNotEnforced(sandbox === 'off' ? 'none' : 'bubblewrap', controlGroups().controllers))
    expect((await run('true')).notEnforced).toEqual(expected.length === 0 ? undefined : expected)
    expect((await run('true')).notEnforced).toBeUndefined()
  })

  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')('run() tells a command that its disk is full', async () => {
    const disk = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    onTestFinished(() => void execFileSync('umount', ['-l', disk]))
    const { run } = testBroker()
    const result = await run('head -c 4M /dev/zero >file || echo full', { cwd: disk })
    expect(result).toMatchObject({ output: 'full' })
    writeFileSync(join(disk, 'file'), '')
    expect(await run('echo next >next; cat next', { cwd: disk })).toMatchObject({ output: 'next' })
    expect(readdirSync(disk)).toContain('next')
  })
})

test('ulimitWords() counts files in blocks of the shell, rounded up', () => {
  const limits = { maxCpuSeconds: 9, maxFileBytes: 1025, maxOpenFiles: 7, maxProcesses: 5, maxMemoryMb: 2 }
  expect(ulimitWords(limits, 1024)).toEqual(['-St=9', '-Ht=10', '-f=2', '-n=7', '-d=2048', '-c=0'])
  expect(ulimitWords(limits, 512)).toContain('-f=3')
  expect(processWords(limits)).toEqual(['-u=5'])
  expect(limitReached(152, limits)).toContain('CPU')
  expect(limitReached(153, limits)).toContain('File size')
  expect(limitReached(151, limits)).toBeUndefined()
})

test('limitsNotEnforced() names the process count for root, and for nobody who has a cell', () => {
  expect(limitsNotEnforced('bubblewrap', new Set(), 1000)).toEqual([])
  expect(limitsNotEnforced('bubblewrap', new Set(), 0)).toEqual([expect.stringContaining('maxProcesses is not enforced')])
  expect(limitsNotEnforced('bubblewrap', new Set(['pids']), 0)).toEqual([])
  expect(limitsNotEnforced('none', new Set(), 1000)).toEqual([expect.stringContaining('maxProcesses is not enforced')])
})

test('sandboxFacts() tells what holds here, and what to do without bubblewrap', () => {
  expect(sandboxFacts().map(fact => fact.name)).toEqual(expect.arrayContaining(['kernel', 'cell', 'limits']))
  expect(sandboxFacts('no-such-bwrap').find(fact => fact.name === 'cell')).toMatchObject({
    holds: false,
    detail: expect.stringContaining('install'),
  })
})
