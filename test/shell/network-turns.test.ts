// Who may run in a workspace at one time: commands of one network profile side by side, those of two one after the other (SPEC R17.4).

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import type { NetworkMode } from '../../src/options.ts'
import { createBroker } from '../../src/shell/broker.ts'
import { networkKey, profileKey } from '../../src/shell/confinement.ts'
import { enterWorkspace, type Turn } from '../../src/shell/network/workspace-turns.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { commandRequest, temporaryFolder, until } from './support.ts'

const turn = (profile: string, workspace: string, ...readable: string[]): Turn => ({ profile, workspace, readable })

/** Takes a turn; says whether it has come. */
function take(wanted: Turn, signal?: AbortSignal) {
  const state: { came: boolean; failed: boolean; leave: () => void } = { came: false, failed: false, leave: () => undefined }
  const done = enterWorkspace(wanted, signal).then(
    leave => Object.assign(state, { came: true, leave }),
    () => Object.assign(state, { failed: true }),
  )
  onTestFinished(async () => {
    await done
    state.leave()
  })
  return state
}

const settled = () => new Promise(resolve => setImmediate(resolve))

describe('enterWorkspace()', () => {
  test.each([
    ['one profile in one workspace', turn('none', '/a'), turn('none', '/a'), true],
    ['two profiles in two workspaces', turn('none', '/a'), turn('host', '/b'), true],
    ['two profiles in folders of like names', turn('none', '/a'), turn('host', '/ab'), true],
    ['two profiles in one workspace', turn('none', '/a'), turn('host', '/a'), false],
    ['one workspace in the other', turn('none', '/a'), turn('host', '/a/b'), false],
    ['one workspace around the other', turn('none', '/a/b'), turn('host', '/a'), false],
    ['a workspace that the other may read', turn('none', '/a'), turn('host', '/b', '/a/skills'), false],
    ['the other way round', turn('none', '/a', '/b'), turn('host', '/b/c'), false],
    ['a folder that both only read', turn('none', '/a', '/skills'), turn('host', '/b', '/skills'), true],
  ])('lets %s run side by side: %#', async (_, first, second, together) => {
    const running = take(first)
    await settled()
    const next = take(second)
    await settled()
    expect([running.came, next.came]).toEqual([true, together])
    running.leave()
    await settled()
    expect(next.came).toBe(true)
  })

  test('passes nobody who waits, and starts together what fits together', async () => {
    const first = take(turn('none', '/a'))
    await settled()
    const second = take(turn('host', '/a'))
    const late = [take(turn('none', '/a')), take(turn('none', '/a')), take(turn('none', '/b'))]
    await settled()
    expect([second.came, ...late.map(each => each.came)]).toEqual([false, false, false, true])
    first.leave()
    await settled()
    expect([second.came, ...late.map(each => each.came)]).toEqual([true, false, false, true])
    second.leave()
    await settled()
    expect(late.map(each => each.came)).toEqual([true, true, true])
  })

  test('ends the waiting on abort, and lets those behind go on', async () => {
    const first = take(turn('none', '/a'))
    const stop = new AbortController()
    const second = take(turn('host', '/a'), stop.signal)
    const third = take(turn('none', '/a'))
    await settled()
    expect(third.came).toBe(false)
    stop.abort()
    await settled()
    expect([first.came, second.failed, third.came]).toEqual([true, true, true])
    expect(take(turn('none', '/c'), AbortSignal.abort()).came).toBe(false)
  })
})

test.each([
  ['none', [], 'none', [], true],
  ['none', [], 'host', [], false],
  ['none', [], 'allowlist', ['a.test'], false],
  ['host', [], 'allowlist', ['a.test'], false],
  ['allowlist', ['a.test', 'b.test'], 'allowlist', ['b.test', 'a.test', 'a.test'], true],
  ['allowlist', ['a.test'], 'allowlist', ['a.test:80'], false],
  ['allowlist', ['a.test'], 'allowlist', ['a.test', 'b.test'], false],
  ['none', ['a.test'], 'none', ['b.test'], true],
] as const)('networkKey() and profileKey() of %s %j and %s %j are one: %s', (network, networkHosts, otherNetwork, otherHosts, same) => {
  expect(networkKey({ network, networkHosts }) === networkKey({ network: otherNetwork, networkHosts: otherHosts })).toBe(same)
  const rest = { workspace: '/tmp', home: '/h', readable: [], stateDirectory: '/s', hostProgram: '/p', hiddenFile: '/f' }
  expect(profileKey({ ...rest, network, networkHosts }) === profileKey({ ...rest, network: otherNetwork, networkHosts: otherHosts })).toBe(
    same,
  )
})

describe.runIf(sandboxProblem() === undefined)('run()', () => {
  const open = (network: NetworkMode, networkHosts: readonly string[] = []) => {
    const limits = resolveLimits({ killGraceMs: 300 }, 'skillcell')
    const broker = createBroker({ sandbox: 'required', network, networkHosts, stateDirectory: temporaryFolder(), limits, env: process.env })
    onTestFinished(() => broker.close())
    return broker
  }

  test.each([
    ['none', [], 'host', []],
    ['none', [], 'allowlist', ['a.test']],
    ['allowlist', ['a.test'], 'allowlist', ['b.test']],
  ] as const)('waits with a command of %s %j until one of %s %j has left the workspace', async (mode, hosts, otherMode, otherHosts) => {
    const workspace = temporaryFolder()
    mkdirSync(join(workspace, 'below'))
    const order: string[] = []
    const first = open(mode, hosts)
      .run(commandRequest('echo > started; until [ -e go ]; do sleep 0.02; done', { cwd: workspace }))
      .then(() => order.push('first'))
    await until(() => existsSync(join(workspace, 'started')))
    const second = open(otherMode, otherHosts)
      .run(commandRequest('[ -e ../go ]', { cwd: join(workspace, 'below'), readable: [workspace] }))
      .then(result => {
        order.push('second')
        return result
      })
    // One that does not wait would find no such file.
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(order).toEqual([])
    writeFileSync(join(workspace, 'go'), '')
    await first
    expect(await second).toMatchObject({ exitCode: 0 })
    expect(order).toEqual(['first', 'second'])
  })

  test('gives up the waiting on abort and on close', async () => {
    const cwd = temporaryFolder()
    const stop = new AbortController()
    const first = open('none').run(commandRequest('echo > started; exec sleep 600', { cwd, signal: stop.signal }))
    await until(() => existsSync(join(cwd, 'started')))
    const other = open('host')
    const mine = new AbortController()
    const aborted = other.run(commandRequest('true', { cwd, signal: mine.signal }))
    const closed = other.run(commandRequest('true', { cwd }))
    mine.abort()
    expect(await aborted).toMatchObject({ reason: 'aborted' })
    await other.close()
    expect(await closed).toMatchObject({ reason: 'aborted' })
    stop.abort()
    expect(await first).toMatchObject({ reason: 'aborted' })
    expect(await open('host').run(commandRequest('true', { cwd }))).toMatchObject({ exitCode: 0 })
  })
})
