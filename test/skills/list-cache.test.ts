// A list that was kept whole may come back only while it is what the files say: every test compares with a list without a cache.

import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { CatalogOptions, SkillList } from '../../src/skills/snapshot.ts'
import { createWorkspace, limits, skillText, type Workspace } from './workspace.ts'

const files = {
  'project/.claude/skills/one/SKILL.md': skillText('one', 'description: d1\nallowed-tools: Read, Bash(git log *)\nargument-hint: "[a]"'),
  'project/.claude/skills/two/SKILL.md': skillText('zwei', 'description: d2 – ü 🦊\nhooks: {Stop: [{hooks: []}]}\nx: {y: [1, null]}'),
  'project/.claude/skills/three/SKILL.md': skillText('three', 'allowed-tools: Nothing\nuser-invocable: false'),
  'project/.claude/commands/deep/er/run.md': '---\ndescription: d3\n---\nRun',
  'project/.claude/agents/helper.md': skillText('helper', 'description: d4'),
  'home/.claude/skills/one/SKILL.md': skillText('one', 'description: shadowed'),
  'plugin/.claude-plugin/plugin.json': '{"name": "plug"}',
  'plugin/skills/p/SKILL.md': skillText('p', 'description: d5\nallowed-tools: Bash(${CLAUDE_PLUGIN_ROOT}/x *)'),
  'brought/b/SKILL.md': skillText('b', 'description: d6'),
}

interface Kept extends Workspace {
  readonly cacheFolder: string
  list(more?: Partial<CatalogOptions>): Promise<SkillList>
  /** What the files say now. */
  fresh(more?: Partial<CatalogOptions>): Promise<SkillList>
}

const listFile = ({ cacheFolder }: Pick<Kept, 'cacheFolder'>): string | undefined =>
  existsSync(cacheFolder) ? readdirSync(cacheFolder).find(name => name.startsWith('list-')) : undefined

async function createKept(more: Readonly<Record<string, string>> = {}): Promise<Kept> {
  const workspace = createWorkspace({ ...files, ...more })
  const cacheFolder = join(workspace.root, 'cache', 'skillcell')
  const options = { plugins: [join(workspace.root, 'plugin')], bundled: [{ folder: join(workspace.root, 'brought') }] }
  const kept: Kept = {
    ...workspace,
    cacheFolder,
    list: async others => {
      const found = await workspace.catalog({ ...options, cacheFolder, ...others }).list()
      // What it keeps is kept by then.
      await nextTurn()
      return found
    },
    fresh: others => workspace.catalog({ ...options, ...others }).list(),
  }
  // Later, so that its files are old enough.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  await kept.list().finally(() => vi.useRealTimers())
  return kept
}

/** Changes what was kept, under a sum that is right: shows whether a list comes from there. */
function mark(kept: Kept): void {
  const path = join(kept.cacheFolder, listFile(kept) ?? '')
  const text = readFileSync(path, 'latin1')
  const [title = '', body = ''] = [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)]
  const marked = body.replace('"d1"', '"kept"')
  expect(marked).not.toBe(body)
  const parts: unknown = JSON.parse(title)
  if (!Array.isArray(parts)) throw new Error('the title is no list')
  const sum = createHash('sha256').update(marked).digest('hex')
  writeFileSync(path, `${JSON.stringify([...parts.slice(0, -1), sum])}\n${marked}`)
}

const isMarked = ({ skills }: SkillList): boolean => skills.some(({ description }) => description === 'kept')

test('a list comes back whole: skills, commands, agents, shadowed ones, aliases and diagnostics', async () => {
  const kept = await createKept()
  const fresh = await kept.fresh()
  expect(fresh.skills.map(({ id, shadowedBy }) => `${id}${shadowedBy ? ' shadowed' : ''}`)).toEqual([
    'b',
    'deep:er:run',
    'one',
    'one shadowed',
    'plug:p',
    'three',
    'zwei',
  ])
  expect(fresh.agents.map(({ id }) => id)).toEqual(['helper'])
  expect(fresh.diagnostics.length).toBeGreaterThan(0)
  expect(await kept.list()).toEqual(fresh)
  mark(kept)
  const marked = await kept.list()
  expect(isMarked(marked)).toBe(true)
  expect({ ...marked, skills: marked.skills.filter(skill => skill.id !== 'one') }).toEqual({
    ...fresh,
    skills: fresh.skills.filter(skill => skill.id !== 'one'),
  })
})

