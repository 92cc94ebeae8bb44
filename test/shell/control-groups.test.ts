// Control groups: what the kernel counts and holds for a cell where it lets us, and what is left alone. The second version and the memory of the
// first are tried on files of the same shape, since a machine has one of them; the rest with the kernel, where this process was handed a group.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { placeOfIds, processStart } from '../../src/process-identity.ts'
import { openControlGroup } from '../../src/shell/control-group.ts'
import { findControlPlaces } from '../../src/shell/control-group-places.ts'
import { controlGroups, openControlGroups } from '../../src/shell/control-groups.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { noteOf } from '../../src/shell/usage.ts'
import { temporaryFolder, testBroker, until } from './support.ts'

const version1 = (controller: string, root = '/') => `30 22 0:27 ${root} /sys/fs/cgroup/${controller} rw - cgroup cgroup rw,${controller}`
const version2 = (root = '/') => `30 22 0:27 ${root} /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate`

function fakeSystem(own: string, mounts: readonly string[], folders: readonly string[]): string {
  const root = temporaryFolder()
  mkdirSync(join(root, 'proc/self'), { recursive: true })
  writeFileSync(join(root, 'proc/self/cgroup'), own)
  writeFileSync(join(root, 'proc/self/mountinfo'), mounts.join('\n'))
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  return root
}

describe('findControlPlaces()', () => {
  const user = process.getuid?.() ?? 0

  test.each([
    // what                                             user,  own group,              mounts,                                   had
    ['the top of a hierarchy', user, '4:memory:/', [version1('memory')], ['memory']],
    ['the top of what a container shows', user, '4:memory:/docker/a', [version1('memory', '/docker/a')], ['memory']],
    ['a group below, of the same user', user === 0 ? 1 : user, '4:memory:/a', [version1('memory')], user === 0 ? [] : ['memory']],
    ['a group below, for root', 0, '4:memory:/a', [version1('memory')], []],
    ['a group outside of what is shown', user, '4:memory:/b', [version1('memory', '/a')], []],
    ['two controllers in one hierarchy', user, '4:cpu,cpuacct:/', [version1('cpu,cpuacct')], ['cpu', 'cpuacct']],
    ['no mount', user, '4:memory:/', [], []],
    ['nothing', user, '', [], []],
  ] as const)('%s', (_what, userId, own, mounts, had) => {
    const root = fakeSystem(own, mounts, ['sys/fs/cgroup/memory/a', 'sys/fs/cgroup/cpu,cpuacct'])
    const { places, problems } = findControlPlaces(root, userId)
    expect(places.flatMap(place => place.controllers)).toEqual(had)
    expect(problems.length).toBeGreaterThan(0)
  })

  test('takes from the second version what it offers, and CPU seconds with it', () => {
    const root = fakeSystem('0::/', [version2()], ['sys/fs/cgroup'])
    writeFileSync(join(root, 'sys/fs/cgroup/cgroup.controllers'), 'cpuset cpu io memory pids\n')
    expect(findControlPlaces(root)).toEqual({
      places: [{ version: 2, folder: join(root, 'sys/fs/cgroup'), controllers: ['memory', 'pids', 'cpu', 'cpuacct'] }],
      problems: [],
    })
  })

  test('says what to do where the group is somebody else’s', () => {
    const root = fakeSystem('4:memory:/a', [version1('memory')], ['sys/fs/cgroup/memory/a'])
    expect(findControlPlaces(root, 0).problems[0]).toMatch(/^memory: .*belongs to what started this process; .*Delegate=yes/)
  })
})

describe('openControlGroup()', () => {
  const limits = { maxMemoryMb: 100, maxProcesses: 50, maxCpuSeconds: 10 }

  test.each([
    [
      1,
      { 'memory.limit_in_bytes': '104857600', 'memory.memsw.limit_in_bytes': '104857600', 'pids.max': '55', 'cpu.shares': '1024' },
      { kills: 'memory.oom_control', peak: 'memory.max_usage_in_bytes', cpu: 'cpuacct.usage', second: '2000000000' },
    ],
    [
      2,
      { 'memory.max': '104857600', 'memory.swap.max': '0', 'pids.max': '55', 'cpu.weight': '100' },
      { kills: 'memory.events', peak: 'memory.peak', cpu: 'cpu.stat', second: 'usage_usec 2000000\n' },
    ],
  ] as const)('version %i: limits and counters', (version, wanted, files) => {
    const folder = temporaryFolder()
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    for (const name of ['memory.memsw.limit_in_bytes', 'memory.swap.max']) write(name, 'max')
    write(files.kills, 'low 0\noom_kill 4\n')
    write('pids.events', 'max 3\n')
    write(files.peak, '5000\n')
    write(files.cpu, version === 1 ? '500000000' : 'usage_usec 500000\n')
    const group = openControlGroup([{ version, folder, controllers: ['memory', 'pids', 'cpu', 'cpuacct'] }], limits)
    for (const [name, text] of Object.entries(wanted)) expect([name, readFileSync(join(folder, name), 'latin1')]).toEqual([name, text])
    group.begin()
    expect(group.counts()).toMatchObject({ cpuSeconds: 0, memoryKills: 0, forksRefused: 0 })
    expect(noteOf(group.counts(), limits)).toBeUndefined()
    write(files.cpu, files.second)
    write(files.peak, '9000\n')
    expect(group.counts()).toMatchObject({ cpuSeconds: 1.5, peakMemoryBytes: 9_000 })
    write('pids.events', 'max 4\n')
    expect(noteOf(group.counts(), limits)).toBe('Limit of 50 processes reached')
    write(files.kills, 'low 0\noom_kill 5\n')
    expect(noteOf(group.counts(), limits)).toBe('Memory limit of 100 MiB reached')
  })
})

