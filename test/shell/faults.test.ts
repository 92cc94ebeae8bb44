// Faults that commands are known for, each with a real program, that have no place in the other files of this room: odd input and output, a folder
// that goes away, callers that leave at any moment, and two tenants that write wherever they can.

import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testBroker as brokerOf, processesWith, sandboxes, type TestOptions } from './support.ts'

const megabyte = 1024 * 1024

describe.each(sandboxes)('sandbox %s', sandbox => {
  const testBroker = (options: TestOptions = {}) => brokerOf({ sandbox, ...options })

  test.each([
    ['a FIFO that nobody writes', 'mkfifo p; echo begun; cat p'],
    ['a FIFO that nobody reads', 'mkfifo p; echo begun; echo x >p'],
    ['a lock that is held for ever', 'exec 9>lock; flock 9; echo begun; flock lock true'],
    ['a wait for a child that waits', 'echo begun; sleep 300 & wait'],
  ])('run() ends at its time limit with %s, and the next command works', async (_what, script) => {
    const { run } = testBroker()
    expect(await run(script, { timeoutMs: 1_500 })).toMatchObject({ reason: 'timed-out', exitCode: 124, output: 'begun' })
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })

  test('run() gives an empty stdin to what reads it, and a given one to its end', async () => {
    const { run } = testBroker()
    expect(await run('cat; read -r line || echo empty; wc -c')).toMatchObject({ output: 'empty\n0', exitCode: 0 })
    expect(await run('read -r line; echo "<$line>"; wc -c', { stdin: 'one\ntwo\n' })).toMatchObject({ output: '<one>\n4' })
    // More than a pipe holds, and nobody reads it.
    expect(await run('true', { stdin: 'x'.repeat(megabyte) })).toMatchObject({ exitCode: 0, output: '' })
  })

  test.each([
    ['bytes that are no UTF-8', "printf 'a\\377\\376b\\300\\200c'", 'a\ufffd\ufffdb\ufffd\ufffdc'],
    ['a character that is cut off at the end', "printf 'a\\360\\237\\230'", 'a\ufffd'],
    ['a character in two writes', "printf '\\360\\237'; sleep 0.05; printf '\\230\\200'", '😀'],
    ['a zero byte', "printf 'a\\0b'", 'a\0b'],
    ['colours and carriage returns', "printf '\\033[31mred\\033[0m\\r10%%\\r20%%'", '\u001b[31mred\u001b[0m\r10%\r20%'],
    ['a byte order mark', "printf '\\357\\273\\277a'", '\ufeffa'],
  ])('run() gives %s as they are', async (_what, script, output) => {
    expect(await testBroker().run(script)).toMatchObject({ output, exitCode: 0 })
  })

  test.each([65_535, 65_536, 65_537])('run() splits no character where %i bytes stand before it', async count => {
    const { run } = testBroker({ limits: { maxOutputChars: 100_000 } })
    const { output } = await run(`head -c ${count} /dev/zero | tr '\\0' x; printf '😀é'`)
    expect(output).toBe(`${'x'.repeat(count)}😀é`)
  })

  test('run() keeps a preview of a flood of escape sequences and carriage returns', async () => {
    const { run } = testBroker()
    const result = await run(`yes "$(printf '\\033[2K\\r\\033[31m50%%')" | head -n 200000`)
    expect(result).toMatchObject({ exitCode: 0, truncated: true })
    expect(result.output.startsWith('\u001b[2K\r\u001b[31m50%\n')).toBe(true)
    expect(result.output.length).toBeLessThan(2_500)
  })

  test('run() stops `yes` at 64 MiB, which is the default', async () => {
    const { run } = testBroker()
    const result = await run('yes')
    expect(result).toMatchObject({ reason: 'output-limit', truncated: true })
    expect(statSync(result.spillPath ?? '').size).toBe(64 * megabyte)
  })

  test('run() goes on in a folder below the workspace that the command removes, and the next has its own', async () => {
    const { run } = testBroker()
    expect(await run('mkdir gone; cd gone; rmdir ../gone; echo still; pwd >/dev/null; ls | wc -l')).toMatchObject({
      output: 'still\n0',
      exitCode: 0,
    })
    expect(await run('[[ $PWD == "$1" ]] && echo next', { parameters: [await run('pwd').then(({ output }) => output)] })).toMatchObject({
      output: 'next',
    })
  })

  test('run() ends for a caller that leaves before, while it waits for others, while it runs, and after the end', async () => {
    const { run, cwd } = testBroker()
    const many = Array.from({ length: 12 }, (_, index) => {
      const controller = new AbortController()
      const call = run(`sleep 300 # ${cwd}`, { signal: controller.signal })
      // At once, a little later (cells are still being started), and later still.
      const timer = setTimeout(() => controller.abort(), index * 40)
      return call.finally(() => clearTimeout(timer))
    })
    for (const result of await Promise.all(many)) expect(result.reason).toBe('aborted')
    expect(processesWith(cwd)).toEqual([])
    const late = new AbortController()
    expect(await run('echo done', { signal: late.signal })).toMatchObject({ output: 'done' })
    late.abort()
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })
})

