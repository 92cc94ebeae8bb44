import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTransportProcess, type TransportProcess } from '../../src/shell/transport-process.ts'
import { isZombie } from './support.ts'

async function start(script: string, more: Partial<Parameters<typeof startTransportProcess>[0]> = {}): Promise<TransportProcess> {
  const child = await startTransportProcess({
    command: '/bin/sh',
    args: ['-c', script],
    env: {},
    cwd: tmpdir(),
    graceMs: 200,
    ...more,
  })
  onTestFinished(() => child.kill())
  return child
}

async function line(child: TransportProcess): Promise<string> {
  const [chunk] = await once(child.stdout, 'data')
  return String(chunk).trim()
}

/** A dead one that nobody has collected yet does not run. */
function isRunning(id: number): boolean {
  try {
    return !isZombie(String(id))
  } catch {
    return false
  }
}

describe('startTransportProcess()', () => {
  test('speaks over input and output, and tells how it ended', async () => {
    const child = await start('read word; echo "got $word"; echo why >&2; exit 3')
    const said = once(child.stderr, 'data')
    child.stdin.write('hello\n')
    expect([await line(child), String((await said)[0])]).toEqual(['got hello', 'why\n'])
    expect(await child.exited).toEqual({ code: 3, signal: null })
  })

  test('gives the allowlist and what is named, and runs where it is told', async () => {
    const cwd = mkdtempSync(`${tmpdir()}/skillcell-transport-`)
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    const host = { PATH: process.env.PATH, SECRET: 'canary', HOME: '/home/x' }
    const child = await start('echo "$SECRET|$HOME|$NAMED|$(pwd)"', { host, env: { NAMED: 'n m' }, cwd })
    expect(await line(child)).toBe(`|/home/x|n m|${cwd}`)
  })

  test('reads no shell code in command and arguments', async () => {
    const child = await start('', { command: 'printf', args: ['%s|', '$(id)', '; id', '*'] })
    expect(await line(child)).toBe('$(id)|; id|*|')
  })

  test.each([
    ['/none/such', tmpdir()],
    ['/bin/sh', '/none/such'],
  ])('refuses %j in %j by name', async (command, cwd) => {
    await expect(start('', { command, cwd })).rejects.toMatchObject({
      code: 'SHELL_SPAWN_FAILED',
      message: expect.stringContaining('/none/such'),
    })
  })

  test.each([
    ['ends when its input does', 'echo $$; cat', { code: 0, signal: null }],
    ['ends by TERM', 'echo $$; exec sleep 1000', { code: null, signal: 'SIGTERM' }],
    ['ignores TERM', 'trap "" TERM; echo $$; while :; do sleep 1000; done', { code: null, signal: 'SIGKILL' }],
  ])('kill() of one that %s', async (_, script, ending) => {
    const child = await start(script)
    const id = Number(await line(child))
    await child.kill()
    expect(await child.exited).toEqual(ending)
    expect(() => process.kill(id, 0)).toThrow(/ESRCH/)
  })

  test.each(['setsid sleep 1000 >/dev/null 2>&1 & echo $!; cat', 'setsid sleep 1000 >/dev/null 2>&1 & echo $!; read word; exit 0'])(
    'leaves nothing of %j behind',
    async script => {
      const child = await start(script)
      const id = Number(await line(child))
      expect(isRunning(id)).toBe(true)
      await child.kill()
      expect(isRunning(id)).toBe(false)
    },
  )

  test('ends with its signal, also one that was aborted before', async () => {
    const controller = new AbortController()
    const child = await start('exec sleep 1000', { signal: controller.signal })
    controller.abort()
    expect((await child.exited).signal).toBe('SIGTERM')
    const reason = new Error('before')
    await expect(start('', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('writing to one that has ended does not end us', async () => {
    const child = await start('exit 0')
    await child.exited
    child.stdin.write('x'.repeat(100_000))
    await child.kill()
  })
})
