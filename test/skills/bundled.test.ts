import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseOptions } from '../../src/options.ts'
import { packageRoot } from '../../src/package-root.ts'
import { bundledFrom, ownSkills } from '../../src/skills/bundled.ts'
import { validatePaths } from '../../src/skills/validate.ts'
import type { BundledSkill } from '../../src/source-options.ts'
import { createWorkspace, limits, skillText } from './workspace.ts'

const names = ['batch', 'claude-api', 'debug', 'doctor', 'simplify', 'skillify', 'stuck', 'verify']

describe('ownSkills()', () => {
  test('lists what lies in src/bundled, and all of it is sound', async () => {
    const folders = ownSkills().map(each => ('folder' in each ? each.folder : ''))
    expect(folders).toEqual(names.map(name => join(packageRoot, 'src', 'bundled', name)))
    const workspace = createWorkspace()
    const nothing = (): never[] => []
    const report = await validatePaths(folders, {
      strict: true,
      checkRule: () => undefined,
      checkHooks: () => ({ isWhole: true, problems: [] }),
      checkBody: nothing,
      limits,
      workspace: workspace.project,
    })
    expect(report.skills.filter(({ ok }) => !ok)).toEqual([])
  })

  test('grants no command beyond skillcell itself', async () => {
    const { skills } = await createWorkspace().catalog({ bundled: ownSkills() }).list()
    const rules = skills.flatMap(skill => skill.allowedTools.map(rule => rule.text)).filter(rule => rule.startsWith('Bash'))
    expect(rules.filter(rule => !rule.startsWith('Bash(skillcell '))).toEqual([])
  })

  test.each([
    ['package.json', '{"dependencies":{"@anthropic-ai/sdk":"1"}}', true],
    ['package.json', '{"dependencies":{"@anthropic-aix/sdk":"1"}}', false],
    ['requirements.txt', 'requests\nanthropic>=0.50\n', true],
    ['requirements.txt', 'anthropic-tools\n', false],
    ['pyproject.toml', 'dependencies = ["anthropic~=0.5"]', true],
    ['go.mod', 'require github.com/anthropics/anthropic-sdk-go v1', true],
    ['Gemfile', 'gem "anthropic"', true],
  ])('shows claude-api beside a %s of %j: %j', async (file, text, isShown) => {
    const workspace = createWorkspace({ [`project/${file}`]: text })
    const { skills } = await workspace.catalog({ bundled: ownSkills() }).list()
    expect(skills.map(({ id }) => id)).toEqual(isShown ? names : names.filter(name => name !== 'claude-api'))
    expect(new Set(skills.map(({ source }) => source))).toEqual(new Set(['bundled']))
  })

  test('sees a dependency that comes later', async () => {
    const workspace = createWorkspace()
    const catalog = workspace.catalog({ bundled: ownSkills() })
    expect((await catalog.list()).skills).toHaveLength(7)
    workspace.write('project/package.json', '{"dependencies":{"@anthropic-ai/sdk":"1"}}')
    expect((await catalog.list()).skills).toHaveLength(8)
  })
})

