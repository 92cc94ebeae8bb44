import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Activation, createActivation } from '../../src/skills/activation.ts'
import { createSessionCatalog } from '../../src/skills/session-catalog.ts'
import { createWorkspace, limits, skillText, type Workspace } from './workspace.ts'

function activationOf(workspace: Workspace, disableAgentSkillsDirectory = false): Activation {
  return createActivation({ workspace: workspace.project, disableAgentSkillsDirectory })
}

describe('isActive()', () => {
  const rust = { paths: ['*.rs'], realPath: '/s/rust' }

  test.each([
    // touched, active
    ['main.rs', true],
    ['src/deep/main.rs', true],
    ['./src/../main.rs', true],
    ['not/there/yet.rs', true],
    ['main.ts', false],
    ['../outside.rs', false],
    ['/etc/x.rs', false],
    ['.', false],
  ])('after %j: %j', (path, isActive) => {
    const activation = activationOf(createWorkspace())
    expect(activation.isActive(rust)).toBe(false)
    activation.touch(path)
    expect(activation.isActive(rust)).toBe(isActive)
    expect(activation.isActive({ paths: [], realPath: '/s/any' })).toBe(true)
  })

  test('counts what was touched before the skill came, and stays', () => {
    const activation = activationOf(createWorkspace())
    expect([activation.touch('a.rs'), activation.touch('a.rs'), activation.touch('/etc/passwd')]).toEqual([true, false, false])
    expect(activation.isActive(rust)).toBe(true)
    for (let index = 0; index < 10_001; index++) activation.touch(`f${index}`)
    expect(activation.isActive(rust)).toBe(true)
  })

  test('is apart for each session, and for other patterns of the same skill', () => {
    const workspace = createWorkspace()
    const [one, two] = [activationOf(workspace), activationOf(workspace)]
    one.touch('a.rs')
    expect([one.isActive(rust), two.isActive(rust), one.isActive({ ...rust, paths: ['*.go'] })]).toEqual([true, false, false])
  })

  test('goes by the real path of what was touched', () => {
    const workspace = createWorkspace({ 'project/src/a.rs': '', 'elsewhere/b.go': '' })
    workspace.link('project/link', 'src')
    workspace.link('project/out', join(workspace.root, 'elsewhere'))
    const activation = activationOf(workspace)
    activation.touch(join(workspace.project, 'link/a.rs'))
    activation.touch('out/b.go')
    expect(activation.isActive({ paths: ['src/*.rs'], realPath: '/1' })).toBe(true)
    expect(activation.isActive({ paths: ['*.go'], realPath: '/2' })).toBe(false)
  })

  test('tells of patterns that cannot be used, once', () => {
    const activation = activationOf(createWorkspace())
    for (let count = 0; count < 2; count++) activation.isActive({ paths: ['../x'], realPath: '/s' })
    expect(activation.diagnostics.map(({ code }) => code)).toEqual(['PATHS_INVALID'])
  })
})

describe('nested folders', () => {
  const namesOf = ({ nested }: Activation): string[] => nested.flatMap(each => each.homes.map(home => `${each.name} ${home}`))

  test('are those between a touched file and the workspace, of all four homes', () => {
    const workspace = createWorkspace({
      'project/.claude/skills/root/SKILL.md': skillText('root'),
      'project/a/.claude/skills/x/SKILL.md': skillText('x'),
      'project/a/.agents/skills/x/SKILL.md': skillText('x'),
      'project/a/b/.wave/skills/x/SKILL.md': skillText('x'),
      'project/a/b/.skillcell/skills/x/SKILL.md': skillText('x'),
      'project/other/.claude/skills/x/SKILL.md': skillText('x'),
    })
    const activation = activationOf(workspace)
    expect(namesOf(activation)).toEqual([])
    activation.touch('a/b/c/file.ts')
    expect(namesOf(activation)).toEqual(['a/b .skillcell', 'a/b .wave', 'a .claude', 'a .agents'])
    const without = activationOf(workspace, true)
    without.touch('a/file.ts')
    expect(namesOf(without)).toEqual(['a .claude'])
  })

  test.each([
    ['node_modules/p/file.ts', 'node_modules/p'],
    ['a/.git/x/file', 'a/.git/x'],
    ['build/x/file.ts', 'build/x'],
    ['pkg/out/file.ts', 'pkg/out'],
    ['above/file.ts', 'above'],
    ['secret/file.ts', 'secret'],
    ['hidden/file.ts', 'hidden'],
  ])('%j wakes nothing: git ignores it, or nobody walks there', (file, folder) => {
    const workspace = createWorkspace({
      '.git/HEAD': '',
      '.git/info/exclude': 'secret\n',
      '.gitignore': '/project/above/\n',
      'project/.gitignore': 'build/\n!kept\n',
      'project/pkg/.gitignore': 'out\n',
      'project/hidden/.gitignore': '.claude\n',
      [`project/${folder}/.claude/skills/x/SKILL.md`]: skillText('x'),
    })
    const activation = activationOf(workspace)
    activation.touch(file)
    expect(namesOf(activation)).toEqual([])
  })

  test('come back by a rule further down, but not out of an ignored folder', () => {
    const workspace = createWorkspace({
      'project/.gitignore': 'gen*\n/build/\n',
      'project/pkg/.gitignore': '!generated\n',
      'project/pkg/generated/.claude/skills/x/SKILL.md': skillText('x'),
      'project/build/.gitignore': '!x\n',
      'project/build/x/.claude/skills/x/SKILL.md': skillText('x'),
    })
    const activation = activationOf(workspace)
    activation.touch('pkg/generated/a.ts')
    activation.touch('build/x/a.ts')
    expect(namesOf(activation)).toEqual(['pkg/generated .claude'])
  })

  test('refuse a link that leads out, with a diagnostic, once', () => {
    const workspace = createWorkspace({ 'elsewhere/x/SKILL.md': skillText('x') })
    mkdirSync(join(workspace.project, 'a/.claude'), { recursive: true })
    workspace.link('project/a/.claude/skills', join(workspace.root, 'elsewhere'))
    const activation = activationOf(workspace)
    activation.touch('a/1.ts')
    activation.touch('a/2.ts')
    expect([namesOf(activation), activation.diagnostics.map(({ code }) => code)]).toEqual([[], ['NESTED_OUTSIDE']])
  })

  test('are bounded in number and depth', () => {
    const files = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`project/d${index}/.claude/skills/x/SKILL.md`, '']))
    const deep = Array(65).fill('e').join('/')
    const workspace = createWorkspace({ ...files, [`project/${deep}/.claude/skills/x/SKILL.md`]: '' })
    const activation = activationOf(workspace)
    for (let index = 0; index < 257; index++) activation.touch(`d${index}/f`)
    activation.touch(`${deep}/f`)
    expect([activation.nested.length, activation.diagnostics.map(({ code }) => code)]).toEqual([256, ['NESTED_LIMIT']])
  })
})