describe.runIf(sandboxes.includes('required'))('two tenants', () => {
  const secret = 'canary-7f31'
  const leave = [
    `for d in /tmp /dev/shm /run /var/tmp "$HOME" "$TMPDIR" /dev/mqueue; do echo ${secret} >"$d/${secret}"; done 2>/dev/null`,
    `python3 -c 'import ctypes; l = ctypes.CDLL(None); i = l.shmget(0x5EC2E7, 4096, 0o1666); l.shmat.restype = ctypes.c_void_p; a = l.shmat(i, None, 0); ctypes.memmove(a, b"${secret}", 11)'`,
    `export LEFT=${secret}; exec -a ${secret} sleep 2`,
    `python3 -c 'import socket, time; s = socket.socket(socket.AF_UNIX); s.bind("\\0${secret}"); s.listen(); time.sleep(2)'`,
  ]
  const look = [
    'cat /tmp/* /dev/shm/* /run/* /var/tmp/* "$HOME"/* "$TMPDIR"/* /dev/mqueue/* 2>/dev/null',
    'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/net/unix 2>/dev/null | tr "\\0" "\\n"',
    `python3 -c 'import ctypes; l = ctypes.CDLL(None); l.shmat.restype = ctypes.c_void_p; i = l.shmget(0x5EC2E7, 4096, 0o666); print(i, ctypes.string_at(l.shmat(i, None, 0), 11) if i >= 0 else "")'`,
    'ipcs -a; env; ls -la / /tmp /dev/shm /run',
  ]

  test('run() shows nothing of one to the other, at one time and one after the other', async () => {
    const [one, other] = [brokerOf({ sandbox: 'required' }), brokerOf({ sandbox: 'required' })]
    writeFileSync(join(one.cwd, 'file'), secret)
    const request = { variables: { hidden: secret }, environment: { SKILLCELL_HIDDEN: secret }, stdin: secret }
    const writing = leave.map(script => one.run(script, request))
    const seen: string[] = []
    for (const script of look) seen.push((await other.run(`${script}; exit 0`)).output)
    await Promise.all(writing)
    for (const script of look) seen.push((await other.run(`${script}; exit 0`)).output)
    seen.push((await other.run('cat "$1"; exit 0', { parameters: [join(one.cwd, 'file')] })).output)
    expect(seen.join('\n')).not.toContain(secret)
    expect(seen.join('\n')).not.toContain(one.cwd)
    // That it looked at all.
    expect(seen[1]).toContain('TMPDIR=')
    expect(seen[2]).toContain('-1')
    expect(readdirSync(other.cwd).filter(name => name.includes(secret))).toEqual([])
  })

  test('run() shows nothing of a command to the next one of another trust of the same tenant', async () => {
    const { run } = brokerOf({ sandbox: 'required' })
    await run(leave.slice(0, 2).join('; '), { trust: 'one' })
    for (const script of look) expect((await run(`${script}; exit 0`, { trust: 'other' })).output).not.toContain(secret)
  })
})
