// Output that is too long for a prompt, for the limit of a file, or for the disk.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import { createBroker } from '../../src/shell/broker.ts'
import { testBroker as brokerOf, commandRequest, programs, sandboxes, type TestOptions, temporaryFolder, until } from './support.ts'

const megabyte = 1024 * 1024
const zeros = (count: number) => `head -c ${count} /dev/zero | tr '\\0' x`

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test.each([
    [29_999, false],
    [30_000, false],
    [30_001, true],
  ])('run() with %i characters of output', async (count, truncated) => {
    const { run, state } = testBroker()
    const result = await run(`${zeros(count)}; echo; echo`)
    expect(result).toMatchObject({ exitCode: 0, outputChars: count, truncated })
    // Files of ours that nobody waits for go a moment later.
    await until(() => readdirSync(join(state, 'spill')).length === (truncated ? 1 : 0))
    if (!truncated) return expect(result.output).toBe('x'.repeat(count))
    expect(result.output).toBe(`${'x'.repeat(2_048)}\n\n[Output truncated (${count} chars). Full output saved to: ${result.spillPath}]`)
    expect(readFileSync(result.spillPath ?? '', 'utf8')).toBe(`${'x'.repeat(count)}\n\n`)
    expect(statSync(result.spillPath ?? '').mode & 0o777).toBe(0o600)
  })

  test('run() counts UTF-16 units and never cuts a character', async () => {
    const { run } = testBroker()
    const exact = await run(`yes 😀 | head -n 15000 | tr -d '\\n'`)
    expect(exact).toMatchObject({ outputChars: 30_000, truncated: false })
    const over = await run(`printf a; yes 😀 | head -n 15001 | tr -d '\\n'`)
    expect(over.output.startsWith(`a${'😀'.repeat(1_023)}\n\n[Output truncated (30003 chars)`)).toBe(true)
  })

  test('run() saves stdout, then stderr, of a failure and every byte as it was', async () => {
    const { run } = testBroker()
    const result = await run(`printf '\\377\\376'; ${zeros(40_000)}; printf 'e\\377' >&2; exit 5`)
    expect(result).toMatchObject({ exitCode: 5, truncated: true, outputChars: 40_004 })
    const bytes = readFileSync(result.spillPath ?? '')
    expect(bytes.equals(Buffer.concat([Buffer.from([255, 254]), Buffer.alloc(40_000, 'x'), Buffer.from([0x65, 255])]))).toBe(true)
  })

  test.each([
    [megabyte - 1, 'exited'],
    [megabyte, 'exited'],
    [megabyte + 1, 'output-limit'],
  ] as const)('run() with %i bytes and a limit of one mebibyte', async (count, reason) => {
    const { run } = testBroker({ limits: { maxSpillBytes: megabyte } })
    const result = await run(`${programs}/floods ${count}`)
    expect(result.reason).toBe(reason)
    const text = readFileSync(result.spillPath ?? '', 'latin1')
    expect(text.length).toBe(Math.min(count, megabyte))
    if (reason === 'exited') return expect(result).toMatchObject({ exitCode: 0, outputChars: count })
    expect(result.exitCode).not.toBe(0)
    expect(result.note).toContain('1,048,576 bytes')
    expect(text.endsWith('\n[Output stopped: it reached the limit of 1,048,576 bytes]\n')).toBe(true)
  })

  test('run() stops a command that writes without end, and one that writes a gibibyte in one line, in bounded memory', async () => {
    const { run } = testBroker({ limits: { maxSpillBytes: 8 * megabyte } })
    const before = process.memoryUsage().rss
    for (const script of ['yes', `${programs}/floods ${1024 * megabyte}`, `trap '' TERM; ${programs}/floods ${1024 * megabyte} >&2`]) {
      const result = await run(script)
      expect(result).toMatchObject({ reason: 'output-limit', truncated: true })
      expect(statSync(result.spillPath ?? '').size).toBe(8 * megabyte)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * megabyte)
  })

  // They get at no file: what may open its output by name writes through a pipe.
  test.each([
    ['a hole', 'truncate -s 1000M /dev/stdout'],
    ['reserved blocks', 'fallocate -n -l 30M /proc/self/fd/1'],
  ])('run() gives a command that could make %s a pipe', async (_what, script) => {
    const { run } = testBroker({ limits: { maxSpillBytes: 8 * megabyte } })
    expect(await run(script)).toMatchObject({ reason: 'exited', exitCode: 1 })
  })

  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'run() keeps what fits when the disk of the spill files is full, and says so',
    async () => {
      const disk = temporaryFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
      onTestFinished(() => void execFileSync('umount', ['-l', disk]))
      const broker = createBroker({
        sandbox: 'off',
        stateDirectory: join(disk, 'state'),
        limits: resolveLimits({}, 'skillcell'),
        env: process.env,
      })
      const result = await broker.run(commandRequest(zeros(3 * megabyte), { cwd: temporaryFolder() }))
      await broker.close()
      expect(result.note).toContain('is full')
      expect(result.truncated).toBe(true)
      expect(result.outputChars).toBeGreaterThan(megabyte / 2)
      expect(result.output).toMatch(/^x{2048}\n\n\[Output truncated/)
    },
  )
})
