import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../src/skills/catalog.ts'
import { createWorkspace, skillText } from './workspace.ts'

async function idsOf(catalog: Catalog): Promise<readonly string[]> {
  return (await catalog.list()).skills.filter(skill => skill.shadowedBy === undefined).map(skill => skill.id)
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'none',
    (error: { code?: unknown }) => error.code,
  )
}

describe('one bad neighbour of each kind', () => {
  test('is told, and the rest loads: count in is count out', async () => {
    const skills = 'project/.claude/skills'
    const workspace = createWorkspace({
      [`${skills}/ok/SKILL.md`]: skillText('ok'),
      [`${skills}/any-case/skill.MD`]: skillText('any-case'),
      [`${skills}/list/SKILL.md`]: '---\n- a\n---\nB',
      [`${skills}/open/SKILL.md`]: '---\nname: open\nB',
      [`${skills}/bytes/SKILL.md`]: Buffer.from('LS0tCv/+AIA=', 'base64'),
      [`${skills}/nul/SKILL.md`]: '---\nname: nul\0\n---\n',
      [`${skills}/large/SKILL.md`]: skillText('large', 'description: d', 'x'.repeat(1024 * 1024)),
      [`${skills}/block/SKILL.md`]: skillText('block', `license: "${'x'.repeat(70_000)}"`),
      [`${skills}/folder/SKILL.md/x.txt`]: 'x',
      [`${skills}/no-skill/readme.md`]: 'x',
      [`${skills}/daily.md`]: skillText('daily'),
      [`${skills}/.git/SKILL.md`]: skillText('git'),
      'project/elsewhere/SKILL.md': skillText('linked'),
    })
    workspace.link(`${skills}/linked`, '../../elsewhere')
    workspace.link(`${skills}/same`, 'ok')
    workspace.link(`${skills}/nowhere`, 'missing')
    workspace.link(`${skills}/self`, 'self')
    workspace.link(`${skills}/loop`, '.')
    workspace.link(`${skills}/no-file/SKILL.md`, 'missing.md')
    workspace.link(`${skills}/environ/SKILL.md`, '/proc/self/environ')
    mkdirSync(join(workspace.root, skills, 'pipe'))
    execFileSync('mkfifo', [join(workspace.root, skills, 'pipe', 'SKILL.md')])
    const { skills: listed, diagnostics } = await workspace.catalog().list()
    expect(listed.map(skill => skill.id)).toEqual(['any-case', 'linked', 'ok'])
    const told = (name: string) =>
      diagnostics.filter(({ path }) => path?.startsWith(join(workspace.root, skills, name))).map(({ code }) => code)
    const expected = {
      list: 'FRONTMATTER_UNREADABLE',
      open: 'FRONTMATTER_UNREADABLE',
      block: 'FRONTMATTER_UNREADABLE',
      bytes: 'SKILL_UNREADABLE',
      nul: 'SKILL_UNREADABLE',
      large: 'SKILL_UNREADABLE',
      'folder/SKILL.md': 'SKILL_UNREADABLE',
      pipe: 'SKILL_UNREADABLE',
      environ: 'SKILL_UNREADABLE',
      'no-file': 'SKILL_UNREADABLE',
      nowhere: 'PATH_UNREADABLE',
      self: 'PATH_UNREADABLE',
      loop: 'LINK_LOOP',
      'daily.md': 'SKILL_FLAT_FILE',
    }
    for (const [name, code] of Object.entries(expected)) expect([name, told(name)]).toEqual([name, [code]])
    expect(diagnostics.length).toBe(Object.keys(expected).length)
    const codes = ['list', 'open', 'bytes', 'large', 'folder', 'pipe', 'nowhere', 'no-skill', 'daily']
    expect(await Promise.all(codes.map(name => codeOf(workspace.catalog().find(name))))).toEqual([
      'SKILL_INVALID',
      'SKILL_INVALID',
      'SKILL_UNREADABLE',
      'SKILL_UNREADABLE',
      'SKILL_UNREADABLE',
      'SKILL_UNREADABLE',
      'SKILL_NOT_FOUND',
      'SKILL_NOT_FOUND',
      'SKILL_NOT_FOUND',
    ])
  })

  test.skipIf(process.getuid?.() === 0)('a folder that may not be read', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/SKILL.md': skillText('a'),
      'project/.claude/skills/b/SKILL.md': skillText('b'),
    })
    const folder = join(workspace.project, '.claude/skills/a')
    chmodSync(folder, 0)
    const { skills, diagnostics } = await workspace.catalog().list()
    chmodSync(folder, 0o700)
    expect([skills.map(({ id }) => id), diagnostics.map(({ code }) => code)]).toEqual([['b'], ['SKILL_UNREADABLE']])
  })

  test('sizes: a file and a block at the limit load, one over do not', async () => {
    const limits = { maxSkillBytes: 2000, maxFrontmatterBytes: 1000 }
    const head = (bytes: number) => `---\nname: a\nlicense: ${'x'.repeat(bytes - 18)}\n---\n`
    for (const [text, code] of [
      [head(1000), 'none'],
      [head(1001), 'SKILL_INVALID'],
      [head(900).padEnd(2000, 'x'), 'none'],
      [head(900).padEnd(2001, 'x'), 'SKILL_UNREADABLE'],
    ] as const) {
      const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': text })
      expect([text.length, await codeOf(workspace.catalog({ limits }).find('a'))]).toEqual([text.length, code])
    }
  })
})

