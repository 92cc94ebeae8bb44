// The ways out of a cell, each tried with no policy in the way: what refuses is the system. As whoever runs the tests and, where that is root,
// as an ordinary user too. The same scripts without a cell show which of them would get through.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Limits, resolveLimits } from '../../src/limits.ts'
import type { SandboxMode } from '../../src/options.ts'
import { createBroker } from '../../src/shell/broker.ts'
import type { CommandResult } from '../../src/shell/command.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { commandRequest, programs } from './support.ts'

const ordinaryUser = 65_534
const call = (text: string) =>
  `python3 -c 'import ctypes, os, socket, sys; c = ctypes.CDLL(None, use_errno=True); sys.exit(0 if ${text} else 1)'`
// In Python: a call that raises has exit code 1 as well.
const connect = (address: string) => call(`(s := socket.socket(socket.AF_UNIX)).connect(${address}) is None and s.recv(9) == b"reached"`)

// What is named by its third column gets through without a cell. Never so for secrets of the machine that runs the tests.
/** `$1` the folder of another tenant, `$2` a process, `$3` a port, `$4` a socket file, `$5` the name of an abstract socket. */
const escapes: readonly (readonly [what: string, script: string, open?: 'to-root' | 'to-all'])[] = [
  ['read the passwords of the system', 'cat /etc/shadow'],
  ['read the file of another tenant', 'cat "$1/file"', 'to-all'],
  ['read it by a link that it makes', 'ln -s "$1/file" link && cat link', 'to-all'],
  ['read it through the root of another process', 'cat "/proc/1/root$1/file" || cat "/proc/$2/root$1/file"'],
  ['list the folder of another tenant', 'ls "$1/"', 'to-all'],
  ['write to the folder of another tenant', 'echo x >"$1/written"', 'to-all'],
  ['write to the system', 'touch /usr/x || touch /etc/x || touch /opt/x'],
  ['see a process outside', 'ls -d "/proc/$2/stat"; kill -0 "$2"', 'to-root'],
  ['end a process outside', 'kill -KILL "$2"'],
  ['connect to a port of the host', 'exec 9<>"/dev/tcp/127.0.0.1/$3" && head -c 7 <&9', 'to-all'],
  ['see the network of the host', '[ "$(tail -n +3 /proc/net/dev | grep -cv " lo:")" -gt 0 ]'],
  ['use a raw socket', call('socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and True'), 'to-root'],
  ['reach the socket of a daemon by its path', connect('os.environ["SKILLCELL_SOCKET"]'), 'to-all'],
  ['reach the socket of a daemon by its abstract name', connect('("\\0" + os.environ["SKILLCELL_ABSTRACT"]).ljust(108, "\\0")'), 'to-all'],
  ['read the memory of the machine', 'head -c 1 /dev/mem || head -c 1 /dev/kmem || head -c 1 /proc/kcore'],
  ['read a disk', 'for d in /dev/[svn][dv][am]*; do head -c 1 "$d" && exit 0; done; exit 1'],
  ['make a device', 'mknod disk b 8 0 && head -c 1 disk'],
  ['trace process 1', call('c.ptrace(16, 1, 0, 0) == 0')],
  ['trace itself', call('c.ptrace(0, 0, 0, 0) == 0')],
  ['read the memory of process 1', 'head -c 1 /proc/1/mem || cat /proc/1/maps'],
  ['read the environment of process 1', 'cat /proc/1/environ'],
  ['read the descriptors of process 1', 'ls -l /proc/1/fd/'],
  ['mount', 'mount -t tmpfs none /mnt || mount --bind /usr /mnt || mount -o remount,rw /usr'],
  ['mount by the call', call('c.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0')],
  ['take a mount away', 'umount -l .claude || umount -l /proc || umount -l /proc/sys'],
  ['change its root', call('os.chroot(".") is None')],
  ['become another user', call('os.setuid(1) is None')],
  ['gain by a setuid program', 'cp /bin/bash own && chmod 4755 own && [ "$(grep NoNewPrivs /proc/self/status | tr -dc 0-9)" = 0 ]'],
  ['keep a capability', "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb):' /proc/self/status | grep -qv 0000000000000000", 'to-root'],
  ['set what the kernel runs at a crash', 'echo "|/tmp/x" >/proc/sys/kernel/core_pattern'],
  ['set any other value of the kernel', 'echo 1 >/proc/sys/vm/drop_caches || echo b >/proc/sysrq-trigger'],
  ['set the name of the host', 'echo x >/proc/sys/kernel/hostname || hostname x'],
  ['read the log of the kernel', 'dmesg'],
  ['make a user space inside', 'unshare -U true || unshare -Ur true'],
  ['make any other space inside', 'unshare -m true || unshare -n true || unshare -p -f true'],
  ['enter the spaces of process 1', 'nsenter -t 1 -m true || nsenter -t 1 -n true'],
  ['make a file where nothing limits its size', 'touch /x || touch /dev/x || touch /run/skillcell/x'],
  ['open the control socket or the captures', 'ls /proc/1/fd/5/ || : 8>/proc/1/fd/3 || : 8</proc/1/fd/5 || ls /proc/1/cwd/'],
  ['replace the host on disk', 'chmod 0755 /run/skillcell/sh || rm -f /run/skillcell/sh || : >/run/skillcell/sh'],
  ['change the limits of process 1', 'prlimit --pid 1 --nofile=3'],
  ['load a module or a program into the kernel', call('c.syscall(321, 0, 0, 0) >= 0 or c.syscall(313, 0, b"", 0) == 0')],
  ['use io_uring', call('c.syscall(425, 1, ctypes.create_string_buffer(200)) >= 0')],
]

