// The group of a tenant: its cells lie in it and are counted together, and it can be told to yield. On files of the same shape for what this machine
// has not, with the kernel where this process was handed a group.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { controlGroups, openControlGroups } from '../../src/shell/control-groups.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { openTenantGroup } from '../../src/shell/tenant-group.ts'
import { temporaryFolder, testBroker } from './support.ts'

const limits = { maxMemoryMb: 100, maxProcesses: 50 }

const controllers = ['pids', 'cpu', 'cpuacct'] as const

function tenantOn(version: 1 | 2): { tenant: ReturnType<typeof openTenantGroup>; folder: string; own: string } {
  const folder = temporaryFolder()
  let count = 0
  const tenant = openTenantGroup([{ version, folder, controllers }], () => `group-${++count}`)
  return { tenant, folder, own: join(folder, 'group-1') }
}

describe('openTenantGroup()', () => {
  test.each([1, 2] as const)('version %i: makes its group with the first cell and the cells in it', version => {
    const { tenant, folder, own } = tenantOn(version)
    expect(readdirSync(folder)).toEqual([])
    expect(tenant.cpuSeconds()).toBeUndefined()
    const groups = [tenant.create(limits), tenant.create(limits)]
    expect(groups.map(group => group?.doors)).toEqual([[join(own, 'group-2/cgroup.procs')], [join(own, 'group-3/cgroup.procs')]])
    expect(readFileSync(join(own, 'group-3/pids.max'), 'latin1')).toBe('55')
    expect(existsSync(join(own, 'pids.max'))).toBe(false)
    if (version === 2) expect(readFileSync(join(own, 'cgroup.subtree_control'), 'latin1')).toBe('+pids +cpu')
    writeFileSync(join(own, version === 1 ? 'cpuacct.usage' : 'cpu.stat'), version === 1 ? '1500000000\n' : 'usage_usec 1500000\n')
    expect(tenant.cpuSeconds()).toBe(1.5)
  })

  test.each([
    // version, files there, name, while it yields, later
    [1, ['cpu.idle', 'cpu.shares'], 'cpu.idle', '1', '0'],
    [2, ['cpu.idle', 'cpu.weight'], 'cpu.idle', '1', '0'],
    [1, ['cpu.shares'], 'cpu.shares', '64', '1024'],
    [2, ['cpu.weight'], 'cpu.weight', '6', '100'],
  ] as const)('version %i with %j yields by %s', (version, files, name, low, normal) => {
    const { tenant, own } = tenantOn(version)
    // Nothing to yield yet.
    tenant.yieldCpu(true)
    tenant.create(limits)
    for (const file of files) writeFileSync(join(own, file), '')
    tenant.yieldCpu(true)
    expect(readFileSync(join(own, name), 'latin1')).toBe(low)
    tenant.yieldCpu(false)
    expect(readFileSync(join(own, name), 'latin1')).toMatch(new RegExp(`^${normal}`))
  })

  test('gives none where none is had, where the kernel refuses one, and after close', async () => {
    expect(openTenantGroup([], () => 'group').create(limits)).toBeUndefined()
    const folder = temporaryFolder()
    const refused = openTenantGroup(
      [
        { version: 1, folder, controllers },
        { version: 1, folder: join(folder, 'missing'), controllers },
      ],
      () => 'group',
    )
    expect(refused.create(limits)).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
    const { tenant } = tenantOn(1)
    await tenant.close()
    await tenant.close()
    expect(tenant.create(limits)).toBeUndefined()
  })
})

describe.runIf(sandboxProblem() === undefined && controlGroups().controllers.has('cpu'))('with the kernel', () => {
  test('openTenant() has one group for all cells of a tenant, which yields, and is gone after close', async () => {
    const tenant = openControlGroups().openTenant()
    onTestFinished(() => tenant.close())
    const [first, second] = [tenant.create(limits), tenant.create(limits)]
    const folders = [first, second].flatMap(group => group?.doors ?? []).map(door => join(door, '../..'))
    const own = [...new Set(folders)]
    expect(folders).toHaveLength(own.length * 2)
    const idle = own.map(folder => join(folder, 'cpu.idle')).filter(path => existsSync(path))
    for (const yields of [true, false]) {
      tenant.yieldCpu(yields)
      expect(idle.map(path => readFileSync(path, 'latin1').trim())).toEqual(idle.map(() => (yields ? '1' : '0')))
    }
    await tenant.close()
    expect(own.filter(folder => existsSync(folder))).toEqual([])
  })

  test('run() of one tenant is counted and answered beside one that computes', async () => {
    const noisy = testBroker({ sandbox: 'required' })
    const stop = new AbortController()
    const noise = noisy.run('while :; do :; done', { signal: stop.signal })
    const other = testBroker({ sandbox: 'required' })
    for (let count = 0; count < 3; count += 1) expect(await other.run('echo answers')).toMatchObject({ output: 'answers' })
    stop.abort()
    expect(await noise).toMatchObject({ reason: 'aborted' })
    // Both still answer.
    expect(await noisy.run('echo next')).toMatchObject({ output: 'next' })
  })
})