describe('reload', () => {
  test('sees what changed, came and went, and forgets nothing else', async () => {
    const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': skillText('a') })
    const catalog = workspace.catalog()
    const first = await catalog.list()
    workspace.write('project/.skillcell/skills/b/SKILL.md', skillText('b'))
    expect(await idsOf(catalog)).toEqual(['a', 'b'])
    workspace.write('project/.claude/skills/a/SKILL.md', skillText('a', 'description: e'))
    expect((await catalog.find('a')).description).toBe('e')
    workspace.write('project/.claude/skills/a/SKILL.md', skillText('a'))
    rmSync(join(workspace.project, '.skillcell'), { recursive: true })
    expect((await catalog.list()).skills).toEqual(first.skills)
  })

  test('sees a change that keeps size and time', async () => {
    const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': skillText('a', 'description: 1') })
    const catalog = workspace.catalog()
    const path = join(workspace.project, '.claude/skills/a/SKILL.md')
    await catalog.list()
    const { atime, mtime } = statSync(path)
    writeFileSync(path, skillText('a', 'description: 2'))
    utimesSync(path, atime, mtime)
    expect((await catalog.find('a')).description).toBe('2')
  })

  test('takes an exact SKILL.md that came after another spelling, and a file where a folder had none', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/skill.md': skillText('a', 'description: old'),
      'project/.claude/skills/b/x.txt': '',
    })
    const catalog = workspace.catalog()
    expect(await idsOf(catalog)).toEqual(['a'])
    workspace.write('project/.claude/skills/a/SKILL.md', skillText('a', 'description: new'))
    workspace.write('project/.claude/skills/b/SKILL.md', skillText('b'))
    expect((await catalog.find('a')).description).toBe('new')
    expect(await idsOf(catalog)).toEqual(['a', 'b'])
  })

  test('an edit that breaks a skill removes it, and one that mends it brings it back', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/SKILL.md': skillText('a'),
      'home/.claude/skills/a/SKILL.md': skillText('a', 'description: user'),
    })
    const catalog = workspace.catalog()
    const before = await catalog.find('a')
    workspace.write('project/.claude/skills/a/SKILL.md', '---\nname: a\n')
    // Not the one below either: a broken file must not change whose skill a name is.
    expect([await idsOf(catalog), await codeOf(catalog.find('a')), await codeOf(catalog.load(before))]).toEqual([
      [],
      'SKILL_INVALID',
      'SKILL_INVALID',
    ])
    workspace.write('project/.claude/skills/a/SKILL.md', skillText('a', 'description: mended'))
    expect((await catalog.find('a')).description).toBe('mended')
  })

  test('load() gives what the file says now', async () => {
    const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': skillText('a') })
    const catalog = workspace.catalog()
    const skill = await catalog.find('a')
    workspace.write(
      'project/.claude/skills/a/SKILL.md',
      skillText('a', 'description: d\r\nallowed-tools: Bash(${CLAUDE_SKILL_DIR}/x *)', 'New\r\nbody\r'),
    )
    const loaded = await catalog.load(skill)
    expect(loaded).toMatchObject({
      body: 'New\nbody\n',
      bodyLine: 6,
      skill: { id: 'a', allowedTools: [{ text: `Bash(${skill.baseDir}/x *)` }] },
    })
    expect(loaded.contentHash).toMatch(/^[0-9a-f]{64}$/)
    rmSync(skill.path)
    expect(await codeOf(catalog.load(skill))).toBe('SKILL_UNREADABLE')
  })

  test('lists the same twice, byte for byte', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`project/.claude/skills/s${(index * 7) % 40}/SKILL.md`, skillText(`n${index % 13}`)]),
    )
    const workspace = createWorkspace(files)
    expect(JSON.stringify(await workspace.catalog().list())).toBe(JSON.stringify(await workspace.catalog().list()))
  })
})

