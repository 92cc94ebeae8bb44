// What Grep and Glob say of a place that is not what they want, and of what ripgrep could not do.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { globFiles } from '../../src/files/glob.ts'
import { type FoundLines, grepFiles } from '../../src/files/grep.ts'
import { decided, failing, put, type TestSearch, temporaryFolder, testSearch } from './support.ts'

const wish = {
  pattern: 'x',
  mode: 'content',
  before: 0,
  after: 0,
  ignoreCase: false,
  lineNumbers: true,
  multiline: false,
  headLimit: 0,
  offset: 0,
} as const

test('a search says what stands at its place', async () => {
  const workspace = temporaryFolder()
  put(workspace, { file: 'x' })
  execFileSync('mkfifo', [join(workspace, 'fifo')])
  const search = testSearch(workspace)
  const grep = (name: string): Promise<unknown> => grepFiles({ ...wish, path: decided(workspace, name), isFolder: false }, search)
  const glob = (name: string): Promise<unknown> => globFiles({ path: decided(workspace, name), pattern: '*' }, search)
  await expect(grep('fifo')).rejects.toEqual(failing('TOOL_FAILED', /"fifo": it is no ordinary file$/))
  await expect(grep('gone')).rejects.toEqual(failing('TOOL_FAILED', /"gone": there is no such file or folder/))
  await expect(glob('file')).rejects.toEqual(failing('TOOL_FAILED', /"file": it is no folder/))
  await expect(glob('fifo')).rejects.toEqual(failing('TOOL_FAILED', /"fifo": it is no folder/))
  await expect(glob('gone')).rejects.toEqual(failing('TOOL_FAILED', /"gone": there is no such folder/))
  expect(search.asked).toEqual([])
})

const grepAll = (search: TestSearch): Promise<FoundLines> =>
  grepFiles({ ...wish, path: { real: search.workspace, shown: '.' }, isFolder: true }, search)

test.each([
  ['files that may not be read, and nothing found', 2, '', []],
  ['files that may not be read, and something found', 2, './a\x001:needle\n', []],
  ['a fault beside something found', 2, './a\x001:needle\nrg: ./b: Input/output error (os error 5)', ['Some files could not be searched']],
])('grepFiles() notes of %s', async (_, exitCode, output, notes) => {
  const runCommand = async () => ({ reason: 'exited', exitCode, output, truncated: false }) as const
  expect((await grepAll(testSearch(temporaryFolder(), 'off', { runCommand }))).notes).toEqual(notes)
})

test('grepFiles() fails with what ripgrep says, and for an end that ripgrep does not know', async () => {
  const ending = (exitCode: number, output: string): TestSearch =>
    testSearch(temporaryFolder(), 'off', { runCommand: async () => ({ reason: 'exited', exitCode, output, truncated: false }) as const })
  await expect(grepAll(ending(2, 'rg: no such type: x'))).rejects.toEqual(failing('TOOL_FAILED', /: no such type: x$/))
  await expect(grepAll(ending(134, ''))).rejects.toEqual(failing('TOOL_FAILED', /exit code 134/))
})
