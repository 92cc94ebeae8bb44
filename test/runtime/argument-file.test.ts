import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createArgumentFiles } from '../../src/argument-file.ts'
import { stateDirectory } from '../../src/state.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillcell-arguments-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('createArgumentFiles() keeps bytes as they are, in a private file of a private folder', async () => {
  const files = createArgumentFiles(join(root, 'arguments'))
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  await files.write('run_1', bytes)
  const path = files.pathOf('run_1')
  expect(new Uint8Array(await readFile(path))).toEqual(bytes)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  for (const folder of [dirname(path), dirname(dirname(path)), join(root, 'arguments')])
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await files.remove('run_1')
  expect(existsSync(dirname(path))).toBe(false)
})

test('createArgumentFiles() removes its own at the end, and what is not there without a word', async () => {
  const files = createArgumentFiles(join(root, 'arguments'))
  await files.removeAll()
  await files.remove('run_0')
  await files.write('run_1', '')
  await files.removeAll()
  expect(existsSync(files.pathOf('run_1'))).toBe(false)
})

test('sweep() leaves what a living process has', async () => {
  const files = createArgumentFiles(join(root, 'arguments'))
  await files.write('run_1', 'x')
  const other = createArgumentFiles(join(root, 'arguments'))
  await other.sweep()
  expect(existsSync(files.pathOf('run_1'))).toBe(true)
})

test('sweep() removes what has the number of a living process that started at another time', async () => {
  const files = createArgumentFiles(join(root, 'arguments'))
  const [pid, , space] = files.pathOf('run_1').split('/').at(-3)?.split('-') ?? []
  const left = join(root, 'arguments', [pid, '1', space].join('-'))
  await mkdir(left, { recursive: true })
  await files.sweep()
  expect(existsSync(left)).toBe(false)
})

test('createArgumentFiles() mends the mode of its folder and refuses a link or a file in its place', async () => {
  await mkdir(join(root, 'open'), { mode: 0o755 })
  await createArgumentFiles(join(root, 'open')).write('run_1', '')
  expect((await stat(join(root, 'open'))).mode & 0o777).toBe(0o700)
  await symlink(join(root, 'open'), join(root, 'link'))
  await writeFile(join(root, 'file'), '')
  for (const name of ['link', 'file'])
    await expect(createArgumentFiles(join(root, name)).write('run_2', '')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

const places: readonly [given: string | undefined, place: string][] = [
  [undefined, '/home/x/.local/state/skillcell/local'],
  ['', '/home/x/.local/state/skillcell/local'],
  ['relative', '/home/x/.local/state/skillcell/local'],
  ['/state', '/state/skillcell/local'],
]

test.each(places)('stateDirectory() with XDG_STATE_HOME=%s', (given, place) => {
  expect(stateDirectory('/home/x', { XDG_STATE_HOME: given })).toBe(place)
})
