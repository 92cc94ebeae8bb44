// Several processes of skillcell on one workspace: commands of two network profiles wait for each other there, too (SPEC R17.4).

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { enterWorkspace, type Turn } from '../../src/shell/network/workspace-turns.ts'
import { ownName } from '../../src/shell/owned-names.ts'
import { temporaryFolder, until } from './support.ts'

const bundle = mkdtempSync(join(tmpdir(), 'skillcell-turns-'))

const program = `
import { createInterface } from 'node:readline'
const { enterWorkspace } = await import(process.argv[2])
const leaves = new Map(), stops = new Map()
for await (const line of createInterface(process.stdin)) {
  const { act, id, turn, rounds } = JSON.parse(line)
  const say = what => process.stdout.write(JSON.stringify({ id, what }) + '\\n')
  if (act === 'enter') {
    stops.set(id, new AbortController())
    enterWorkspace(turn, stops.get(id).signal).then(leave => { leaves.set(id, leave); say('came') }, () => say('failed'))
  }
  if (act === 'leave') { leaves.get(id)(); say('left') }
  if (act === 'abort') stops.get(id).abort()
  if (act === 'work') {
    const { appendFileSync } = await import('node:fs')
    ;(async () => {
      for (let round = 0; round < rounds; round += 1) {
        const leave = await enterWorkspace(turn)
        appendFileSync(id, '+' + turn.profile + '\\n')
        await new Promise(resolve => setTimeout(resolve, 2))
        appendFileSync(id, '-' + turn.profile + '\\n')
        leave()
        await new Promise(resolve => setTimeout(resolve, round % 3))
      }
      say('done')
    })()
  }
}
process.exit()
`

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../src/shell/network/workspace-turns.ts', import.meta.url))
  const output = { entryFileNames: 'turns.mjs' }
  await build({ configFile: false, logLevel: 'silent', build: { ssr: entry, outDir: bundle, rollupOptions: { output } } })
  writeFileSync(join(bundle, 'program.mjs'), program)
  return () => rmSync(bundle, { recursive: true, force: true })
})

interface Other {
  readonly child: ChildProcess
  readonly said: (id: string) => readonly string[]
  tell(message: { act: 'enter' | 'leave' | 'abort' | 'work'; id: string; turn?: Turn; rounds?: number }): void
}

