// The head cache may make a list faster and never other: every test compares with what the files say now.

import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { createHeadCache, headCacheFolder } from '../../src/skills/head-cache.ts'
import { type CachedHead, fromRecord, toRecord } from '../../src/skills/head-record.ts'
import { isSameStamp } from '../../src/skills/read-file.ts'
import { readHead } from '../../src/skills/skill-file.ts'
import { createWorkspace, limits, skillText, type Workspace } from './workspace.ts'

const one = 'project/.claude/skills/one/SKILL.md'
const isRoot = process.getuid?.() === 0

/** A workspace whose two files are in its cache, under the stamps that they have now and with other descriptions. */
function createCached(): Workspace & { readonly cacheFolder: string; readonly cacheFile: string } {
  const workspace = createWorkspace({ [one]: skillText('one'), 'project/.claude/skills/two/SKILL.md': skillText('two') })
  const cacheFolder = join(workspace.root, 'cache', 'skillcell')
  keep(workspace, cacheFolder, ['one', 'two'])
  const [name = ''] = readdirSync(cacheFolder)
  return { ...workspace, cacheFolder, cacheFile: join(cacheFolder, name) }
}

function cacheOf(workspace: Workspace, folder: string) {
  const { project, home } = workspace
  const cache = createHeadCache({ folder, roots: [project, home, ''], workspace: project, limits })
  if (cache === undefined) throw new Error('there is no cache')
  return cache
}

/** Says "kept" where the file says "d", so that a list shows where it comes from. */
function keep(workspace: Workspace, folder: string, names: readonly string[], description = 'kept'): void {
  const heads = names.map((name): [string, CachedHead] => {
    const path = join(workspace.project, '.claude/skills', name, 'SKILL.md')
    const head = readHead(path, limits, path)
    const kept = { ...head, description, fields: { ...head.fields, description } }
    return [path, { path, head: kept, readAtMs: Date.now() + 10_000, isLink: false }]
  })
  cacheOf(workspace, folder).save(new Map(heads))
}

async function descriptions(workspace: Workspace, cacheFolder: string): Promise<readonly string[]> {
  const { skills } = await workspace.catalog({ cacheFolder }).list()
  // What it keeps is kept by then, and does not come back after the test.
  await nextTurn()
  return skills.map(skill => skill.description)
}

test('a list takes the heads of files that are still the same from the cache', async () => {
  const workspace = createCached()
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['kept', 'kept'])
})

test('the cache is a file of mode 0600 in a folder of mode 0700', () => {
  const { cacheFolder, cacheFile } = createCached()
  expect(lstatSync(cacheFolder).mode & 0o777).toBe(0o700)
  expect(lstatSync(cacheFile).mode & 0o777).toBe(0o600)
})

test('an invocation reads the file, never the cache', async () => {
  const workspace = createCached()
  const catalog = workspace.catalog({ cacheFolder: workspace.cacheFolder })
  expect((await catalog.load(await catalog.find('one'))).skill.description).toBe('d')
  await nextTurn()
})

test('an edited file is seen', async () => {
  const workspace = createCached()
  workspace.write(one, skillText('one', 'description: edited'))
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['edited', 'kept'])
})

test('a file of the same size and modification time is seen by its change time', async () => {
  const workspace = createCached()
  const path = join(workspace.root, one)
  const stampOfDisk = () => {
    const { size, mtimeMs, ino, ctimeMs } = lstatSync(path)
    return { same: [size, mtimeMs, ino], ctimeMs }
  }
  // A whole second, which can be set again exactly.
  utimesSync(path, 1_000_000_000, 1_000_000_000)
  keep(workspace, workspace.cacheFolder, ['one', 'two'])
  const before = stampOfDisk()
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['kept', 'kept'])
  // The clock of the disk ticks every few ms.
  do {
    workspace.write(one, skillText('one', 'description: e'))
    utimesSync(path, 1_000_000_000, 1_000_000_000)
  } while (stampOfDisk().ctimeMs === before.ctimeMs)
  expect(stampOfDisk().same).toEqual(before.same)
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['e', 'kept'])
})

test('another file put in the place of one is seen', async () => {
  const workspace = createCached()
  workspace.write('project/other.md', skillText('one', 'description: f'))
  renameSync(join(workspace.project, 'other.md'), join(workspace.root, one))
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['f', 'kept'])
})

