import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorkspace, skillText } from './workspace.ts'

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'none',
    (error: { code?: unknown }) => error.code,
  )
}

describe('precedence', () => {
  const homes = ['.skillcell', '.wave', '.claude', '.agents']
  const places = ['managed', 'project', 'home'].flatMap(base => homes.map(home => `${base}/${home}/skills/dup/SKILL.md`))

  test('goes by source, then by home: each place wins over all below it', async () => {
    const workspace = createWorkspace(Object.fromEntries(places.map(place => [place, skillText('dup', `description: ${place}`)])))
    for (const [index, place] of places.entries()) {
      const { skills } = await workspace.catalog({ managedDir: join(workspace.root, 'managed') }).list()
      expect(skills.length).toBe(places.length - index)
      expect(skills[0]?.description).toBe(place)
      expect(skills.slice(1).every(skill => skill.shadowedBy === join(workspace.root, place))).toBe(true)
      rmSync(join(workspace.root, place))
    }
  })

  test('is an option, and a source that it leaves out comes last', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/SKILL.md': skillText('a', 'description: project'),
      'home/.claude/skills/a/SKILL.md': skillText('a', 'description: user'),
    })
    for (const [precedence, first] of [
      [['user', 'project'], 'user'],
      [['project', 'user'], 'project'],
      [['user'], 'user'],
    ] as const) {
      expect((await workspace.catalog({ precedence }).find('a')).description).toBe(first)
    }
  })

  test('a skill beats a command of its name, but not one of a higher source', async () => {
    const workspace = createWorkspace({
      'project/.skillcell/commands/a.md': 'command',
      'project/.agents/skills/a/SKILL.md': skillText('a'),
      'project/.claude/commands/b.md': 'command',
      'home/.claude/skills/b/SKILL.md': skillText('b'),
    })
    expect([(await workspace.catalog().find('a')).kind, (await workspace.catalog().find('b')).kind]).toEqual(['skill', 'command'])
  })

  test('within a root the folder of the name wins, and the other is told', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/SKILL.md': skillText('same', 'description: first'),
      'project/.claude/skills/same/SKILL.md': skillText('same', 'description: second'),
    })
    const { skills, diagnostics } = await workspace.catalog().list()
    expect(skills.map(skill => [skill.description, skill.shadowedBy === undefined])).toEqual([
      ['second', true],
      ['first', false],
    ])
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'SKILL_SHADOWED', path: skills[1]?.path }))
  })
})

describe('names', () => {
  test('id before alias, alias only where free', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/alpha/SKILL.md': skillText('beta-x', 'description: a'),
      'project/.claude/skills/beta/SKILL.md': skillText('alpha', 'description: b'),
    })
    const catalog = workspace.catalog()
    const found = await Promise.all(['alpha', 'beta-x', 'beta'].map(name => catalog.find(name)))
    expect(found.map(skill => skill.description)).toEqual(['b', 'a', 'b'])
    expect(found.map(skill => skill.aliases)).toEqual([['beta'], [], ['beta']])
  })

  test.each([
    // folder, name, id, diagnostic
    ['demo', 'demo', 'demo', undefined],
    ['demo', 'Nice Name', 'demo', 'NAME_INVALID'],
    ['demo', 'plug:tool', 'demo', 'NAME_INVALID'],
    ['demo', '../../evil', 'demo', 'NAME_INVALID'],
    ['code_x', 'code_x', 'code_x', 'NAME_INVALID'],
    ['Bad-Name', 'Bad-Name', 'Bad-Name', 'NAME_INVALID'],
    ['技能', '技能', '技能', 'NAME_INVALID'],
    ['a'.repeat(64), 'a'.repeat(64), 'a'.repeat(64), undefined],
    ['a'.repeat(65), 'a'.repeat(65), 'a'.repeat(65), 'NAME_INVALID'],
    ['my skill!', 'also bad!', 'my-skill', 'NAME_SLUGGED'],
    ['mcp__a__b', 'mcp__a__b', 'mcp-a-b', 'NAME_SLUGGED'],
  ])('folder %j, name %j: %j', async (folder, name, id, code) => {
    const workspace = createWorkspace({ [`project/.claude/skills/${folder}/SKILL.md`]: skillText(JSON.stringify(name)) })
    const { skills, diagnostics } = await workspace.catalog().list()
    expect(skills.map(skill => [skill.id, skill.displayName])).toEqual([[id, name]])
    expect(diagnostics.map(diagnostic => diagnostic.code)).toEqual(code === undefined ? [] : expect.arrayContaining([code]))
  })

  test('names of the object prototype are found only where there is one', async () => {
    const workspace = createWorkspace({ 'project/.claude/skills/constructor/SKILL.md': skillText('constructor') })
    expect(await codeOf(workspace.catalog().find('__proto__'))).toBe('SKILL_NOT_FOUND')
    expect(await codeOf(workspace.catalog().find('toString'))).toBe('SKILL_NOT_FOUND')
    expect((await workspace.catalog().find('constructor')).id).toBe('constructor')
  })

  test('an unknown one lists near names', async () => {
    const workspace = createWorkspace({ 'project/.claude/skills/review/SKILL.md': skillText('review') })
    await expect(workspace.catalog().find('reveiw')).rejects.toThrow(/^Unknown skill: reveiw; near names: review\. Looked for/)
  })

  test('commands have the path as name, agents stand apart', async () => {
    const workspace = createWorkspace({
      'project/.claude/commands/a/b/c.md': 'Text of c',
      'project/.claude/commands/node_modules/x.md': 'x',
      'project/.claude/agents/helper.md': skillText('helper'),
      'project/.claude/agents/deep/no.md': 'x',
    })
    const { skills, agents } = await workspace.catalog().list()
    expect([skills.map(({ id, description }) => [id, description]), agents.map(({ id }) => id)]).toEqual([
      [['a:b:c', 'Text of c']],
      ['helper'],
    ])
    expect(await codeOf(workspace.catalog().find('helper'))).toBe('SKILL_NOT_FOUND')
  })
})
