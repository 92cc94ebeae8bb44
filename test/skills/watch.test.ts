import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type SkillWatcher, watchedPlaces, watchSkills } from '../../src/skills/watch.ts'
import type { SkillChanges } from '../../src/source-options.ts'
import { createWorkspace, skillText, type Workspace } from './workspace.ts'

async function watching(workspace: Workspace, more: { quietMs?: number; plugins?: readonly string[] } = {}): Promise<SkillWatcher> {
  const { plugins = [] } = more
  const watcher = watchSkills({
    workspace: workspace.project,
    home: workspace.home,
    plugins,
    disableAgentSkillsDirectory: false,
    catalog: workspace.catalog({ plugins }),
    quietMs: 100,
    ...more,
  })
  onTestFinished(() => watcher.close())
  await watcher.ready
  return watcher
}

/** The changes that follow on an act. */
async function after(watcher: SkillWatcher, act: () => void): Promise<Omit<SkillChanges, 'diagnostics'> & { codes: readonly string[] }> {
  const changed = new Promise<SkillChanges>(resolve => watcher.once('changed', resolve))
  act()
  const { diagnostics, ...changes } = await changed
  return { ...changes, codes: diagnostics.map(({ code }) => code) }
}

const skill = 'project/.claude/skills/a/SKILL.md'
const nothing = { added: [], removed: [], changed: [], codes: [] }

test('watchSkills() tells of an edit, a broken edit, its repair, and a removal', async () => {
  const workspace = createWorkspace({ [skill]: skillText('a') })
  const watcher = await watching(workspace)
  expect(await after(watcher, () => workspace.write(skill, skillText('a', 'description: other')))).toEqual({ ...nothing, changed: ['a'] })
  const broken = await after(watcher, () => workspace.write(skill, '---\n- a list\n---\n'))
  expect([broken.removed, broken.codes.length]).toEqual([['a'], 1])
  expect(await after(watcher, () => workspace.write(skill, skillText('a')))).toEqual({ ...nothing, added: ['a'] })
  expect(await after(watcher, () => rmSync(join(workspace.project, '.claude/skills/a'), { recursive: true }))).toEqual({
    ...nothing,
    removed: ['a'],
  })
})

test('watchSkills() sees homes that appear, all kinds of files, and a rename over a file', async () => {
  const workspace = createWorkspace()
  const watcher = await watching(workspace)
  expect(await after(watcher, () => workspace.write('project/.skillcell/skills/x/SKILL.md', skillText('x')))).toEqual({
    ...nothing,
    added: ['x'],
  })
  expect(await after(watcher, () => workspace.write('home/.agents/skills/y/skill.md', skillText('y')))).toEqual({
    ...nothing,
    added: ['y'],
  })
  expect(await after(watcher, () => workspace.write('project/.claude/commands/sub/c.md', 'Do it'))).toEqual({
    ...nothing,
    added: ['sub:c'],
  })
  expect(await after(watcher, () => workspace.write('project/.claude/agents/g.md', skillText('g')))).toEqual({
    ...nothing,
    added: ['agent:g'],
  })
  const replace = (): void => {
    workspace.write('project/.skillcell/skills/x/beside', skillText('x', 'description: new'))
    renameSync(join(workspace.project, '.skillcell/skills/x/beside'), join(workspace.project, '.skillcell/skills/x/SKILL.md'))
  }
  expect(await after(watcher, replace)).toEqual({ ...nothing, changed: ['x'] })
})

test('watchSkills() sees a change of a plugin', async () => {
  const workspace = createWorkspace({ 'plug/.claude-plugin/plugin.json': '{"name":"plug","skills":"./own"}' })
  const watcher = await watching(workspace, { plugins: [join(workspace.root, 'plug')] })
  const added = await after(watcher, () => workspace.write('plug/own/t/SKILL.md', skillText('t')))
  expect(added.added).toEqual(['plug:t'])
  const renamed = await after(watcher, () => workspace.write('plug/.claude-plugin/plugin.json', '{"name":"other","skills":"./own"}'))
  expect([renamed.added, renamed.removed]).toEqual([['other:t'], ['plug:t']])
})