describe('createSessionCatalog()', () => {
  function sessionOf(workspace: Workspace) {
    const options = {
      workspace: workspace.project,
      home: workspace.home,
      plugins: [],
      precedence: ['project', 'user'] as const,
      disableAgentSkillsDirectory: false,
      limits,
    }
    const activation = activationOf(workspace)
    return { activation, catalog: createSessionCatalog(workspace.catalog(options), options, activation) }
  }
  const idsOf = async (catalog: ReturnType<typeof sessionOf>['catalog']): Promise<string[]> =>
    (await catalog.list()).skills.map(({ id }) => id)

  test('adds what a file wakes, under its own name or as dir:name', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/deploy/SKILL.md': skillText('deploy', 'description: root'),
      'project/apps/web/.claude/skills/deploy/SKILL.md': skillText('deploy', 'description: web', 'Web\n'),
      'project/apps/web/.claude/skills/style/SKILL.md': skillText('style'),
      'project/apps/api/.claude/skills/style/SKILL.md': skillText('style'),
      'project/apps/api/.agents/skills/style/SKILL.md': skillText('style', 'description: lower'),
    })
    const { catalog, activation } = sessionOf(workspace)
    expect(await idsOf(catalog)).toEqual(['deploy'])
    await expect(catalog.find('style')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
    activation.touch('apps/web/src/a.ts')
    expect(await idsOf(catalog)).toEqual(['apps/web:deploy', 'deploy', 'style'])
    activation.touch('apps/api/a.ts')
    expect(await idsOf(catalog)).toEqual(['apps/api:style', 'apps/web:deploy', 'deploy', 'style'])
    expect((await catalog.find('deploy')).description).toBe('root')
    const loaded = await catalog.load(await catalog.find('apps/web:deploy'))
    expect([loaded.skill.id, loaded.body]).toEqual(['apps/web:deploy', 'Web\n'])
  })

  test('sees edits and removals', async () => {
    const workspace = createWorkspace({ 'project/a/.claude/skills/x/SKILL.md': skillText('x') })
    const { catalog, activation } = sessionOf(workspace)
    activation.touch('a/f')
    expect(await idsOf(catalog)).toEqual(['x'])
    workspace.write('project/a/.claude/skills/x/SKILL.md', skillText('x', 'description: edited'))
    expect((await catalog.find('x')).description).toBe('edited')
    workspace.write('project/a/.claude/skills/x/SKILL.md', '---\n- broken\n---\n')
    const { skills, diagnostics } = await catalog.list()
    expect([skills.map(({ id }) => id), diagnostics.length]).toEqual([[], 1])
  })

  test('finds by alias, counts a linked one once, and follows no link out', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/x/SKILL.md': skillText('x'),
      'project/a/.claude/skills/folder/SKILL.md': skillText('named'),
      'elsewhere/y/SKILL.md': skillText('y'),
    })
    workspace.link('project/a/.claude/skills/again', join(workspace.project, '.claude/skills/x'))
    workspace.link('project/a/.claude/skills/y', join(workspace.root, 'elsewhere/y'))
    const { catalog, activation } = sessionOf(workspace)
    activation.touch('a/f')
    const { skills, diagnostics } = await catalog.list()
    expect([skills.map(({ id }) => id), diagnostics.map(({ code }) => code)]).toEqual([['named', 'x'], ['SKILL_UNREADABLE']])
    expect((await catalog.find('folder')).id).toBe('named')
  })

  test.skipIf(process.getuid?.() === 0)('tells of a folder that cannot be read', async () => {
    const workspace = createWorkspace({ 'project/a/.claude/skills/x/SKILL.md': skillText('x') })
    chmodSync(join(workspace.project, 'a/.claude'), 0)
    const { catalog, activation } = sessionOf(workspace)
    activation.touch('a/f')
    expect((await catalog.list()).diagnostics.map(({ code }) => code)).toEqual(['PATH_UNREADABLE'])
    chmodSync(join(workspace.project, 'a/.claude'), 0o700)
  })
})