test('openControlGroups() moves to a group of its own before the second version gives controllers down, and only when alone', () => {
  for (const [inside, had] of [
    [`${process.pid}\n`, ['memory', 'pids', 'cpu', 'cpuacct']],
    [`1\n${process.pid}\n`, []],
  ] as const) {
    const root = fakeSystem('0::/', [version2()], ['sys/fs/cgroup'])
    const folder = join(root, 'sys/fs/cgroup')
    for (const [name, text] of [
      ['cgroup.controllers', 'cpu memory pids\n'],
      ['cgroup.subtree_control', '\n'],
      ['cgroup.type', 'domain\n'],
      ['cgroup.procs', inside],
    ] as const)
      writeFileSync(join(folder, name), text)
    const groups = openControlGroups(root)
    expect([...groups.controllers]).toEqual(had)
    const own = readdirSync(folder).filter(name => name.includes('skillcell-'))
    expect(own).toHaveLength(had.length === 0 ? 0 : 1)
    if (had.length === 0) expect(groups.problems.join()).toContain('other processes')
    else expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('+memory +pids +cpu')
  }
})

const places = process.platform === 'linux' ? findControlPlaces().places : []
const namesOf = (folder: string, id: number) => readdirSync(folder).filter(name => name.includes(`-${id}-`))

describe.runIf(sandboxProblem() === undefined && controlGroups().controllers.has('pids'))('in a cell with a control group', () => {
  const cellBroker = (limits = {}) => testBroker({ sandbox: 'required', limits })

  test('run() is refused forks over the limit, as root too, and the note says so', async () => {
    const { run } = cellBroker({ maxProcesses: 20 })
    // Each is there until the end, so that they count together. At most so many as bash tries again for.
    const forks = (count: number) => `import os, sys, time
made = 0
for i in range(${count}):
  try:
    if os.fork() == 0:
      time.sleep(60)
      os._exit(0)
    made += 1
  except BlockingIOError:
    break
print(made)`
    // python itself is one.
    expect(await run('exec python3 -c "$1"', { parameters: [forks(15)] })).toMatchObject({ output: '15', exitCode: 0 })
    const over = await run('exec python3 -c "$1"', { parameters: [forks(40)] })
    expect(Number(over.output)).toBeLessThanOrEqual(23)
    expect(over.note).toBe('Limit of 20 processes reached')
    expect(await run('echo next')).toMatchObject({ output: 'next' })
  })

  test('run() ends a fork bomb soon, and others answer meanwhile', async () => {
    const { run } = cellBroker({ maxProcesses: 60 })
    const other = cellBroker()
    // Bounded, should the limit not hold.
    const bomb = run('for i in {1..2000}; do (sleep 60 & sleep 60) & done; wait', { timeoutMs: 20_000 })
    expect(await other.run('echo answers')).toMatchObject({ output: 'answers' })
    expect(await bomb).toMatchObject({ note: expect.stringContaining('Limit of 60 processes') })
  })

  test('run() counts the CPU seconds of what nobody waited for', async () => {
    const { run } = cellBroker()
    const burn = 'import time\nt = time.process_time()\nwhile time.process_time() - t < 0.4: pass\nopen("done", "w")'
    const result = await run(`(python3 -c "$1" &); until [ -e done ]; do sleep 0.05; done`, { parameters: [burn] })
    expect(result.cpuSeconds).toBeGreaterThanOrEqual(0.4)
    expect((await run('true')).cpuSeconds).toBeLessThan(0.3)
  })

  test('run() shows nothing of control groups in the cell', async () => {
    const { run } = cellBroker()
    const result = await run('ls -d /sys/fs/cgroup; echo 1 >/sys/fs/cgroup/pids/pids.max; mount -t cgroup2 none /tmp; exit 1')
    expect(result.output).not.toMatch(/^\/sys/)
    for (const { folder } of places)
      expect((await run('echo 0 >"$1"', { parameters: [join(folder, 'cgroup.procs')] })).exitCode).not.toBe(0)
  })

  test('close() removes the groups of its cells', async () => {
    const before = places.map(({ folder }) => namesOf(folder, process.pid).length)
    const { broker, run } = cellBroker()
    await run('setsid sleep 60 & true')
    expect(places.map(({ folder }) => namesOf(folder, process.pid).length)).toEqual(before.map(count => count + 1))
    await broker.close()
    expect(places.map(({ folder }) => namesOf(folder, process.pid).length)).toEqual(before)
  })

  test('openControlGroups() ends and removes groups of a process that was killed, and no others', async () => {
    const place = places.find(({ controllers }) => controllers.includes('pids'))
    if (place === undefined) throw new Error('no place')
    const gone = spawn('true')
    const goneId = gone.pid
    await once(gone, 'exit')
    const space = placeOfIds().split('.')[1]
    const left = join(place.folder, `run-${space}-${goneId}-1-skillcell-1`)
    const foreign = join(place.folder, `run-7-${goneId}-1-skillcell-1`)
    const alive = join(place.folder, `run-${space}-${process.pid}-${processStart(process.pid)}-skillcell-999999`)
    for (const folder of [left, foreign, alive]) mkdirSync(folder)
    onTestFinished(() => {
      for (const folder of [foreign, alive]) rmdirSync(folder)
    })
    const survivor = spawn('sleep', ['60'])
    writeFileSync(join(left, 'cgroup.procs'), String(survivor.pid))
    openControlGroups()
    await once(survivor, 'exit')
    await until(() => !existsSync(left))
    expect([foreign, alive].map(path => existsSync(path))).toEqual([true, true])
  })
})
