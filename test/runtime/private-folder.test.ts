import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders, preparePrivateFolder } from '../../src/private-folder.ts'

test('makeFolders() makes what is missing, private, and takes what is there', () => {
  const root = mkdtempSync(join(tmpdir(), 'skillcell-folder-'))
  makeFolders(join(root, 'a/b/c'))
  makeFolders(join(root, 'a/b/c'))
  expect(statSync(join(root, 'a/b')).mode & 0o777).toBe(0o700)
  rmSync(root, { recursive: true })
})

test.skipIf(process.platform !== 'linux')('makeFolders() comes back from a place that takes no folder', () => {
  expect(() => makeFolders('/proc/nothing/here')).toThrow('ENOENT')
})

test('preparePrivateFolder() refuses a link and mends a mode', () => {
  const root = mkdtempSync(join(tmpdir(), 'skillcell-folder-'))
  mkdirSync(join(root, 'open'), { mode: 0o755 })
  symlinkSync(join(root, 'open'), join(root, 'link'))
  expect(() => preparePrivateFolder(join(root, 'link'))).toThrow('no folder')
  preparePrivateFolder(join(root, 'open'))
  expect(statSync(join(root, 'open')).mode & 0o777).toBe(0o700)
  rmSync(root, { recursive: true })
})
