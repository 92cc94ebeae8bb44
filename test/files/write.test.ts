import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { editFile } from '../../src/files/edit.ts'
import { maxFileBytes, readLines } from '../../src/files/read.ts'
import { createReadLedger } from '../../src/files/read-ledger.ts'
import { writeDecided } from '../../src/files/walk.ts'
import { writeWhole } from '../../src/files/write.ts'
import { codeOf, decided, put, temporaryFolder } from './support.ts'

const disk = vi.hoisted(() => ({ writesLeft: Number.POSITIVE_INFINITY, beforeSync: undefined as (() => void) | undefined }))
vi.mock('node:fs', async original => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    writeSync: (...given: Parameters<typeof real.writeSync>) => {
      if (disk.writesLeft-- <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      return real.writeSync(...given)
    },
    fsyncSync: (descriptor: number) => {
      const act = disk.beforeSync
      disk.beforeSync = undefined
      act?.()
      real.fsyncSync(descriptor)
    },
  }
})

const content = (folder: string, name = 'file'): string => readFileSync(join(folder, name), 'utf8')

test('writeWhole() makes a file with its folders and may change it again', () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  const path = decided(folder, 'a/b/file')
  expect(writeWhole({ path, content: 'one\ntwo' }, ledger)).toEqual({ path: 'a/b/file', action: 'created', lines: 2, bytes: 7 })
  expect(writeWhole({ path, content: 'ä\n' }, ledger)).toEqual({ path: 'a/b/file', action: 'overwritten', lines: 1, bytes: 3 })
  expect(content(folder, 'a/b/file')).toBe('ä\n')
})

test('writeWhole() keeps the mode, but no bit that lends rights', async () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  put(folder, { file: 'old' })
  chmodSync(join(folder, 'file'), 0o6754)
  await readLines({ path: decided(folder, 'file') }, ledger)
  writeWhole({ path: decided(folder, 'file'), content: 'new' }, ledger)
  expect(statSync(join(folder, 'file')).mode & 0o7777).toBe(0o754)
})

test('writeWhole() does not replace what was not read, nor what changed since', async () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  const path = decided(folder, 'file')
  put(folder, { file: 'old' })
  expect(codeOf(() => writeWhole({ path, content: 'new' }, ledger))).toMatchObject({ code: 'TOOL_FAILED' })
  await readLines({ path }, ledger)
  const { atime, mtime } = statSync(path.real)
  writeFileSync(path.real, 'odd')
  utimesSync(path.real, atime, mtime)
  expect(codeOf(() => writeWhole({ path, content: 'new' }, ledger))).toMatchObject({ code: 'FILE_CHANGED' })
  expect(content(folder)).toBe('odd')
  await readLines({ path }, ledger)
  // Touched only: nothing is lost.
  utimesSync(path.real, 1, 1)
  expect(writeWhole({ path, content: 'new' }, ledger).action).toBe('overwritten')
})

test('a ledger of another run knows nothing of this one', async () => {
  const folder = temporaryFolder()
  put(folder, { file: 'old' })
  await readLines({ path: decided(folder, 'file') }, createReadLedger())
  expect(codeOf(() => writeWhole({ path: decided(folder, 'file'), content: 'new' }, createReadLedger())).code).toBe('TOOL_FAILED')
})

test('writeWhole() of a file over 10 MiB that was read in part compares its state', async () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  const path = decided(folder, 'file')
  put(folder, { file: 'line\n'.repeat(maxFileBytes / 5 + 1) })
  await readLines({ path, limit: 1 }, ledger)
  appendFileSync(path.real, 'x')
  expect(codeOf(() => writeWhole({ path, content: 'new' }, ledger)).code).toBe('FILE_CHANGED')
  await readLines({ path, limit: 1 }, ledger)
  expect(writeWhole({ path, content: 'new' }, ledger).action).toBe('overwritten')
})

test('writeWhole() takes 10 MiB and no byte more', () => {
  const folder = temporaryFolder()
  const write = (bytes: number) =>
    codeOf(() => writeWhole({ path: decided(folder, `file-${bytes}`), content: 'x'.repeat(bytes) }, createReadLedger())).code
  expect([write(maxFileBytes), write(maxFileBytes + 1)]).toEqual(['NONE', 'TOOL_FAILED'])
})

test('a full disk leaves the old file and nothing beside it', async () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  put(folder, { file: 'old' })
  await readLines({ path: decided(folder, 'file') }, ledger)
  for (const act of [
    () => writeWhole({ path: decided(folder, 'file'), content: 'new' }, ledger),
    () => editFile({ path: decided(folder, 'file'), oldString: 'old', newString: 'new', replaceAll: false }, ledger),
    () => writeWhole({ path: decided(folder, 'made'), content: 'new' }, ledger),
  ]) {
    disk.writesLeft = 0
    const { code, message } = codeOf(act)
    disk.writesLeft = Number.POSITIVE_INFINITY
    expect([code, message]).toEqual(['TOOL_FAILED', expect.stringMatching(/disk is full.*untouched/)])
    expect(message).not.toContain(folder)
  }
  expect([content(folder), readdirSync(folder)]).toEqual(['old', ['file']])
})

test.each<[what: string, before: string | undefined, act: (path: string) => void]>([
  ['changed', 'old', path => writeFileSync(path, 'theirs')],
  ['removed', 'old', path => rmSync(path)],
  ['made', undefined, path => writeFileSync(path, 'theirs')],
])('a file that is %s while it is written is not lost', async (_what, before, act) => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  const path = decided(folder, 'file')
  if (before !== undefined) put(folder, { file: before })
  if (before !== undefined) await readLines({ path }, ledger)
  disk.beforeSync = () => act(path.real)
  expect(codeOf(() => writeWhole({ path, content: 'ours' }, ledger)).code).toBe('FILE_CHANGED')
  expect(readdirSync(folder).filter(name => readFileSync(join(folder, name), 'utf8') === 'ours')).toEqual([])
})

test('writeWhole() makes no folder through a link, in the place of a file, or where the kernel makes them up', () => {
  const folder = temporaryFolder()
  const outside = temporaryFolder()
  put(folder, { file: 'x' })
  symlinkSync(outside, join(folder, 'link'))
  const write = (name: string) => codeOf(() => writeWhole({ path: decided(folder, name), content: 'x' }, createReadLedger()))
  expect(write('link/a/b').code).toBe('FILE_CHANGED')
  expect(write('file/a').code).toBe('FILE_CHANGED')
  expect(readdirSync(outside)).toEqual([])
  expect(codeOf(() => writeDecided('/proc/made/here', 'x', { makeFolders: true })).code).toBe('ENOENT')
})

test('a name that is as long as one can be is written, whatever its letters', () => {
  const folder = temporaryFolder()
  for (const name of ['x'.repeat(255), 'ä'.repeat(127), '漢'.repeat(85), 'new\nline'])
    expect(writeWhole({ path: decided(folder, name), content: 'x' }, createReadLedger()).action).toBe('created')
  expect(codeOf(() => writeWhole({ path: decided(folder, 'x'.repeat(256)), content: 'x' }, createReadLedger())).message).toMatch(/too long/)
})

test('writeWhole() does not write to a folder', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'sub'))
  expect(codeOf(() => writeWhole({ path: decided(folder, 'sub'), content: 'x' }, createReadLedger())).code).toBe('FILE_CHANGED')
})