describe('findBundled()', () => {
  const text = { name: 'greet', content: '---\ndescription: Greets.\n---\nHello $1\n' }

  test('reads a text: no folder of its own, the same hash at each load', async () => {
    const catalog = createWorkspace().catalog({ bundled: [text] })
    const skill = await catalog.find('greet')
    expect([skill.source, skill.kind, skill.path, skill.description]).toEqual(['bundled', 'command', 'bundled:greet', 'Greets.'])
    const loaded = await catalog.load(skill)
    expect([loaded.body, loaded.bodyLine]).toEqual(['Hello $1\n', 4])
    expect(loaded.contentHash).toBe((await catalog.load(skill)).contentHash)
  })

  test('takes a folder of one skill and a folder of several', async () => {
    const workspace = createWorkspace({
      'one/SKILL.md': skillText('one'),
      'more/a/SKILL.md': skillText('a'),
      'more/b/SKILL.md': skillText('b'),
    })
    const bundled = bundledFrom([join(workspace.root, 'one'), { folder: join(workspace.root, 'more') }])
    const { skills, diagnostics } = await workspace.catalog({ bundled }).list()
    expect([skills.map(({ id }) => id), diagnostics]).toEqual([['a', 'b', 'one'], []])
  })

  test('lets a skill of any other source take the name, and keeps it as shadowed', async () => {
    const workspace = createWorkspace({ 'home/.agents/skills/greet/SKILL.md': skillText('greet') })
    const { skills } = await workspace.catalog({ bundled: [text] }).list()
    expect(skills.map(({ source, shadowedBy }) => [source, shadowedBy !== undefined])).toEqual([
      ['user', false],
      ['bundled', true],
    ])
  })

  test('tells of what cannot be used, and loads the rest', async () => {
    const workspace = createWorkspace({ 'file.txt': 'x' })
    const fails = (): boolean => {
      throw new Error('no such thing')
    }
    const bundled: BundledSkill[] = [
      { folder: join(workspace.root, 'none') },
      { folder: join(workspace.root, 'file.txt') },
      { ...text, name: 'odd', isEnabled: fails },
      text,
      { ...text, content: 'Again' },
      { name: 'broken', content: '---\n- a\n---\nx' },
    ]
    const catalog = workspace.catalog({ bundled })
    const { skills, diagnostics } = await catalog.list()
    expect(skills.map(({ id }) => id)).toEqual(['greet'])
    expect(diagnostics.map(({ code }) => code).sort()).toEqual([...Array(4).fill('BUNDLED_INVALID'), diagnostics.at(-1)?.code].sort())
    expect(diagnostics).toHaveLength(5)
    await expect(catalog.find('broken')).rejects.toMatchObject({ code: 'SKILL_INVALID' })
  })

  test('asks the condition at every look', async () => {
    let enabled = false
    const catalog = createWorkspace().catalog({ bundled: [{ ...text, isEnabled: () => enabled }] })
    expect((await catalog.list()).skills).toEqual([])
    enabled = true
    expect((await catalog.list()).skills.map(({ id }) => id)).toEqual(['greet'])
  })

  test('refuses a text over the limit by name and size, one at it loads', async () => {
    const bundled = [
      { name: 'at', content: 'x'.repeat(limits.maxSkillBytes) },
      { name: 'over', content: 'x'.repeat(limits.maxSkillBytes + 1) },
    ]
    const { skills, diagnostics } = await createWorkspace().catalog({ bundled }).list()
    expect(skills.map(({ id }) => id)).toEqual(['at'])
    expect(diagnostics.filter(({ path }) => path === 'bundled:over').map(({ message }) => message)).toEqual([
      expect.stringContaining('1048577 bytes'),
    ])
  })
})

test('parseOptions() takes bundled skills and servers, and refuses what is neither', () => {
  const bundledSkills = ['/a', { folder: '/b' }, { name: 'c', content: 'd', isEnabled: () => true }]
  expect(parseOptions({ bundledSkills }).bundledSkills).toEqual(bundledSkills)
  expect(() => parseOptions({ bundledSkills: [{ name: 'c' }] })).toThrow(/bundledSkills/)
  const mcpServers = { docs: { command: 'x', args: ['y'], env: { A: 'b' } }, 'a.b_c': { url: 'http://127.0.0.1/mcp', headers: { B: 'c' } } }
  expect(parseOptions({ mcpServers }).mcpServers).toEqual(mcpServers)
  for (const wrong of [
    { a__b: { command: 'x' } },
    { '-a': { command: 'x' } },
    { a_: { command: 'x' } },
    { a: {} },
    { a: { url: 'file:///x' } },
    { a: { command: 'x', url: 'http://x' } },
  ])
    expect(() => parseOptions({ mcpServers: wrong })).toThrow(/mcpServers/)
})
