import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readHooks } from '../../src/hooks/read-hooks.ts'
import { findLinks } from '../../src/skills/file-links.ts'
import { type ValidateOptions, validatePaths } from '../../src/skills/validate.ts'
import { createWorkspace, limits, skillText, type Workspace } from './workspace.ts'

const checkRule = (): undefined => undefined

function validate(workspace: Workspace, paths: readonly string[], options: Partial<ValidateOptions> = {}) {
  const all = {
    strict: false,
    limits,
    workspace: workspace.project,
    checkRule,
    checkHooks: (hooks: unknown) => readHooks(hooks, { checkRule }),
    checkBody: () => [],
    ...options,
  }
  return validatePaths(
    paths.map(path => join(workspace.root, path)),
    all,
  )
}

async function codesOf(files: Readonly<Record<string, string>>, options: Partial<ValidateOptions> = {}) {
  const workspace = createWorkspace(files)
  const { ok, skills } = await validate(workspace, [''], options)
  return { ok, codes: skills.flatMap(skill => skill.diagnostics.map(({ code }) => code)) }
}

describe('validatePaths()', () => {
  test.each([
    // what is in the file, diagnostics, ok, ok when strict
    [skillText('demo'), [], true, true],
    [skillText('demo', 'description: d\nallowed-tools: Read, Nope'), ['TOOL_UNKNOWN'], true, false],
    [skillText('demo', 'description: d\nshell: fish'), ['FIELD_VALUE'], true, false],
    [skillText('demo', 'description: d\neffort: lots'), ['FIELD_VALUE'], true, false],
    [skillText('demo', 'description: d\neffort: 4096'), [], true, true],
    [skillText('demo', 'description: d\nhooks: {Nope: []}'), ['HOOKS_INVALID'], false, false],
    [skillText('demo', 'description: d\nhooks: nonsense'), ['FIELD_UNREADABLE'], false, false],
    [skillText('demo', 'description: d\nhooks: {Notification: []}'), ['HOOKS_INVALID'], true, false],
    [skillText('demo', 'description: d\nallowed-tools: Bash(bad)'), ['FIELD_VALUE'], true, false],
    [skillText('demo', 'description: a: b'), ['FRONTMATTER_REPAIRED'], true, false],
    [skillText('demo', 'description: d\ncontext: forked'), ['FIELD_UNREADABLE'], false, false],
    [skillText('demo', 'license: x'), ['DESCRIPTION_MISSING'], true, false],
    [skillText('demo', 'description: ""'), ['DESCRIPTION_MISSING'], true, false],
    [skillText('demo', 'license: x', ''), ['DESCRIPTION_MISSING'], true, false],
    [skillText('demo', 'description: d\npaths: "*.ts, src/[ab]/*.{js,jsx}"'), [], true, true],
    [skillText('demo', 'description: d\npaths: ../other/*.ts'), ['FIELD_VALUE'], true, false],
    [skillText('demo', 'description: d\npaths: "*.[ab"'), ['FIELD_VALUE'], true, false],
    [skillText('demo', 'description: d\npaths: "*.{ts,tsx"'), ['FIELD_VALUE'], true, false],
    [skillText('other'), ['NAME_DIFFERS'], true, true],
    ['No frontmatter', ['FIELD_VALUE'], true, false],
    ['---\n- a\n---\n', ['FRONTMATTER_UNREADABLE'], false, false],
    [skillText('demo', 'description: d', '[x](gone.md)'), ['LINK_MISSING'], true, false],
  ])('judges %j', async (text, codes, ok, strictOk) => {
    const files = { 'demo/SKILL.md': text }
    const checkRule = (rule: string) => (rule === 'Bash(bad)' ? 'it is bad' : undefined)
    expect(await codesOf(files, { checkRule })).toEqual({ ok, codes })
    expect(await codesOf(files, { checkRule, strict: true })).toEqual({ ok: strictOk, codes })
  })

  test.each([
    // the fields, severity, line
    ['hooks: {Nope: []}', 'error', 3],
    ['license: x\nhooks:\n  PreToolUse:\n    - hooks: [{command: 7}]', 'error', 4],
    ['"hooks":\n  Notification: []', 'warning', 3],
    ['description: a: b\nhooks: {Nope: []}', 'error', 4],
  ])('tells of %j as %s in line %i, with what follows from it', async (fields, severity, line) => {
    const workspace = createWorkspace({ 'demo/SKILL.md': `---\nname: demo\n${fields}\n---\nText\n` })
    const { skills } = await validate(workspace, [''])
    const told = skills[0]?.diagnostics.find(({ code }) => code === 'HOOKS_INVALID')
    expect(told).toMatchObject({ severity, line, column: 1 })
    const effect = 'the model may not call the skill, it grants no tools and runs no commands'
    expect(told?.message.includes(effect)).toBe(severity === 'error')
  })

  test('takes in what expansion says of the body', async () => {
    const checkBody = ({ body }: { body: string }) => [{ code: 'X', severity: 'warning' as const, message: body }]
    expect(await codesOf({ 'demo/SKILL.md': skillText('demo') }, { checkBody })).toEqual({ ok: true, codes: ['X'] })
  })

  test('finds every skill, command and agent of a tree once, and leaves the pages of a skill alone', async () => {
    const workspace = createWorkspace({
      'tree/a/SKILL.md': skillText('a'),
      'tree/a/agents/page.md': 'a page of the skill',
      'tree/a/inner/skill.md': skillText('inner'),
      'tree/commands/x/y.md': 'c',
      'tree/commands/README.md': 'no command',
      'tree/agents/z.md': skillText('z'),
      'tree/node_modules/b/SKILL.md': skillText('b'),
      'tree/list/w.md': skillText('w', 'description: d\ntools: Read'),
      'tree/docs/post.md': skillText('post', 'title: d'),
    })
    workspace.link('tree/again', 'a')
    workspace.link('tree/loop', '.')
    const { skills } = await validate(workspace, ['tree', 'tree/a', 'tree/a/SKILL.md'])
    const found = skills.map(({ path, ok }) => [path.slice(workspace.root.length + 1), ok])
    expect(found).toEqual(
      ['tree/a/SKILL.md', 'tree/a/inner/skill.md', 'tree/agents/z.md', 'tree/commands/x/y.md', 'tree/list/w.md'].map(path => [path, true]),
    )
  })

  test('a path with nothing in it, or that is not there, is not ok', async () => {
    const workspace = createWorkspace({ 'empty/readme.md': 'x' })
    for (const path of ['empty', 'missing']) {
      const { ok, skills } = await validate(workspace, [path])
      expect([ok, skills.map(skill => [skill.path, skill.ok])]).toEqual([false, [[join(workspace.root, path), false]]])
    }
    expect((await validate(workspace, [])).ok).toBe(false)
  })

  test('knows the plugin around a skill', async () => {
    const text = skillText('a', 'description: d\nallowed-tools: Bash(${CLAUDE_PLUGIN_ROOT}/x)')
    expect((await codesOf({ 'p/.claude-plugin/plugin.json': '{}', 'p/skills/a/SKILL.md': text })).codes).toEqual([])
    expect((await codesOf({ 'skills/a/SKILL.md': text })).codes).toEqual(['RULE_DROPPED'])
  })
})