describe.runIf(sandboxProblem() === undefined)('out of a cell', () => {
  // Below a folder that everybody may enter.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-escape-')))
  const other = join(root, 'other')
  const socket = join(root, 'daemon.sock')
  const abstract = `skillcell-escape-${process.pid}`
  const outside = spawn('sleep', ['600'])
  const servers: Server[] = []
  const port = () => {
    const address = servers[0]?.address()
    return typeof address === 'object' && address !== null ? String(address.port) : ''
  }

  beforeAll(async () => {
    chmodSync(root, 0o755)
    mkdirSync(other)
    chmodSync(other, 0o777)
    writeFileSync(join(other, 'file'), 'secret of another', { mode: 0o644 })
    for (const place of [{ port: 0, host: '127.0.0.1' }, { path: socket }, { path: `\0${abstract}` }]) {
      const server = createServer(client => client.end('reached')).listen(place)
      servers.push(server)
      await once(server, 'listening')
    }
    chmodSync(socket, 0o777)
  })
  afterAll(() => {
    outside.kill('SIGKILL')
    for (const server of servers) server.close()
    rmSync(root, { recursive: true, force: true })
  })

  const folders = (name: string, owner: number | undefined) =>
    ['workspace', 'state', 'home'].map(each => {
      const path = join(root, `${name}-${each}`)
      mkdirSync(path, { recursive: true })
      if (owner !== undefined) chownSync(path, owner, owner)
      return path
    })
  const requestIn = (cwd: string) =>
    commandRequest('', {
      cwd,
      parameters: [other, String(outside.pid), port(), socket, abstract],
      environment: { SKILLCELL_SOCKET: socket, SKILLCELL_ABSTRACT: abstract },
    })
  const limits = resolveLimits({}, 'skillcell')
  const scripts = [...escapes.map(([, script]) => script), 'echo works >file; cat file']

  const runAll = async (sandbox: SandboxMode): Promise<CommandResult[]> => {
    const [cwd = '', stateDirectory = '', home = ''] = folders(sandbox, undefined)
    const broker = createBroker({ sandbox, stateDirectory, limits, env: { ...process.env, HOME: home } })
    const results: CommandResult[] = []
    for (const script of scripts) results.push(await broker.run({ ...requestIn(cwd), script }))
    await broker.close()
    return results
  }
  const expectRefused = (results: readonly CommandResult[]) => {
    for (const [index, [what]] of escapes.entries()) {
      expect([what, results[index]]).toEqual([what, expect.objectContaining({ sandbox: 'bubblewrap', exitCode: expect.any(Number) })])
      expect([what, results[index]?.exitCode === 0]).toEqual([what, false])
      expect([what, results[index]?.output]).toEqual([what, expect.not.stringMatching(/secret of another|reached/)])
    }
    // Not because nothing works in it.
    expect(results.at(-1)).toMatchObject({ exitCode: 0, output: 'works' })
    expect(outside.exitCode ?? outside.signalCode).toBeNull()
    expect(readdirSync(other)).toEqual(['file'])
  }

  test('run() refuses each of them', async () => {
    expectRefused(await runAll('required'))
  })

  test.skipIf(process.getuid?.() !== 0)('run() refuses each of them to an ordinary user', async () => {
    const entry = fileURLToPath(new URL('../../src/shell/broker.ts', import.meta.url))
    const output = { entryFileNames: 'broker.mjs' }
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: { ssr: entry, outDir: join(root, 'built'), rollupOptions: { output } },
    })
    const program = join(root, 'built', 'program.mjs')
    copyFileSync(join(programs, 'run-commands.mjs'), program)
    const [cwd = '', stateDirectory = '', home = ''] = folders('ordinary', ordinaryUser)
    const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups']
    const runAsUser = async (held: Limits, texts: readonly string[]): Promise<CommandResult[]> => {
      const options = { sandbox: 'required', stateDirectory, limits: held }
      const work = { options, request: { ...requestIn(cwd), readable: [] }, scripts: texts }
      const { stdout } = await promisify(execFile)(
        'setpriv',
        [...user, process.execPath, program, join(root, 'built', 'broker.mjs'), JSON.stringify(work)],
        { cwd: root, env: { PATH: process.env.PATH ?? '', HOME: home }, maxBuffer: 2 ** 24 },
      )
      return JSON.parse(stdout)
    }
    const results = await runAsUser(limits, scripts)
    expectRefused(results)
    expect(results[0]?.notEnforced).toBeUndefined()
    // It leaves so many behind that the host of the cell cannot fork.
    const bomb = 'import os,time\nif os.fork()==0:\n os.setsid()\n while True:\n  try: os.fork()\n  except OSError: pass\ntime.sleep(0.3)'
    const left = await runAsUser({ ...limits, maxProcesses: 60 }, [`env python3 -c '${bomb}'; echo out`, 'seq 2'])
    expect(left).toMatchObject([
      { exitCode: 0, output: 'out' },
      { exitCode: 0, output: '1\n2' },
    ])
  })

  test('run() without a cell refuses few of them: the scripts do what they say', async () => {
    const isRoot = process.getuid?.() === 0
    const [cwd = '', stateDirectory = '', home = ''] = folders('plain', undefined)
    const broker = createBroker({ sandbox: 'off', stateDirectory, limits, env: { ...process.env, HOME: home } })
    for (const [what, script, open] of escapes) {
      // The rest would do harm here.
      if (open === undefined || (open === 'to-root' && !isRoot)) continue
      expect([what, await broker.run({ ...requestIn(cwd), script })]).toEqual([what, expect.objectContaining({ exitCode: 0 })])
    }
    await broker.close()
    expect(existsSync(join(other, 'written'))).toBe(true)
    rmSync(join(other, 'written'))
  })
})
