// What a command in a cell cannot do. Refused by the system, not by a policy: the threats R17.1–R17.5 and the findings on bubblewrap, tried.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import { createBroker } from '../../src/shell/broker.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { refusedCalls, seccompFilter } from '../../src/shell/seccomp.ts'
import { entriesOf, processesWith, type TestBroker, type TestOptions, temporaryFolder, testBroker, until } from './support.ts'

const cellBroker = (options: TestOptions = {}): TestBroker => testBroker({ sandbox: 'required', ...options })

test('createBroker() refuses `required` where there is no bubblewrap, and names it', () => {
  const options = { stateDirectory: '/nowhere', limits: resolveLimits({}, 'skillcell'), env: {}, bubblewrap: 'no-such-bwrap' }
  expect(() => createBroker({ ...options, sandbox: 'required' })).toThrow(
    expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('bubblewrap') }),
  )
  expect(createBroker({ ...options, sandbox: 'auto' })).toMatchObject({
    sandbox: 'none',
    sandboxProblem: expect.stringContaining('bubblewrap'),
  })
})

test('createBroker() refuses `required` where bubblewrap cannot start', () => {
  const options = { stateDirectory: '/nowhere', limits: resolveLimits({}, 'skillcell'), env: {}, bubblewrap: 'false' }
  expect(() => createBroker({ ...options, sandbox: 'required' })).toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }))
})

test('seccompFilter() is whole for both architectures and absent for others', () => {
  expect(seccompFilter('x64')?.length).toBe((4 + 2 + refusedCalls.length * 2 + 5) * 8)
  expect(seccompFilter('arm64')?.length).toBe((4 + refusedCalls.length * 2 + 5) * 8)
  expect(seccompFilter('mips')).toBeUndefined()
})