test('watchSkills() says nothing of what is no skill, and one thing of what follows', async () => {
  const workspace = createWorkspace({ [skill]: skillText('a') })
  mkdirSync(join(workspace.project, 'node_modules/.claude/skills'), { recursive: true })
  const watcher = await watching(workspace)
  const seen: SkillChanges[] = []
  watcher.on('changed', changes => seen.push(changes))
  for (let index = 0; index < 50; index++) workspace.write(`project/node_modules/.claude/skills/n${index}/SKILL.md`, skillText('n'))
  workspace.write('project/.claude/skills/a/notes.md', 'x')
  workspace.write('project/src/main.ts', 'x')
  workspace.write(skill, skillText('a'))
  await after(watcher, () => workspace.write('project/.claude/skills/b/SKILL.md', skillText('b')))
  expect(seen.map(({ added }) => added)).toEqual([['b']])
})

test('watchSkills() makes one reload of a git checkout of 2,000 files', async () => {
  const workspace = createWorkspace()
  const git = (...args: string[]): void => {
    const options = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'gc.auto=0']
    execFileSync('git', [...options, ...args], { cwd: workspace.project, stdio: 'ignore' })
  }
  const writeAll = (what: string): void => {
    for (let index = 0; index < 200; index++) {
      workspace.write(`project/.claude/skills/s${index}/SKILL.md`, skillText(`s${index}`, `description: ${what}`))
      for (let file = 0; file < 5; file++) workspace.write(`project/.claude/skills/s${index}/reference/${file}.md`, what)
      for (let file = 0; file < 4; file++) workspace.write(`project/src/${index}/${file}.ts`, what)
    }
  }
  git('init', '-q', '-b', 'one')
  writeAll('one')
  git('add', '.')
  git('commit', '-qm', 'one')
  git('checkout', '-qb', 'two')
  writeAll('two')
  git('commit', '-qam', 'two')
  const watcher = await watching(workspace, { quietMs: 1_000 })
  const seen: SkillChanges[] = []
  watcher.on('changed', changes => seen.push(changes))
  const { changed } = await after(watcher, () => git('checkout', '-q', 'one'))
  expect([changed.length, seen.length]).toEqual([200, 1])
  // What came late would come before this.
  await after(watcher, () => workspace.write(skill, skillText('a')))
  expect(seen.map(({ added, changed: each }) => [added.length, each.length])).toEqual([
    [0, 200],
    [1, 0],
  ])
}, 180_000)

test('close() leaves no handle and is silent', async () => {
  const workspace = createWorkspace({ [skill]: skillText('a') })
  const count = (): number => process.getActiveResourcesInfo().filter(name => /FSEvent|FSReq|StatWatcher/.test(name)).length
  // Those of the test before close in their own time.
  await vi.waitUntil(() => count() === 0, { timeout: 30_000 })
  const watcher = await watching(workspace)
  expect(count()).toBeGreaterThan(0)
  let told = 0
  watcher.on('changed', () => told++)
  workspace.write(skill, skillText('a', 'description: other'))
  await watcher.close()
  await watcher.close()
  writeFileSync(join(workspace.root, skill), skillText('a', 'description: third'))
  await vi.waitUntil(() => count() === 0, { timeout: 30_000 })
  expect(told).toBe(0)
})

test.each([
  // path below the project, is a file, watched
  ['', false, true],
  ['.claude', false, true],
  ['.claude/skills', false, true],
  ['.claude/skills/a', false, true],
  ['.claude/skills/a/SKILL.md', true, true],
  ['.claude/skills/a/Skill.MD', true, true],
  ['.claude/skills/a/notes.md', true, false],
  ['.claude/skills/a/scripts', false, false],
  ['.claude/skills/a/scripts/SKILL.md', true, false],
  ['.claude/commands/x/y/z.md', true, true],
  ['.claude/commands/x/y/z.txt', true, false],
  ['.claude/commands/node_modules/z.md', true, false],
  ['.claude/agents/a.md', true, true],
  ['.claude/agents/x/a.md', true, false],
  ['.claude/settings.json', true, false],
  ['.claude/cache', false, false],
  ['.git', false, false],
  ['src', false, false],
  ['node_modules', false, false],
  ['../other', false, false],
])('watchedPlaces() of %j, a file: %j, watched: %j', (path, isFile, isWatched) => {
  const places = watchedPlaces({ workspace: '/w/project', home: '/h', plugins: [], disableAgentSkillsDirectory: false })
  expect(places.isWatched(join('/w/project', path), isFile)).toBe(isWatched)
})