function otherProcess(): Other {
  const child = spawn(process.execPath, [join(bundle, 'program.mjs'), join(bundle, 'turns.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const heard: { id: string; what: string }[] = []
  createInterface(child.stdout).on('line', line => heard.push(JSON.parse(line) as { id: string; what: string }))
  return {
    child,
    said: id => heard.filter(each => each.id === id).map(({ what }) => what),
    tell: message => void child.stdin?.write(`${JSON.stringify(message)}\n`),
  }
}

// Longer than some looks of one that waits.
const someLooks = () => new Promise(resolve => setTimeout(resolve, 150))

const turnIn = (stateDirectory: string, profile: string, workspace = '/a'): Turn => ({ profile, workspace, readable: [], stateDirectory })

describe('enterWorkspace() of several processes', () => {
  test('lets those of one profile and those of two workspaces run side by side, and no others', async () => {
    const state = temporaryFolder()
    const other = otherProcess()
    other.tell({ act: 'enter', id: 'one', turn: turnIn(state, 'none') })
    await until(() => other.said('one').includes('came'))
    const same = await enterWorkspace(turnIn(state, 'none'))
    const apart = await enterWorkspace(turnIn(state, 'host', '/b'))
    same()
    let came = false
    const wanted = enterWorkspace(turnIn(state, 'host', '/a/b')).then(leave => {
      came = true
      return leave
    })
    await someLooks()
    expect(came).toBe(false)
    other.tell({ act: 'leave', id: 'one' })
    const leave = await wanted
    other.tell({ act: 'enter', id: 'two', turn: turnIn(state, 'none') })
    await someLooks()
    expect(other.said('two')).toEqual([])
    leave()
    apart()
    await until(() => other.said('two').includes('came'))
  })

  test('passes nobody who waits', async () => {
    const state = temporaryFolder()
    const [one, two] = [otherProcess(), otherProcess()]
    one.tell({ act: 'enter', id: '1', turn: turnIn(state, 'none') })
    await until(() => one.said('1').includes('came'))
    two.tell({ act: 'enter', id: '2', turn: turnIn(state, 'host') })
    await until(() => readdirSync(join(state, 'turns')).some(name => readFileSync(join(state, 'turns', name), 'utf8').includes('wanted')))
    one.tell({ act: 'enter', id: '3', turn: turnIn(state, 'none') })
    await someLooks()
    expect([one.said('3'), two.said('2')]).toEqual([[], []])
    one.tell({ act: 'leave', id: '1' })
    await until(() => two.said('2').includes('came'))
    expect(one.said('3')).toEqual([])
    two.tell({ act: 'leave', id: '2' })
    await until(() => one.said('3').includes('came'))
  })

  test('ends the waiting on abort, and goes on when the other is killed', async () => {
    const state = temporaryFolder()
    const [one, two] = [otherProcess(), otherProcess()]
    one.tell({ act: 'enter', id: '1', turn: turnIn(state, 'none') })
    await until(() => one.said('1').includes('came'))
    two.tell({ act: 'enter', id: '2', turn: turnIn(state, 'host') })
    two.tell({ act: 'enter', id: '3', turn: turnIn(state, 'host') })
    await someLooks()
    two.tell({ act: 'abort', id: '2' })
    await until(() => two.said('2').includes('failed'))
    expect(two.said('3')).toEqual([])
    one.child.kill('SIGKILL')
    await until(() => two.said('3').includes('came'))
    two.tell({ act: 'leave', id: '3' })
    const leave = await enterWorkspace(turnIn(state, 'none'))
    leave()
    two.child.stdin?.end()
    await until(() => readdirSync(join(state, 'turns')).length === 1)
  })

  test('never has two profiles at one time, and all come to their turn', async () => {
    const state = temporaryFolder()
    const journal = join(temporaryFolder(), 'journal')
    const profiles = ['none', 'none', 'host']
    const others = profiles.map(otherProcess)
    for (const [index, other] of others.entries())
      other.tell({ act: 'work', id: journal, rounds: 15, turn: turnIn(state, profiles[index] ?? '') })
    await until(() => others.every(other => other.said(journal).includes('done')))
    const inside: string[] = []
    for (const line of readFileSync(journal, 'utf8').trim().split('\n')) {
      if (line.startsWith('+')) inside.push(line.slice(1))
      else inside.splice(inside.indexOf(line.slice(1)), 1)
      expect(new Set(inside).size).toBeLessThanOrEqual(1)
    }
  })

  test.each([
    ['a process of another container that was heard lately', 1_000, true],
    ['one that was not heard for long', 60_000, false],
  ])('waits for %s: %i ms ago, %s', async (_what, ago, waits) => {
    const state = temporaryFolder()
    mkdirSync(join(state, 'turns'))
    const file = join(state, 'turns', ownName().replace(/^run-\d*/, 'run-1'))
    writeFileSync(file, `${JSON.stringify({ begin: 1, said: [{ turn: turnIn(state, 'host'), running: true }], end: 1 })}\n`)
    const time = (Date.now() - ago) / 1_000
    utimesSync(file, time, time)
    const stop = new AbortController()
    const came = enterWorkspace(turnIn(state, 'none'), stop.signal).then(
      leave => {
        leave()
        return true
      },
      () => false,
    )
    await someLooks()
    stop.abort()
    expect(await came).toBe(!waits)
    expect(existsSync(file)).toBe(true)
  })

  test('goes on where the state folder takes no file', async () => {
    const state = temporaryFolder()
    writeFileSync(join(state, 'turns'), '')
    for (const profile of ['none', 'host']) (await enterWorkspace(turnIn(state, profile)))()
  })
})