test('a link to the very file is read, since its real path is another', async () => {
  const workspace = createCached()
  const path = join(workspace.root, one)
  renameSync(path, join(workspace.project, 'moved.md'))
  symlinkSync(join(workspace.project, 'moved.md'), path)
  // As on a disk where a new name is no change of the file.
  const head = { ...readHead(path, limits, path), description: 'kept', realPath: path }
  const cached = { path, head, readAtMs: Date.now() + 10_000, isLink: false }
  cacheOf(workspace, workspace.cacheFolder).save(new Map([[path, cached]]))
  const { skills } = await workspace.catalog({ cacheFolder: workspace.cacheFolder }).list()
  await nextTurn()
  expect(skills.map(skill => [skill.description, skill.realPath])[0]).toEqual(['d', join(workspace.project, 'moved.md')])
})

test('a removed file is gone, and a broken one is told', async () => {
  const workspace = createCached()
  workspace.write(one, '---\n- no map\n---\n')
  const { skills, diagnostics } = await workspace.catalog({ cacheFolder: workspace.cacheFolder }).list()
  await nextTurn()
  expect(skills.map(skill => skill.id)).toEqual(['two'])
  expect(diagnostics.map(({ code }) => code)).toEqual(['FRONTMATTER_UNREADABLE'])
})

test.each(['device', 'inode', 'size', 'modifiedMs', 'changedMs'] as const)('another %s makes another stamp', field => {
  const stamp = { device: 1, inode: 2, size: 3, modifiedMs: 4.5, changedMs: 5.25 }
  expect(isSameStamp(stamp, { ...stamp })).toBe(true)
  expect(isSameStamp(stamp, { ...stamp, [field]: stamp[field] + 0.25 })).toBe(false)
})

type Spoil = (cached: ReturnType<typeof createCached>) => void
const spoils: readonly (readonly [string, Spoil])[] = [
  ['empty', ({ cacheFile }) => writeFileSync(cacheFile, '')],
  ['garbage', ({ cacheFile }) => writeFileSync(cacheFile, Buffer.from([0xff, 0, 0x7b, 0x0a, 0x5b]))],
  ['cut', ({ cacheFile }) => writeFileSync(cacheFile, readFileSync(cacheFile).subarray(0, -9))],
  ['changed in one letter', ({ cacheFile }) => writeFileSync(cacheFile, readFileSync(cacheFile, 'utf8').replace('kept', 'Kept'))],
  ['of another format', ({ cacheFile }) => writeFileSync(cacheFile, readFileSync(cacheFile, 'utf8').replace('[2,', '[0,'))],
  ['readable by others', ({ cacheFile }) => chmodSync(cacheFile, 0o644)],
  ['writable by the group', ({ cacheFile }) => chmodSync(cacheFile, 0o620)],
  ['in a folder that the group may write', ({ cacheFolder }) => chmodSync(cacheFolder, 0o770)],
  [
    'a link',
    ({ cacheFile, root }) => {
      renameSync(cacheFile, join(root, 'real'))
      symlinkSync(join(root, 'real'), cacheFile)
    },
  ],
  [
    'in a folder that is a link',
    ({ cacheFolder, root }) => {
      renameSync(cacheFolder, join(root, 'real'))
      symlinkSync(join(root, 'real'), cacheFolder)
    },
  ],
]

test.each(spoils)('a cache that is %s is not trusted', async (_, spoil) => {
  const workspace = createCached()
  spoil(workspace)
  expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['d', 'd'])
})

test.skipIf(!isRoot)('a file or folder of somebody else is not trusted', async () => {
  for (const of of ['cacheFile', 'cacheFolder'] as const) {
    const workspace = createCached()
    chownSync(workspace[of], 65_534, 65_534)
    expect(await descriptions(workspace, workspace.cacheFolder)).toEqual(['d', 'd'])
  }
})

test.skipIf(!isRoot)('a folder of somebody else is not written', () => {
  const workspace = createWorkspace({ [one]: skillText('one') })
  const folder = join(workspace.root, 'cache')
  mkdirSync(folder)
  chownSync(folder, 65_534, 65_534)
  keep(workspace, folder, ['one'])
  expect(readdirSync(folder)).toEqual([])
})

test('other limits and other roots have another cache', async () => {
  const workspace = createCached()
  const { cacheFolder, root } = workspace
  const narrow = await workspace.catalog({ cacheFolder, limits: { ...limits, maxFrontmatterBytes: 60_000 } }).list()
  expect(narrow.skills.map(skill => skill.description)).toEqual(['d', 'd'])
  const managed = await workspace.catalog({ cacheFolder, managedDir: join(root, 'managed') }).list()
  expect(managed.skills.map(skill => skill.description)).toEqual(['d', 'd'])
  await nextTurn()
})

