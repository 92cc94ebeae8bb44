import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDecided, writeDecided } from '../../src/files/walk.ts'

let root = ''
const at = (path: string): string => join(root, path)
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-walk-')))
  mkdirSync(at('inside/deep'), { recursive: true })
  mkdirSync(at('outside/deep'), { recursive: true })
  writeFileSync(at('inside/deep/file'), 'inside')
  writeFileSync(at('outside/deep/file'), 'outside')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const descriptors = (): number => readdirSync('/proc/self/fd').length

function read(path: string): string {
  const descriptor = openDecided(path)
  const bytes = Buffer.alloc(100)
  const length = readSync(descriptor, bytes)
  closeSync(descriptor)
  return bytes.toString('utf8', 0, length)
}

test('openDecided() and writeDecided() take an ordinary path', () => {
  expect(read(at('inside/deep/file'))).toBe('inside')
  chmodSync(at('inside/deep/file'), 0o754)
  writeDecided(at('inside/deep/file'), 'new')
  writeDecided(at('inside/deep/made'), Buffer.from('made'))
  expect(readFileSync(at('inside/deep/file'), 'utf8')).toBe('new')
  expect(statSync(at('inside/deep/file')).mode & 0o777).toBe(0o754)
  expect(readdirSync(at('inside/deep')).toSorted()).toEqual(['file', 'made'])
})

test.each([
  ['the file is a link', 'inside/deep/file'],
  ['a folder on the way is a link', 'inside/deep'],
  ['the first folder is a link', 'inside'],
])('neither follows when %s', (_what, link) => {
  rmSync(at(link), { recursive: true })
  symlinkSync(at(link.replace('inside', 'outside')), at(link))
  const before = descriptors()
  expect(() => read(at('inside/deep/file'))).toThrow(expect.objectContaining({ code: 'FILE_CHANGED' }))
  expect(() => writeDecided(at('inside/deep/file'), 'x')).toThrow(expect.objectContaining({ code: 'FILE_CHANGED' }))
  expect(readFileSync(at('outside/deep/file'), 'utf8')).toBe('outside')
  expect(descriptors()).toBe(before)
})

test.each(['fifo', 'folder'])('neither takes a %s for a file, nor hangs', what => {
  unlinkSync(at('inside/deep/file'))
  if (what === 'fifo') execFileSync('mkfifo', [at('inside/deep/file')])
  else mkdirSync(at('inside/deep/file'))
  expect(() => read(at('inside/deep/file'))).toThrow(expect.objectContaining({ code: 'FILE_CHANGED' }))
  expect(() => writeDecided(at('inside/deep/file'), 'x')).toThrow(expect.objectContaining({ code: 'FILE_CHANGED' }))
})

test.each(['inside/deep/file', '../x', '/a/../b'])('%j is not a decided path', path => {
  expect(() => openDecided(path)).toThrow(expect.objectContaining({ code: 'FILE_CHANGED' }))
})

test('a folder that is swapped for a link again and again never leads out', async () => {
  const swapper = new Worker(
    `const { renameSync, symlinkSync, unlinkSync } = require('node:fs'); const { workerData: { folder, aside, outside } } = require('node:worker_threads')
     for (const ends = Date.now() + 1500; Date.now() < ends; ) { renameSync(folder, aside); symlinkSync(outside, folder); unlinkSync(folder); renameSync(aside, folder) }`,
    { eval: true, workerData: { folder: at('inside'), aside: at('aside'), outside: at('outside') } },
  )
  const ended = new Promise(resolve => swapper.once('exit', resolve))
  let running = true
  void ended.then(() => {
    running = false
  })
  let tried = 0
  while (running) {
    for (let n = 0; n < 50; n++) {
      tried += 1
      try {
        expect(read(at('inside/deep/file'))).not.toBe('outside')
        writeDecided(at('inside/deep/file'), 'written')
      } catch (error) {
        expect((error as { code: string }).code).toMatch(/^(FILE_CHANGED|ENOENT)$/)
      }
    }
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(tried).toBeGreaterThan(50)
  expect(readFileSync(at('outside/deep/file'), 'utf8')).toBe('outside')
  expect(readdirSync(at('outside/deep'))).toEqual(['file'])
  renameSync(at('inside'), at('inside'))
})
