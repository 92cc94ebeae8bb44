// Grep and Glob with the real ripgrep, with and without a cell.

import { existsSync, renameSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { globFiles } from '../../src/files/glob.ts'
import { type FoundLines, type GrepRequest, grepFiles } from '../../src/files/grep.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { decided, failing, put, type TestSearch, temporaryFolder, testSearch } from './support.ts'

const sandboxes = sandboxProblem() === undefined ? (['off', 'required'] as const) : (['off'] as const)

function grep(search: TestSearch, request: Partial<GrepRequest>): Promise<FoundLines> {
  const defaults = {
    mode: 'content',
    before: 0,
    after: 0,
    ignoreCase: false,
    lineNumbers: true,
    multiline: false,
    headLimit: 250,
    offset: 0,
  } as const
  const path = { real: search.workspace, shown: search.workspace }
  return grepFiles({ path, isFolder: true, pattern: 'needle', ...defaults, ...request }, search)
}

const pathsOf = ({ entries }: FoundLines): string[] => entries.map(({ path }) => path)

test.each(sandboxes)('grepFiles() and globFiles() find files of a workspace (sandbox %s)', async sandbox => {
  const workspace = temporaryFolder()
  put(workspace, {
    'a.txt': 'x\nneedle one\ny\n',
    'sub/b.txt': 'needle two\n',
    '.hidden/c.txt': 'needle',
    'node_modules/d.txt': 'needle',
    '.git/e.txt': 'needle',
  })
  const search = testSearch(workspace, sandbox)
  expect((await grep(search, { before: 1 })).entries).toEqual([
    { path: '.hidden/c.txt', line: 1, text: 'needle' },
    { path: 'a.txt', line: 1, text: 'x', isContext: true },
    { path: 'a.txt', line: 2, text: 'needle one' },
    { path: 'sub/b.txt', line: 1, text: 'needle two' },
  ])
  expect((await grep(search, { mode: 'count' })).entries).toContainEqual({ path: 'a.txt', count: 1 })
  expect(pathsOf(await grep(search, { path: decided(workspace, 'sub') }))).toEqual(['sub/b.txt'])
  expect(pathsOf(await grep(search, { path: decided(workspace, 'node_modules') }))).toEqual(['node_modules/d.txt'])
  expect(pathsOf(await grep(search, { path: decided(workspace, 'a.txt'), isFolder: false }))).toEqual(['a.txt'])
  expect((await globFiles({ path: decided(workspace, ''), pattern: '**/*.txt' }, search)).paths.toSorted()).toEqual([
    '.hidden/c.txt',
    'a.txt',
    'sub/b.txt',
  ])
  const outside = temporaryFolder()
  put(outside, { f: 'needle' })
  const found = await grep(search, { path: { real: outside, shown: '~/notes' } })
  expect(found.entries).toEqual([{ path: '~/notes/f', line: 1, text: 'needle' }])
})

test.each(sandboxes)('globFiles() lists nothing that is not there (sandbox %s)', async sandbox => {
  const workspace = temporaryFolder()
  put(workspace, { a: '' })
  expect(await globFiles({ path: decided(workspace, ''), pattern: '**' }, testSearch(workspace, sandbox))).toEqual({
    paths: ['a'],
    more: 0,
    notes: [],
  })
})

test.each<[pattern: string, files: readonly string[]]>([
  ['*.ts', ['a.ts']],
  ['./*.ts', ['a.ts']],
  ['**/*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['src/**', ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
  ['src/*/[cx].{ts,js}', ['src/deep/c.ts']],
  ['{src/b,a}.ts', ['a.ts', 'src/b.ts']],
  ['src/deep/?.{t,j}s', ['src/deep/c.ts', 'src/deep/d.js']],
  ['!a.ts', []],
  ['-e', []],
  ['--pre=sh', []],
  ['$(touch x)', []],
  ['b.ts', []],
])('globFiles(%j) counts from the folder', async (pattern, files) => {
  const workspace = temporaryFolder()
  put(workspace, { 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/deep/d.js': '', '.gitignore': '*.ts' })
  const found = await globFiles({ path: { real: workspace, shown: '.' }, pattern }, testSearch(workspace))
  expect(found.paths.toSorted()).toEqual(files)
  const absolute = await globFiles({ path: { real: workspace, shown: '.' }, pattern: `${workspace}/${pattern}` }, testSearch(workspace))
  expect(absolute.paths.toSorted()).toEqual(pattern === './*.ts' ? ['a.ts'] : files)
})

test.each(['../x', 'a/../../x', '{a,..}/x', '/etc/*', 'a\0b', '{a', '[a'])('globFiles(%j) is refused', async pattern => {
  const workspace = temporaryFolder()
  await expect(globFiles({ path: { real: workspace, shown: '.' }, pattern }, testSearch(workspace))).rejects.toEqual(failing('TOOL_FAILED'))
})

test('globFiles() gives the newest first, 100 at most, and says how many more', async () => {
  const workspace = temporaryFolder()
  const names = Array.from({ length: 101 }, (_, index) => `f${index}`)
  put(workspace, Object.fromEntries(names.map(name => [name, ''])))
  for (const [index, name] of names.entries()) utimesSync(join(workspace, name), 1_000 + index, 1_000 + index)
  const search = testSearch(workspace)
  const all = await globFiles({ path: decided(workspace, ''), pattern: 'f*' }, search)
  expect([all.paths.length, all.more, all.paths[0], all.paths[99]]).toEqual([100, 1, 'f100', 'f1'])
  const fewer = await globFiles({ path: decided(workspace, ''), pattern: 'f*' }, { ...search, mayRead: path => !path.endsWith('f100') })
  expect([fewer.paths.length, fewer.more]).toEqual([100, 0])
})

test('a file that a rule hides is in no result, and counted nowhere', async () => {
  const workspace = temporaryFolder()
  put(workspace, { open: 'needle\n', secret: 'needle\n', 'sub/secret': 'needle\nneedle\n' })
  const search = testSearch(workspace, 'off', { mayRead: path => !path.endsWith('/secret') })
  for (const mode of ['content', 'count', 'files_with_matches'] as const) {
    const found = await grep(search, { mode, headLimit: 1 })
    expect([pathsOf(found), found.more]).toEqual([['open'], 0])
  }
  expect((await globFiles({ path: decided(workspace, ''), pattern: '**' }, search)).paths).toEqual(['open'])
})

test.each<[what: string, pattern: string]>([
  ['an option', '--files'],
  ['a program', '--pre=touch\tpwned'],
  ['shell text', '$(touch pwned)`touch pwned`'],
  ['a quote', `'"; touch pwned; "`],
])('a pattern like %s is only a pattern', async (_what, pattern) => {
  const workspace = temporaryFolder()
  put(workspace, { a: `x ${pattern} y` })
  const literal = pattern.replace(/[$()`'".*+?]/g, '\\$&')
  expect(pathsOf(await grep(testSearch(workspace), { pattern: literal }))).toEqual(['a'])
  expect((await globFiles({ path: decided(workspace, ''), pattern: 'pwned' }, testSearch(workspace))).paths).toEqual([])
  expect(pathsOf(await grep(testSearch(workspace), { glob: `!${pattern}`, pattern: 'x' }))).toEqual(['a'])
})

test.each<[what: string, request: Partial<GrepRequest>, said: RegExp]>([
  ['a broken expression', { pattern: 'a(' }, /unclosed group/],
  ['an unknown type', { type: 'nosuch' }, /nosuch/],
  ['a broken glob', { glob: '{a' }, /glob/],
  ['a newline without multiline', { pattern: 'a\nb' }, /multiline/],
  ['an expression that grows', { pattern: '((a{1000}){1000}){1000}' }, /size|limit/],
  ['a NUL', { pattern: 'a\0b' }, /NUL/],
])('grepFiles() of %s says what ripgrep says', async (_what, request, said) => {
  const workspace = temporaryFolder()
  put(workspace, { a: 'x' })
  await expect(grep(testSearch(workspace), request)).rejects.toEqual(failing('TOOL_FAILED', said))
})

test('names may hold anything', async () => {
  const workspace = temporaryFolder()
  const names = [
    'new\nline',
    'with:12:colon',
    '-e',
    'x[1]{a,b}*?!',
    ' blank ',
    'ä',
    'quote\'"',
    'x: binary file matches (found "\\0" byte around offset 5)\ny',
  ]
  put(workspace, Object.fromEntries(names.map(name => [name, 'needle\n'])))
  const search = testSearch(workspace)
  const shown = (name: string): string => (name.includes('\n') ? JSON.stringify(name) : name)
  for (const name of names.slice(0, -1)) {
    expect(pathsOf(await grep(search, { path: decided(workspace, name), isFolder: false }))).toEqual([shown(name)])
  }
  expect(pathsOf(await grep(search, {}))).toEqual(expect.arrayContaining(names.slice(0, -1).map(shown)))
  // What could pass for another name has to be permitted under both.
  const hidden = { ...search, mayRead: (path: string) => !path.includes('binary') }
  expect(pathsOf(await grep(hidden, {}))).not.toContain('y')
})

test('a link below the folder is not followed, nor one that took its place after the decision', async () => {
  const workspace = temporaryFolder()
  const outside = temporaryFolder()
  put(workspace, { 'sub/a': 'needle', file: 'needle' })
  put(outside, { a: 'needle secret', sub: '' })
  symlinkSync(outside, join(workspace, 'link'))
  symlinkSync('loop', join(workspace, 'loop'))
  const search = testSearch(workspace)
  expect(pathsOf(await grep(search, {}))).toEqual(['file', 'sub/a'])
  renameSync(join(workspace, 'sub'), join(workspace, 'aside'))
  symlinkSync(outside, join(workspace, 'sub'))
  renameSync(join(workspace, 'file'), join(workspace, 'aside-file'))
  symlinkSync(join(outside, 'a'), join(workspace, 'file'))
  await expect(grep(search, { path: decided(workspace, 'sub') })).rejects.toEqual(failing('FILE_CHANGED'))
  await expect(grep(search, { path: decided(workspace, 'file'), isFolder: false })).rejects.toEqual(failing('FILE_CHANGED'))
  await expect(globFiles({ path: decided(workspace, 'sub'), pattern: '**' }, search)).rejects.toEqual(failing('FILE_CHANGED'))
  await expect(grep(search, { path: decided(workspace, 'gone') })).rejects.toEqual(failing('TOOL_FAILED', /no such folder/))
})

test('options of ripgrep: case, type, glob, multiline, no line numbers', async () => {
  const workspace = temporaryFolder()
  put(workspace, { 'a.ts': 'Needle\nof\nhay\n', 'b.js': 'needle\n' })
  const search = testSearch(workspace)
  expect(pathsOf(await grep(search, { ignoreCase: true }))).toEqual(['a.ts', 'b.js'])
  expect(pathsOf(await grep(search, { ignoreCase: true, type: 'ts' }))).toEqual(['a.ts'])
  expect(pathsOf(await grep(search, { ignoreCase: true, glob: '!*.ts' }))).toEqual(['b.js'])
  expect((await grep(search, { pattern: 'Needle.*hay', multiline: true })).entries.map(({ line }) => line)).toEqual([1, 2, 3])
  expect((await grep(search, { lineNumbers: false })).entries).toEqual([{ path: 'b.js', text: 'needle' }])
})

test('ignored files are searched for their names only', async () => {
  const workspace = temporaryFolder()
  put(workspace, { '.git/HEAD': '', '.gitignore': 'ignored\n', ignored: 'needle', a: 'needle' })
  const search = testSearch(workspace)
  expect(pathsOf(await grep(search, {}))).toEqual(['a'])
  expect((await globFiles({ path: decided(workspace, ''), pattern: 'i*' }, search)).paths).toEqual(['ignored'])
})

test('the answer is bounded: entries, characters, lines', async () => {
  const workspace = temporaryFolder()
  put(workspace, { many: 'needle\n'.repeat(1_000), long: `needle${'x'.repeat(100_000)}\n` })
  const search = testSearch(workspace)
  const long = await grep(search, { glob: 'long' })
  expect(long.entries[0]?.text?.length).toBeLessThan(600)
  expect(long.entries[0]?.text).toMatch(/^needlex+ \[\.\.\. .*\]$/)
  const page = await grep(search, { glob: 'many', headLimit: 10, offset: 5 })
  expect([page.entries.length, page.entries[0]?.line, page.more]).toEqual([10, 6, 985])
  expect((await grep(search, { glob: 'many', headLimit: 0, offset: 998 })).entries.map(({ line }) => line)).toEqual([999, 1_000])
  expect((await grep(search, { glob: 'many', headLimit: 999 })).more).toBe(1)
  put(workspace, { wide: `${'needle '.repeat(60)}\n`.repeat(1_000) })
  const wide = await grep(search, { glob: 'wide', headLimit: 0 })
  expect(wide.entries.reduce((sum, { path, text = '' }) => sum + path.length + text.length, 0)).toBeLessThanOrEqual(30_000)
  expect(wide.entries.length + wide.more).toBe(1_000)
})

test('a search that gives too much is stopped and says so; its output is left nowhere', async () => {
  const workspace = temporaryFolder()
  put(workspace, { huge: `${'needle '.repeat(60)}\n`.repeat(20_000) })
  const search = testSearch(workspace)
  let spillPath: string | undefined
  const runCommand: typeof search.runCommand = async command => {
    const result = await search.runCommand(command)
    spillPath = result.spillPath
    return result
  }
  const found = await grep({ ...search, runCommand }, {})
  expect(found.notes).toEqual([expect.stringMatching(/Only a part/)])
  expect(found.entries.length).toBeGreaterThan(10)
  expect(spillPath).toBeDefined()
  expect(existsSync(spillPath ?? '')).toBe(false)
})

test('the pattern comes after -e, the place after --, and the folder of the program is shown to a cell', async () => {
  const workspace = temporaryFolder()
  const search = testSearch(workspace)
  await grep(search, { pattern: '-x' })
  const [command] = search.asked
  const { parameters = [], readable, script } = command ?? {}
  expect(parameters.slice(parameters.indexOf('-e'))).toEqual(['-e', '-x', '--', './'])
  expect(parameters).toEqual(expect.arrayContaining(['--no-config', '--no-pre', '--no-follow']))
  expect(readable).toEqual([expect.stringMatching(/ripgrep/)])
  expect(script).not.toContain('-x')
})

test('files that could not be searched are told of, and found lines are kept', async () => {
  const partly = {
    reason: 'exited',
    exitCode: 2,
    output: './a\x001:needle\nrg: ./b: Permission denied (os error 13)',
    truncated: false,
  } as const
  const found = await grep(testSearch(temporaryFolder(), 'off', { runCommand: async () => partly }), {})
  expect([pathsOf(found), found.notes]).toEqual([['a'], ['Some files could not be searched']])
})

test.each(sandboxes)('a secret that a cell hides is not found and no fault (sandbox %s)', async sandbox => {
  const workspace = temporaryFolder()
  put(workspace, { '.env': 'KEY=other\n', 'a.txt': 'needle\n' })
  const search = testSearch(workspace, sandbox)
  for (const mode of ['content', 'count', 'files_with_matches'] as const) {
    expect(await grep(search, { mode, pattern: 'nowhere' })).toMatchObject({ entries: [], notes: [] })
    expect(await grep(search, { mode })).toMatchObject({ entries: [{ path: 'a.txt' }], notes: [] })
  }
  await expect(grep(search, { pattern: 'a(' })).rejects.toEqual(failing('TOOL_FAILED', /unclosed group/))
})

test('a search ends with the reason of its signal, and one that took too long says so', async () => {
  const workspace = temporaryFolder()
  put(workspace, { a: 'needle\n' })
  const controller = new AbortController()
  controller.abort(new Error('enough'))
  await expect(grep(testSearch(workspace, 'off', { signal: controller.signal }), {})).rejects.toThrow('enough')
  const late = { reason: 'timed-out', exitCode: 124, output: './a\x001:needle\n', truncated: false, note: 'Time limit' } as const
  const found = await grep(testSearch(workspace, 'off', { runCommand: async () => late }), {})
  expect([pathsOf(found), found.notes]).toEqual([['a'], [expect.stringMatching(/ended before.*Time limit/)]])
})