test('names and other names of a kept list are found, and an invocation reads the file', async () => {
  const kept = await createKept()
  mark(kept)
  const catalog = kept.catalog({
    plugins: [join(kept.root, 'plugin')],
    bundled: [{ folder: join(kept.root, 'brought') }],
    cacheFolder: kept.cacheFolder,
  })
  expect((await catalog.find('two')).id).toBe('zwei')
  const one = await catalog.find('one')
  expect(one.description).toBe('kept')
  expect((await catalog.load(one)).skill.description).toBe('d1')
  await expect(catalog.find('none')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
})

const claude = (kept: Kept, path = ''): string => join(kept.project, '.claude', path)
const changes: readonly (readonly [string, (kept: Kept) => void])[] = [
  ['edited', kept => kept.write('project/.claude/skills/one/SKILL.md', skillText('one', 'description: d9'))],
  ['broken', kept => kept.write('project/.claude/skills/two/SKILL.md', '---\n- no map\n---\n')],
  ['removed', kept => rmSync(claude(kept, 'skills/two/SKILL.md'))],
  ['removed with its folder', kept => rmSync(claude(kept, 'skills/two'), { recursive: true })],
  ['added', kept => kept.write('project/.claude/skills/four/SKILL.md', skillText('four'))],
  ['added in a home that was not there', kept => kept.write('project/.skillcell/skills/one/SKILL.md', skillText('one'))],
  ['renamed', kept => renameSync(claude(kept, 'skills/two'), claude(kept, 'skills/2'))],
  ['a command that is added deep down', kept => kept.write('project/.claude/commands/deep/er/walk.md', 'Walk')],
  ['an agent that is removed', kept => rmSync(claude(kept, 'agents/helper.md'))],
  ['shadowed no more', kept => rmSync(claude(kept, 'skills/one'), { recursive: true })],
  ['a plugin of another name', kept => kept.write('plugin/.claude-plugin/plugin.json', '{"name": "other"}')],
  ['brought along and edited', kept => kept.write('brought/b/SKILL.md', skillText('b', 'description: d9'))],
  ['unreadable by its mode', kept => chmodSync(claude(kept, 'skills/one/SKILL.md'), 0o000)],
  ...['skills/one/SKILL.md', 'skills/one', 'skills', '', 'commands/deep', 'agents/helper.md'].map((path): (typeof changes)[number] => [
    `"${path}" as a link to where it went`,
    kept => {
      renameSync(claude(kept, path), join(kept.root, 'moved'))
      symlinkSync(join(kept.root, 'moved'), claude(kept, path))
    },
  ]),
]

test.each(changes)('a kept list is not used when something is %s', async (_, change) => {
  const kept = await createKept()
  mark(kept)
  expect(isMarked(await kept.list())).toBe(true)
  change(kept)
  const list = await kept.list()
  expect(isMarked(list)).toBe(false)
  expect(list).toEqual(await kept.fresh())
})

test('a process that began with a kept list sees an edit, and then reads only what is not in the heads', async () => {
  const kept = await createKept()
  const options = { plugins: [join(kept.root, 'plugin')], bundled: [{ folder: join(kept.root, 'brought') }] }
  const catalog = kept.catalog({ ...options, cacheFolder: kept.cacheFolder })
  const before = await catalog.list()
  expect((await catalog.list()).skills).toBe(before.skills)
  kept.write('project/.claude/skills/one/SKILL.md', skillText('one', 'description: d9'))
  expect(await catalog.list()).toEqual(await kept.fresh())
  await nextTurn()
})

const others: readonly (readonly [string, (kept: Kept) => Partial<CatalogOptions>])[] = [
  ['limits', () => ({ limits: { ...limits, maxFrontmatterBytes: 60_000 } })],
  ['an order of the sources', () => ({ precedence: ['user', 'project', 'plugin', 'bundled', 'managed'] })],
  ['homes', () => ({ disableAgentSkillsDirectory: true })],
  ['confinement', () => ({ isConfined: true })],
  ['a check of hooks', () => ({ checkHooks: () => ({ isWhole: false, problems: [{ message: 'no', restricts: true }] }) })],
  ['bundled skills', () => ({ bundled: [] })],
  ['a condition that fails', ({ root }) => ({ bundled: [{ folder: join(root, 'brought'), isEnabled: () => false }] })],
  ['plugins', () => ({ plugins: [] })],
]

test.each(others)('other %s have another list', async (_, optionsOf) => {
  const kept = await createKept()
  mark(kept)
  const options = optionsOf(kept)
  const list = await kept.list(options)
  expect(isMarked(list)).toBe(false)
  expect(list).toEqual(await kept.fresh(options))
})

const unkept: readonly (readonly [string, (workspace: Kept) => void])[] = [
  ['a skill that is broken', kept => kept.write('project/.claude/skills/x/SKILL.md', '---\n- no map\n---\n')],
  ['a value that JSON lacks', kept => kept.write('project/.claude/skills/x/SKILL.md', skillText('x', 'description: d\ny: .inf'))],
  ['a text that is no file', () => {}],
  [
    'a skill that is a link',
    kept => {
      mkdirSync(join(kept.root, 'far'))
      kept.write('far/x/SKILL.md', skillText('x'))
      symlinkSync(join(kept.root, 'far/x'), claude(kept, 'skills/x'))
    },
  ],
  [
    'a link on the way',
    kept => {
      renameSync(claude(kept, 'skills'), join(kept.root, 'moved'))
      symlinkSync(join(kept.root, 'moved'), claude(kept, 'skills'))
    },
  ],
]

test.each(unkept)('a list with %s is not kept', async (name, change) => {
  const kept = await createKept()
  rmSync(kept.cacheFolder, { recursive: true })
  change(kept)
  const more = name === 'a text that is no file' ? { bundled: [{ name: 'text', content: 'Text' }] } : {}
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  await kept.list(more).finally(() => vi.useRealTimers())
  expect(readdirSync(kept.cacheFolder).some(file => file.startsWith('heads-'))).toBe(true)
  expect(listFile(kept)).toBeUndefined()
})

test('a list of which one file changed within two seconds is not kept', async () => {
  const kept = await createKept()
  rmSync(kept.cacheFolder, { recursive: true })
  await kept.list()
  expect(listFile(kept)).toBeUndefined()
})
