import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { argumentsText, createArgumentFiles } from '../../src/argument-file.ts'
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

test.each([16_383, 16_384, 16_385, 1_000_000])('write() of %s characters or bytes, and remove() of all that lies there', async length => {
  const files = createArgumentFiles(join(root, 'arguments'))
  for (const content of ['ü'.repeat(length), new Uint8Array(length).fill(0xfe)]) {
    await files.write('run_1', content)
    const path = files.pathOf('run_1')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(Buffer.from(content).equals(await readFile(path))).toBe(true)
    await writeFile(join(dirname(path), 'more'), '')
    await files.remove('run_1')
    expect(existsSync(dirname(path))).toBe(false)
  }
})

test('write() never takes a file that is there, and remove() clears up after it', async () => {
  const files = createArgumentFiles(join(root, 'arguments'))
  const path = files.pathOf('run_1')
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, 'elsewhere'), path)
  await expect(files.write('run_1', 'x')).rejects.toMatchObject({ code: 'EEXIST' })
  expect(existsSync(join(root, 'elsewhere'))).toBe(false)
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
  const own = files.pathOf('run_1').split('/').at(-3) ?? ''
  const left = join(root, 'arguments', own.replace(/-\d*-/, '-1-'))
  await mkdir(left, { recursive: true })
  await files.sweep()
  expect(existsSync(left)).toBe(false)
})

test.each<[days: number, name: string, stays: boolean]>([
  [6.9, '1-1-another.place', true],
  [7.1, '1-1-another.place', false],
  [7.1, 'not-of-ours', true],
])('sweep() of a folder %s days old named %s: stays %s', async (days, name, stays) => {
  const left = join(root, 'arguments', name)
  await mkdir(left, { recursive: true })
  const time = new Date(Date.now() - days * 86_400_000)
  await utimes(left, time, time)
  await createArgumentFiles(join(root, 'arguments')).sweep()
  expect(existsSync(left)).toBe(stays)
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

test('argumentsText() reads bytes as UTF-8', () => {
  expect(argumentsText(new TextEncoder().encode('a ü'))).toBe('a ü')
  expect(argumentsText('a ü')).toBe('a ü')
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
