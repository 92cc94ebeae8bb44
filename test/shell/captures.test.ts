// Captures that are opened ahead, and counters that are read by their descriptor.

import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createCaptures } from '../../src/shell/captures.ts'
import { profileKey } from '../../src/shell/confinement.ts'
import { counterFile } from '../../src/shell/counter-file.ts'
import { temporaryFolder, until } from './support.ts'

test('createCaptures() gives what it opened ahead once, and only for the same kind', async () => {
  const folder = temporaryFolder()
  const captures = createCaptures(folder)
  captures.prepare('apart')
  const [ahead = ''] = readdirSync(folder)
  const merged = captures.take('merged')
  expect(merged.descriptors).toHaveLength(1)
  const first = captures.take('apart')
  expect(ahead.startsWith(first.prefix.slice(folder.length + 1))).toBe(true)
  const second = captures.take('apart')
  expect(second.prefix).not.toBe(first.prefix)
  expect(readdirSync(folder)).toHaveLength(5)
  for (const capture of [merged, first, second]) capture.close()
  captures.close()
  await until(() => readdirSync(folder).length === 0)
})

test('createCaptures() keeps one that nobody takes a moment only, and opens none after close()', async () => {
  const folder = temporaryFolder()
  const captures = createCaptures(folder)
  captures.prepare('apart')
  expect(readdirSync(folder)).toHaveLength(2)
  await until(() => readdirSync(folder).length === 0)
  captures.close()
  captures.prepare('apart')
  expect(readdirSync(folder)).toEqual([])
})

test('createCaptures() opens a fresh one when the files of that opened ahead are gone', () => {
  const folder = temporaryFolder()
  const captures = createCaptures(folder)
  captures.prepare('apart')
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  const capture = captures.take('apart')
  expect(readdirSync(folder)).toHaveLength(2)
  capture.close()
  captures.close()
})

test('counterFile() reads anew each time, resets, and gives undefined for what is not there or is closed', () => {
  const path = join(temporaryFolder(), 'counter')
  writeFileSync(path, 'low 1\noom_kill 7\n')
  const counter = counterFile(path, /^oom_kill (\d+)/m)
  expect(counter.read()).toBe(7)
  writeFileSync(path, 'oom_kill 12\n')
  expect(counter.read()).toBe(12)
  writeFileSync(path, '9')
  expect([counter.read(), counterFile(path).read(), counterFile(path).reset(), counterFile(path).read()]).toEqual([undefined, 9, true, 0])
  counter.close()
  expect([counter.read(), counter.reset()]).toEqual([undefined, false])
  const missing = counterFile(`${path}.missing`)
  expect([missing.read(), missing.reset()]).toEqual([undefined, false])
  missing.close()
})

test('profileKey() tells a path that was made anew from the one before, also under the same inode number', () => {
  const workspace = temporaryFolder()
  const profile = { workspace, home: '/', readable: [], stateDirectory: '/', hostProgram: '/', hiddenFile: '/', network: 'none' } as const
  const status = lstatSync(workspace)
  const later = Object.assign(lstatSync(workspace), { birthtimeMs: status.birthtimeMs + 1 })
  const path = join(workspace, '.mcp.json')
  const key = profileKey(profile, new Map([[path, status]]))
  expect(profileKey(profile, new Map([[path, lstatSync(workspace)]]))).toBe(key)
  expect(profileKey(profile, new Map([[path, later]]))).not.toBe(key)
})

test('profileKey() sees a secret file that comes to a folder which had none for long, and one that goes', () => {
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'sub'))
  utimesSync(workspace, 1, 1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const key = () =>
    profileKey({ workspace, home: '/', readable: [], stateDirectory: '/', hostProgram: '/', hiddenFile: '/', network: 'none' })
  const before = key()
  expect(key()).toBe(before)
  writeFileSync(join(workspace, '.env'), '')
  const during = key()
  expect(during).not.toBe(before)
  expect(key()).toBe(during)
  rmSync(join(workspace, '.env'))
  expect(key()).toBe(before)
  vi.useRealTimers()
})