describe('links between files', () => {
  test('a missing one is told with the file that names it and its line', async () => {
    const workspace = createWorkspace({
      'demo/SKILL.md': skillText('demo', 'description: d', '\n[a](references/a.md#part "title")\n'),
      'demo/references/a.md': 'x\n[b](b.md) [c](../SKILL.md) ![d](<my pic.png>)\n',
      'demo/references/my pic.png': '',
    })
    const { skills } = await validate(workspace, ['demo'])
    expect(
      skills[0]?.diagnostics.map(({ code, path, line, message }) => [code, path?.slice(workspace.root.length), line, message]),
    ).toEqual([
      ['LINK_MISSING', '/demo/references/a.md', 2, 'Cannot find "b.md", which references/a.md links to'],
      ['LINK_CIRCLE', '/demo/references/a.md', 2, 'Break the circle of links: SKILL.md → references/a.md → SKILL.md'],
    ])
  })

  test('each real path is read once, also through links and a circle', async () => {
    const workspace = createWorkspace({
      'demo/SKILL.md': skillText('demo', 'description: d', '[a](a.md) [a](./a.md) [b](b.md)'),
      'demo/a.md': '[gone](gone.md)',
    })
    workspace.link('demo/b.md', 'a.md')
    const { skills } = await validate(workspace, ['demo'])
    expect(skills[0]?.diagnostics.map(({ code }) => code)).toEqual(['LINK_MISSING'])
  })

  test.each([
    // what a.md says, the circle that is told
    ['[itself](a.md)', ['a.md → a.md']],
    ['[itself](b.md)', ['a.md → a.md']],
    ['[a part](a.md#part) [a part](#part)', []],
    ['[on](c.md)', ['a.md → c.md → a.md']],
  ])('a page that says %j', async (text, circles) => {
    const workspace = createWorkspace({
      'demo/SKILL.md': skillText('demo', 'description: d', '[a](a.md)'),
      'demo/a.md': text,
      'demo/c.md': '[back](a.md)',
    })
    workspace.link('demo/b.md', 'a.md')
    const { skills } = await validate(workspace, ['demo'])
    expect(skills[0]?.diagnostics.map(({ code, message }) => [code, message])).toEqual(
      circles.map(circle => ['LINK_CIRCLE', `Break the circle of links: ${circle}`]),
    )
  })

  test.each([
    ['[a](a.md)', ['a.md']],
    ['<!-- [a](a.md) --> [b](b.md) <!-- [c](c.md) -->', ['b.md']],
    ['<!-- [a](a.md)\n```\n[b](b.md)\n--> [c](c.md)', ['c.md']],
    ['`<!--` [a](a.md) `-->`', ['a.md']],
    ['a <!-- b\n[a](a.md)', ['a.md']],
    ['a --> b <!-- c\n[a](a.md)', ['a.md']],
    ['```\n<!--\n```\n[a](a.md)\n-->', ['a.md']],
    ['[a](a.md "t") ![b](b/c.png)', ['a.md', 'b/c.png']],
    ['[x]: docs/x.md', ['docs/x.md']],
    ['[a](my%20file.md)', ['my file.md']],
    ['[a](f(1).md)', ['f(1).md']],
    ['`[a](a.md)`', []],
    ['```\n[a](a.md)\n```\n[b](b.md)', ['b.md']],
    ['[a](https://x.y/z.md) [b](mailto:a@b.c) [c](#part) [d](/abs.md) [e](//x.y/z)', []],
    ['[a](${OTHER}/a.md) [b](<name>.md) [c]({id}.md) [d](word) [e](*.md)', []],
    ['[^1]: see a.md', []],
  ])('findLinks(%j)', (text, targets) => {
    expect(findLinks(text).map(({ target }) => target)).toEqual(targets)
  })
})