test('a cache inside of the workspace is not used: a command could write it', async () => {
  const workspace = createCached()
  const inside = join(workspace.project, '.cache', 'skillcell')
  await workspace.catalog({ cacheFolder: inside }).list()
  await nextTurn()
  expect(existsSync(inside)).toBe(false)
  symlinkSync(workspace.project, join(workspace.root, 'link'))
  expect(createHeadCache({ folder: join(workspace.root, 'link', 'c'), roots: [], workspace: workspace.project, limits })).toBeUndefined()
})

test('a file that was changed within two seconds of reading is not kept', async () => {
  const workspace = createWorkspace({ [one]: skillText('one') })
  const cacheFolder = join(workspace.root, 'cache')
  await workspace.catalog({ cacheFolder }).list()
  await nextTurn()
  expect(existsSync(cacheFolder)).toBe(false)
})

test('a list leaves the heads of older files for the next, once it has answered', async () => {
  const workspace = createCached()
  const { ctimeMs } = lstatSync(join(workspace.root, one))
  const heads = new Map<string, CachedHead>()
  const path = join(workspace.root, one)
  for (const [age, size] of [
    [2_000, 0],
    [2_001, 1],
  ] as const) {
    const folder = join(workspace.root, `cache-${age}`)
    const cached = { path, head: readHead(path, limits, path), readAtMs: ctimeMs + age, isLink: false }
    cacheOf(workspace, folder).save(new Map([[path, cached]]))
    cacheOf(workspace, folder).load(heads)
    expect(heads.size).toBe(size)
  }
})

test('a cache that cannot be written changes nothing', async () => {
  const workspace = createCached()
  workspace.write('blocked', '')
  expect(await descriptions(workspace, join(workspace.root, 'blocked', 'skillcell'))).toEqual(['d', 'd'])
  await nextTurn()
})

test('two processes that write at once leave one whole cache and nothing else', async () => {
  const { root, cacheFolder, cacheFile } = createCached()
  const entry = fileURLToPath(new URL('../../src/skills/private-file.ts', import.meta.url))
  const output = { entryFileNames: 'private-file.mjs' }
  await build({ configFile: false, logLevel: 'error', build: { ssr: entry, outDir: root, emptyOutDir: false, rollupOptions: { output } } })
  const script = `const { writePrivateFile } = await import(process.argv[1])
    for (let round = 0; round < 20; round++) writePrivateFile(process.argv[2], 'both.json', process.argv[3].repeat(1_000_000))`
  const write = (letter: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, join(root, 'private-file.mjs'), cacheFolder, letter])
  await Promise.all(['a', 'b'].map(write))
  expect(['a', 'b'].map(letter => letter.repeat(1_000_000))).toContain(readFileSync(join(cacheFolder, 'both.json'), 'utf8'))
  expect(readdirSync(cacheFolder).toSorted()).toEqual(['both.json', basename(cacheFile)])
})

const heads: readonly (readonly [string, string, boolean])[] = [
  ['of one that says little', 'description: d', true],
  [
    'of one that says all',
    'description: d\nallowed-tools: Read, Bash(git *)\ncontext: fork\nhooks: {Stop: [{hooks: []}]}\nx: {__proto__: 1}',
    true,
  ],
  ['of one that forbids', 'user-invocable: false\ndisable-model-invocation: maybe', true],
  ['of one without a description', 'version: 1.10', true],
  ['of one with a value that JSON lacks', 'x: .inf', false],
  ['of one with a negative zero', 'x: -0.0', false],
]

test.each(heads)('a head comes back as it was kept: %s', (_, more, isKept) => {
  const workspace = createWorkspace({ [one]: skillText('one', more) })
  const path = join(workspace.root, one)
  const cached = { path, head: readHead(path, limits, path), readAtMs: 1, isLink: false }
  const record = toRecord(cached)
  expect(record !== undefined).toBe(isKept)
  if (record !== undefined) expect(fromRecord(JSON.parse(JSON.stringify(record)))).toEqual(cached)
})

test.each([
  ['/c', '/c/skillcell'],
  ['relative', '/home/u/.cache/skillcell'],
  ['', '/home/u/.cache/skillcell'],
  [undefined, '/home/u/.cache/skillcell'],
])('headCacheFolder() with XDG_CACHE_HOME=%s is %s', (given, folder) => {
  expect(headCacheFolder('/home/u', { XDG_CACHE_HOME: given })).toBe(folder)
})