// Without one these tests would say nothing; `.ci/run` installs it.
describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test('run() shows nothing of other folders: home, state, temp of the host, other workspaces', async () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'secret'), 'secret')
    const other = temporaryFolder()
    writeFileSync(join(other, 'secret'), 'secret')
    const { run, state, cwd } = cellBroker({ env: { ...process.env, HOME: home } })
    symlinkSync(join(other, 'secret'), join(cwd, 'link'))
    for (const path of [join(home, 'secret'), join(other, 'secret'), join(state, 'spill'), 'link', `/proc/1/root${other}/secret`]) {
      const result = await run('cat "$1"', { parameters: [path] })
      expect(result).toMatchObject({ exitCode: 1, output: expect.not.stringContaining('secret\n') })
    }
    expect(await run('ls -A "$HOME" /tmp')).toMatchObject({ output: expect.not.stringContaining('secret') })
    expect(await run('touch "$HOME/x" "$TMPDIR/y" z && echo ok')).toMatchObject({ output: 'ok' })
    expect(readdirSync(home)).toEqual(['secret'])
    expect(entriesOf(cwd)).toEqual(['link', 'z'])
  })

  test('run() reaches no process outside and no network', async () => {
    const outside = spawn('sleep', ['60'])
    const server = createServer(socket => socket.end('reached'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      outside.kill('SIGKILL')
      server.close()
    })
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { run } = cellBroker()
    // The last ends what is in the cell, at most.
    const kills = `kill -9 ${outside.pid} || kill -9 ${process.pid} || { kill -9 -1; exit 3; }`
    expect((await run(kills)).exitCode).toBe(3)
    expect(outside.exitCode ?? outside.signalCode).toBeNull()
    expect(await run(`exec 9<>/dev/tcp/127.0.0.1/${port} && cat <&9`)).toMatchObject({
      exitCode: 1,
      output: expect.not.stringContaining('reached'),
    })
    expect(await run('ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1')).toMatchObject({
      output: expect.stringMatching(/^\s*lo$/),
    })
  })

  test('run() keeps its shell host through every signal, and the next command works', async () => {
    const { run } = cellBroker()
    const first = await run(
      'readlink /proc/self/ns/pid; for n in {1..64}; do kill -$n 1 2>/dev/null; done; for n in {1..500}; do kill -CHLD 1; done; echo alive',
    )
    expect(first.output).toMatch(/^pid:\[\d+\]\nalive$/)
    expect(first.output.split('\n')[0]).not.toBe(readlinkSync('/proc/self/ns/pid'))
    expect((await run('readlink /proc/self/ns/pid')).output).toBe(first.output.split('\n')[0])
    expect(await run(`grep -E 'Sig(Ign|Blk)' /proc/self/status | cut -f2 | sort -u`)).toMatchObject({ output: '0000000000000000' })
  })

  test('run() keeps its shell host through every signal after a command that left processes behind', async () => {
    const { run } = cellBroker()
    expect((await run('sleep 60 & setsid sleep 60 & echo left')).output).toBe('left')
    expect((await run('for n in {1..64}; do kill -$n 1 2>/dev/null; done; echo alive')).output).toBe('alive')
  })

  test('run() gives a command three descriptors and no more', async () => {
    // Of the four the last is that of ls itself.
    expect(await cellBroker().run('ls /proc/self/fd')).toMatchObject({ output: '0\n1\n2\n3' })
  })

  test('run() survives what a command does to its capture: flags, offset, holes, another name', async () => {
    const { run } = cellBroker()
    const clear = `python3 -c 'import fcntl,os; fcntl.fcntl(1, fcntl.F_SETFL, 0); os.lseek(1, 5, 0); os.write(1, b"after a hole")'`
    // It gets at no file: it writes through a pipe of its cell, which has no offset.
    expect(await run(`echo before; ${clear}`)).toMatchObject({ exitCode: 1, output: expect.stringMatching(/^before\n.*Illegal seek/s) })
    expect(await run('echo fresh')).toMatchObject({ output: 'fresh', exitCode: 0 })
    expect(await run('rm -f /proc/self/fd/1; ln -sf /etc/passwd /proc/self/fd/1; echo kept')).toMatchObject({
      output: expect.stringContaining('kept'),
    })
  })

  test('run() starts each command afresh: no variable, function, limit, mask, trap or folder of the one before', async () => {
    const { run, cwd } = cellBroker()
    await run('x=1; export y=2; f() { :; }; ulimit -n 10; umask 777; trap "" TERM; cd /; set -e; alias a=b')
    expect(await run('echo "[$x$y]$(type -t f)$(umask)$(trap)$PWD$-"; ulimit -n')).toMatchObject({
      output: expect.stringMatching(new RegExp(`^\\[\\]0022${cwd}hBc\\n(?!10$)\\d+$`)),
    })
  })

  test('run() protects git, settings and skills in the workspace, and hides its secrets', async () => {
    const { run, cwd } = cellBroker()
    mkdirSync(join(cwd, '.git/hooks'), { recursive: true })
    mkdirSync(join(cwd, '.claude/skills'), { recursive: true })
    for (const name of ['.git/HEAD', '.git/config', '.env', '.env.local', '.env.example', '.mcp.json'])
      writeFileSync(join(cwd, name), 'content')
    for (const script of [
      'touch .git/hooks/pre-commit',
      'echo x >.git/config',
      'mv .git .git2',
      'mkdir .claude/skills/x',
      'mv .claude y',
      'echo x >.mcp.json',
      'cat .env',
      'cat .env.local',
    ]) {
      expect((await run(script)).exitCode, script).not.toBe(0)
    }
    expect(await run('cat .env.example; touch .git/index && echo ok')).toMatchObject({ output: 'contentok' })
    expect(entriesOf(cwd)).toEqual(['.claude', '.env', '.env.example', '.env.local', '.git', '.mcp.json'])
  })

  test('run() shows the folder of the skill read-only, also through a link, and a secret that came later not at all', async () => {
    const { run, cwd } = cellBroker()
    const skill = temporaryFolder()
    const link = join(temporaryFolder(), 'skill')
    symlinkSync(skill, link)
    writeFileSync(join(skill, 'file'), 'text')
    const request = { environment: { SKILLCELL_SKILL_DIR: link }, readable: undefined }
    expect(await run('cat "$SKILLCELL_SKILL_DIR/file"; touch "$SKILLCELL_SKILL_DIR/new"', request)).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^text/),
    })
    writeFileSync(join(cwd, '.env'), 'late')
    expect(await run('cat .env', request)).toMatchObject({ exitCode: 1, output: expect.not.stringContaining('late') })
  })

  test('run() shows the argument file at its own path, and no other', async () => {
    const { run, state } = cellBroker()
    const folder = join(state, 'arguments')
    mkdirSync(folder, { mode: 0o700 })
    const path = join(realpathSync(folder), 'mine')
    writeFileSync(path, 'arguments', { mode: 0o600 })
    writeFileSync(join(folder, 'other'), 'secret', { mode: 0o600 })
    const environment = { ARGUMENTS_FILE: path }
    expect(await run('cat "$ARGUMENTS_FILE"; ls "${ARGUMENTS_FILE%/*}"; echo x >"$ARGUMENTS_FILE"', { environment })).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^argumentsmine\n/),
    })
    expect((await run('ls "$1"', { parameters: [folder] })).output).toBe('')
    expect(readFileSync(path, 'utf8')).toBe('arguments')
  })

  test('run() shares no cell between trusts', async () => {
    const { run } = cellBroker()
    const space = async (trust: string) =>
      (await run('touch /tmp/$1; ls /tmp | grep -x -e one -e two; readlink /proc/self/ns/pid', { trust, parameters: [trust] })).output
    const [one, two, again] = [await space('one'), await space('two'), await space('one')]
    expect(two).toMatch(/^two\n/)
    expect(again).toBe(one)
    expect(new Set([one, two].map(text => text.split('\n')[1])).size).toBe(2)
  })

  test('run() answers when its cell dies in mid-command, and replaces it', async () => {
    const { run, cwd } = cellBroker()
    const running = run(`echo begun; touch begun; sleep 60 # ${cwd}`)
    await until(() => existsSync(join(cwd, 'begun')))
    for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      const commandLine = existsSync(`/proc/${id}/cmdline`) ? readFileSync(`/proc/${id}/cmdline`, 'utf8') : ''
      if (commandLine.startsWith('bwrap\0') && commandLine.includes(cwd)) process.kill(Number(id), 'SIGKILL')
    }
    expect(await running).toMatchObject({
      reason: 'killed',
      exitCode: 137,
      output: 'begun',
      note: expect.stringContaining('cell'),
    })
    await until(() => processesWith(cwd).length === 0)
    expect(await run('echo next')).toMatchObject({ output: 'next', exitCode: 0 })
  })

  test('run() takes a new cell when the shell that waits for the next command was killed', async () => {
    const { run, cwd } = cellBroker()
    const hosts = () => readdirSync('/proc').filter(id => /^\d+$/.test(id) && commandLineOf(id).startsWith('/run/skillcell/sh\0'))
    const before = new Set(hosts())
    const first = await run('readlink /proc/self/ns/pid')
    // Host and waiting shell: the one that has the other as its parent.
    const own = () => hosts().filter(id => !before.has(id) && own0().has(parentOf(id)))
    const own0 = () => new Set(hosts().filter(id => !before.has(id)))
    await until(() => own().length === 1)
    const [waiting = ''] = own()
    process.kill(Number(waiting), 'SIGKILL')
    await until(() => own().some(id => id !== waiting))
    await new Promise(resolve => setTimeout(resolve, 50))
    const second = await run(`readlink /proc/self/ns/pid; echo ran >>${cwd}/ran`)
    expect(second).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^pid:/) })
    expect(second.output).not.toBe(first.output)
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('ran\n')
  })

  test('run() mixes up no answers when commands are aborted at any moment', async () => {
    const { run } = cellBroker({ limits: { killGraceMs: 50 } })
    for (let round = 0; round < 40; round++) {
      const controller = new AbortController()
      const running = run(round % 2 === 0 ? 'true' : 'sleep 0.01; exit 3', { signal: controller.signal })
      const timer = setTimeout(() => controller.abort(), round % 20)
      const { reason, exitCode } = await running
      clearTimeout(timer)
      if (reason === 'exited') expect(exitCode).toBe(round % 2 === 0 ? 0 : 3)
      else expect(reason).toBe('aborted')
      expect(await run(`echo ${round}; exit ${round}`)).toMatchObject({ reason: 'exited', exitCode: round, output: String(round) })
    }
  })

  test('a cell ends with our process, however that ends', async () => {
    const folder = temporaryFolder()
    const { cellArguments } = await import('../../src/shell/confinement.ts')
    // `sh` stands for our process: it starts bubblewrap and is killed.
    const script = `bwrap --die-with-parent --unshare-all --as-pid-1 --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc -- /bin/sh -c 'sleep 61; : ${folder}' & wait`
    const parent = spawn('sh', ['-c', script])
    await until(() => processesWith(folder).length >= 2)
    parent.kill('SIGKILL')
    await until(() => processesWith(folder).length === 0)
    const profile = {
      workspace: folder,
      home: '/h',
      readable: [],
      inputs: [],
      stateDirectory: '/s',
      hostProgram: '/b',
      hiddenFile: '/x',
      network: 'none',
    } as const
    expect(cellArguments(profile)).toContain('--die-with-parent')
  })

  test('run() gives the grace of a TERM to one command and not to the next of its cell', async () => {
    const { run } = cellBroker({ limits: { killGraceMs: 20_000 } })
    expect(await run('echo begun; sleep 60', { timeoutMs: 1_500 })).toMatchObject({ reason: 'timed-out', output: 'begun' })
    const next = await run('sleep 60 & echo next')
    expect(next).toMatchObject({ reason: 'exited', output: 'next' })
    expect(next.durationMs).toBeLessThan(15_000)
  })

  test('run() refuses a workspace that is the system', async () => {
    await expect(cellBroker().run('true', { cwd: '/usr' })).rejects.toMatchObject({ code: 'SHELL_SPAWN_FAILED' })
  })

  test('run() limits what a command leaves in its temp', async () => {
    const result = await cellBroker().run('head -c 400M /dev/zero >/tmp/big || echo full')
    expect(result.output).toBe('full')
  })

  test('run() works with git, node and python', async () => {
    const { run } = cellBroker()
    const script =
      'git init -q new && cd new && git -c user.name=a -c user.email=b commit -q --allow-empty -m c && git log --format=%s; node -p 1+1; python3 -c "print(2)"'
    expect(await run(script)).toMatchObject({ output: 'c\n2\n2', exitCode: 0 })
  })
})

function commandLineOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function parentOf(id: string): string {
  try {
    return /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, 'latin1'))?.[1] ?? ''
  } catch {
    return ''
  }
}
