import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorkspace, skillText, type Workspace } from './workspace.ts'

async function listOf(workspace: Workspace, ...plugins: string[]) {
  const { skills, agents, diagnostics } = await workspace.catalog({ plugins: plugins.map(plugin => join(workspace.root, plugin)) }).list()
  return { ids: skills.map(skill => skill.id), agents: agents.map(agent => agent.id), codes: diagnostics.map(({ code }) => code) }
}

describe('findInPlugins()', () => {
  const skill = skillText('tool')
  test.each([
    // what, manifest, file, ids
    ['default folder', '{"name":"plug"}', 'skills/tool/SKILL.md', ['plug:tool']],
    ['skills as text', '{"name":"plug","skills":"./own"}', 'own/tool/SKILL.md', ['plug:tool']],
    ['without ./', '{"name":"plug","skills":"own"}', 'own/tool/SKILL.md', ['plug:tool']],
    ['skillsPath', '{"name":"plug","skillsPath":"own"}', 'own/tool/SKILL.md', ['plug:tool']],
    ['skillsPaths', '{"name":"plug","skillsPaths":["x","own/"]}', 'own/tool/SKILL.md', ['plug:tool']],
    ['a single skill folder', '{"name":"plug","skills":["./own/tool"]}', 'own/tool/SKILL.md', ['plug:tool']],
    ['a SKILL.md', '{"name":"plug","skills":["own/tool/SKILL.md"]}', 'own/tool/SKILL.md', ['plug:tool']],
    ['a root SKILL.md', '{"name":"plug"}', 'SKILL.md', ['plug:tool']],
    ['the root as entry', '{"name":"plug","skills":"./"}', 'SKILL.md', ['plug:tool']],
    ['a variable in the path', '{"name":"plug","skills":"${CLAUDE_PLUGIN_ROOT}/own"}', 'own/tool/SKILL.md', ['plug:tool']],
  ])('takes %s', async (_, manifest, file, ids) => {
    const workspace = createWorkspace({ 'plug/.claude-plugin/plugin.json': manifest, [`plug/${file}`]: skill })
    expect((await listOf(workspace, 'plug')).ids).toEqual(ids)
  })

  test('takes the name of the folder without a manifest, and the other manifest', async () => {
    const workspace = createWorkspace({
      'my-plug/skills/tool/SKILL.md': skill,
      'two/.wave-plugin/plugin.json': '{"name":"wave"}',
      'two/skills/tool/SKILL.md': skill,
    })
    expect((await listOf(workspace, 'my-plug', 'two')).ids).toEqual(['my-plug:tool', 'wave:tool'])
  })

  test('gives commands and agents with its name, below its skills', async () => {
    const workspace = createWorkspace({
      'plug/.claude-plugin/plugin.json': '{"name":"plug","commands":"./more.md"}',
      'plug/commands/tool.md': 'c',
      'plug/commands/sub/x.md': 'c',
      'plug/more.md': 'c',
      'plug/agents/a.md': skillText('a'),
      'plug/skills/tool/SKILL.md': skill,
    })
    const { ids, agents } = await listOf(workspace, 'plug')
    expect([[...new Set(ids)], agents]).toEqual([['plug:more', 'plug:sub:x', 'plug:tool'], ['plug:a']])
    expect((await workspace.catalog({ plugins: [join(workspace.root, 'plug')] }).find('plug:tool')).kind).toBe('skill')
  })

  test('fills the plugin root in rules, and load() does the same', async () => {
    const workspace = createWorkspace({
      'plug/.claude-plugin/plugin.json': '{"name":"plug"}',
      'plug/skills/tool/SKILL.md': skillText('tool', 'allowed-tools: Bash(${CLAUDE_PLUGIN_ROOT}/x)'),
    })
    const catalog = workspace.catalog({ plugins: [join(workspace.root, 'plug')] })
    const found = await catalog.find('plug:tool')
    const loaded = await catalog.load(found)
    for (const { allowedTools, pluginRoot } of [found, loaded.skill]) {
      expect([allowedTools[0]?.pieces, pluginRoot]).toEqual([
        ['Bash(', { literal: join(workspace.root, 'plug') }, '/x)'],
        join(workspace.root, 'plug'),
      ])
    }
    expect(loaded.skill.id).toBe('plug:tool')
  })

  test('finds the skills below an entry that is a skill itself, or says what to write', async () => {
    const workspace = createWorkspace({
      'root/.claude-plugin/plugin.json': '{"name":"root","skills":"."}',
      'root/SKILL.md': skillText('whole'),
      'root/one/SKILL.md': skillText('one'),
      'plug/.claude-plugin/plugin.json': '{"name":"plug","skills":["./own","./two"]}',
      'plug/own/SKILL.md': skillText('own'),
      'plug/own/example/SKILL.md': skillText('example'),
      'plug/own/notes/read.md': 'r',
      'plug/two/SKILL.md': skillText('two'),
      'plug/two/named/SKILL.md': skillText('named'),
      'none/SKILL.md': skillText('alone'),
      'none/deep/SKILL.md': skillText('deep'),
    })
    const of = async (plugin: string) => {
      const catalog = workspace.catalog({ plugins: [join(workspace.root, plugin)] })
      const { skills, diagnostics } = await catalog.list()
      return [skills.map(({ id }) => id), diagnostics.map(({ code, message }) => `${code} ${message}`)]
    }
    expect(await of('root')).toEqual([['root:one', 'root:whole'], []])
    expect(await of('plug')).toEqual([
      ['plug:own', 'plug:two'],
      [expect.stringMatching(/^PLUGIN_NESTED .*"\.\/own\/example" in "skills"/), expect.stringMatching(/"\.\/two\/named" in "skills"/)],
    ])
    expect(await of('none')).toEqual([['none:alone'], [expect.stringMatching(/^PLUGIN_NESTED .*"\.\/deep" in "skills"/)]])
    workspace.write('plug/.claude-plugin/plugin.json', '{"name":"plug","skills":["./own","./two","./two/named"]}')
    expect(await of('plug')).toEqual([['plug:named', 'plug:own', 'plug:two'], [expect.stringContaining('./own/example')]])
  })

  test.each([
    ['skillsPath', '/etc'],
    ['commands', '../outside'],
    ['agents', '/etc'],
    ['skills', './missing'],
  ])('names the manifest and the key of a path that it refuses: "%s": "%s"', async (key, path) => {
    const workspace = createWorkspace({
      'plug/.claude-plugin/plugin.json': JSON.stringify({ name: 'plug', [key]: path }),
      'outside/x.md': 'x',
    })
    const { diagnostics } = await workspace.catalog({ plugins: [join(workspace.root, 'plug')] }).list()
    const manifest = join(workspace.root, 'plug/.claude-plugin/plugin.json')
    expect(diagnostics).toEqual([expect.objectContaining({ path: manifest, message: expect.stringContaining(`"${key}" of ${manifest}`) })])
    expect(diagnostics[0]?.message).toContain(path.replace(/^\.*\//, ''))
  })

  test('refuses a second one of the name, and counts the same one once', async () => {
    const workspace = createWorkspace({
      'a/.claude-plugin/plugin.json': '{"name":"plug"}',
      'a/skills/x/SKILL.md': skillText('x'),
      'b/.claude-plugin/plugin.json': '{"name":"plug"}',
      'b/skills/y/SKILL.md': skillText('y'),
    })
    workspace.link('c', 'a')
    expect(await listOf(workspace, 'a', 'a', 'c', 'b')).toEqual({ ids: ['plug:x'], agents: [], codes: ['PLUGIN_DUPLICATE'] })
  })

  test.each([
    ['{"name":"mcp__x"}', 'PLUGIN_INVALID'],
    ['{"name":"Bad Name"}', 'PLUGIN_INVALID'],
    ['{"name":"a:b"}', 'PLUGIN_INVALID'],
    ['{"name":7}', 'PLUGIN_INVALID'],
    ['{', 'PLUGIN_INVALID'],
    ['[]', 'PLUGIN_INVALID'],
    ['{"name":"plug","skills":7}', 'PLUGIN_MANIFEST'],
    ['{"name":"plug","commands":["",{}]}', 'PLUGIN_MANIFEST'],
    ['{"name":"plug","skills":"./missing"}', 'PLUGIN_PATH'],
    ['{"name":"plug","skills":"../outside"}', 'PLUGIN_OUTSIDE'],
    ['{"name":"plug","agents":"/etc"}', 'PLUGIN_OUTSIDE'],
  ])('tells of the manifest %j', async (manifest, code) => {
    const workspace = createWorkspace({
      'plug/.claude-plugin/plugin.json': manifest,
      'outside/x/SKILL.md': skillText('x'),
      'ok/skills/y/SKILL.md': skillText('y'),
    })
    const { ids, codes } = await listOf(workspace, 'plug', 'ok')
    expect([ids, new Set(codes)]).toEqual([['ok:y'], new Set([code])])
  })

  test('nothing outside of it belongs to it, by real path', async () => {
    const workspace = createWorkspace({
      'plug/.claude-plugin/plugin.json': '{"name":"plug"}',
      'plug/skills/in/SKILL.md': skillText('in'),
      'secret/SKILL.md': skillText('secret'),
      'secret/c.md': 'c',
    })
    workspace.link('plug/skills/out', join(workspace.root, 'secret'))
    workspace.link('plug/skills/file/SKILL.md', join(workspace.root, 'secret/SKILL.md'))
    workspace.link('plug/commands', join(workspace.root, 'secret'))
    const { ids, codes } = await listOf(workspace, 'plug')
    expect([ids, codes.sort()]).toEqual([['plug:in'], ['PLUGIN_OUTSIDE', 'SKILL_UNREADABLE', 'SKILL_UNREADABLE']])
  })

  test('a plugin that is missing, or added to, is seen', async () => {
    const workspace = createWorkspace({ 'plug/.claude-plugin/plugin.json': '{"name":"plug"}' })
    const catalog = workspace.catalog({ plugins: [join(workspace.root, 'plug'), join(workspace.root, 'none')] })
    expect((await catalog.list()).diagnostics.map(({ code }) => code)).toEqual(['PLUGIN_INVALID'])
    workspace.write('plug/skills/a/SKILL.md', skillText('a'))
    workspace.write('none/skills/b/SKILL.md', skillText('b'))
    expect((await catalog.list()).skills.map(({ id }) => id)).toEqual(['none:b', 'plug:a'])
  })
})