describe('where a file lies', () => {
  test('a folder named * is a literal piece of a grant, and an unfillable rule is dropped at the start', async () => {
    const workspace = createWorkspace({
      'project/.claude/skills/a/SKILL.md': skillText('a', 'description: d\nallowed-tools: Bash(${CLAUDE_PLUGIN_ROOT}/x), Read'),
    })
    const { skills, diagnostics } = await workspace.catalog().list()
    expect([skills[0]?.allowedTools.map(rule => rule.text), diagnostics.map(({ code }) => code)]).toEqual([['Read'], ['RULE_DROPPED']])
  })

  test('confined to its source, a link that leads out is refused', async () => {
    const workspace = createWorkspace({ 'outside/a/SKILL.md': skillText('a'), 'project/in/b/SKILL.md': skillText('b') })
    workspace.link('project/.claude/skills/a', join(workspace.root, 'outside/a'))
    workspace.link('project/.claude/skills/b', join(workspace.root, 'project/in/b'))
    expect(await idsOf(workspace.catalog())).toEqual(['a', 'b'])
    expect(await idsOf(workspace.catalog({ isConfined: true }))).toEqual(['b'])
    expect(await codeOf(workspace.catalog({ isConfined: true }).find('a'))).toBe('SKILL_UNREADABLE')
  })

  test('.agents can be switched off', async () => {
    const workspace = createWorkspace({
      'project/.agents/skills/a/SKILL.md': skillText('a'),
      'home/.agents/skills/b/SKILL.md': skillText('b'),
    })
    expect([await idsOf(workspace.catalog()), await idsOf(workspace.catalog({ disableAgentSkillsDirectory: true }))]).toEqual([
      ['a', 'b'],
      [],
    ])
  })
})

describe('a description', () => {
  test.each([
    ['# Head\n\nFirst\nparagraph.\n\nSecond.', 'First paragraph.'],
    ['<!-- note\nx -->\n\nText', 'Text'],
    ['Title\n=====\n\nText', 'Text'],
    ['```\ncode\n```\nText', 'Text'],
    ['---\n\nText', 'Text'],
    [`${'\n'.repeat(5000)}Far away`, 'Far away'],
    ['', ''],
  ])('that is absent is the first paragraph of %j', async (body, description) => {
    const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': `---\nname: a\n---\n${body}` })
    expect((await workspace.catalog().find('a')).description).toBe(description)
  })

  test('of 1,024 characters is fine, of 1,025 is told', async () => {
    for (const [length, codes] of [
      [1024, []],
      [1025, ['DESCRIPTION_LONG']],
    ] as const) {
      const workspace = createWorkspace({ 'project/.claude/skills/a/SKILL.md': skillText('a', `description: ${'x'.repeat(length)}`) })
      expect((await workspace.catalog().list()).diagnostics.map(({ code }) => code)).toEqual(codes)
    }
  })
})
