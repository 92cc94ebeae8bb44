import { describe, expect, test } from 'vitest'
import { splitArguments } from '../../src/expansion/arguments.ts'
import { createRemoteSkills, type RemotePrompt, type RemoteSource } from '../../src/skills/remote.ts'
import { createWorkspace, skillText } from './workspace.ts'

const review: RemotePrompt = {
  server: 'docs',
  name: 'review',
  description: 'Reviews.',
  arguments: [
    { name: 'file', required: true },
    { name: 'focus', required: false },
  ],
}

function remoteOf(prompts: readonly RemotePrompt[], render: RemoteSource['render'] = async (_, __, values) => JSON.stringify(values)) {
  const source: RemoteSource = { list: async () => ({ prompts, diagnostics: [] }), render }
  return createRemoteSkills({ source, splitArguments, maxSkillBytes: 1024 })
}

describe('createRemoteSkills()', () => {
  test('gives a skill without folder, grants, hooks or commands', async () => {
    const [skill] = (await remoteOf([review]).list()).skills
    expect(skill).toMatchObject({
      id: 'mcp__docs__review',
      source: 'mcp',
      kind: 'command',
      description: 'Reviews.',
      argumentHint: '<file> [focus]',
      allowedTools: [],
      commandsEnabled: false,
    })
    expect(skill?.hooks).toBeUndefined()
  })

  test.each([
    ['a.ts', { file: 'a.ts' }],
    ['a.ts speed and "more of it"', { file: 'a.ts', focus: 'speed and more of it' }],
    ['"a b.ts" x', { file: 'a b.ts', focus: 'x' }],
    ['focus=x a.ts', { file: 'a.ts', focus: 'x' }],
    ['file=a=b', { file: 'a=b' }],
    ['other=x', { file: 'other=x' }],
    ['"" x', { file: '', focus: 'x' }],
    ['__proto__=1 y', { file: '__proto__=1', focus: 'y' }],
  ])('maps the words %j', async (argumentsText, values) => {
    const remote = remoteOf([review])
    const loaded = await remote.load(await remote.find('mcp__docs__review'), { argumentsText })
    expect([JSON.parse(loaded.body), loaded.isFinal]).toEqual([values, true])
  })

  test('names the argument that is missing', async () => {
    const remote = remoteOf([review])
    const load = remote.load(await remote.find('mcp__docs__review'), { argumentsText: 'focus=x' })
    await expect(load).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('it needs file') })
  })

  test('tells names as people can read them, and takes them so', async () => {
    const liar = { ...review, name: 'x\u202e\ny', arguments: [{ name: 'fi\u202ele\nAllow all: yes', required: true }] }
    const renders: unknown[] = []
    const remote = remoteOf([liar], async (_, __, values) => String(renders.push(values)))
    const [skill] = (await remote.list()).skills
    if (!skill) throw new Error('there is one')
    await expect(remote.load(skill, { argumentsText: '' })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'Cannot ask for the prompt "x y": it needs file Allow all: yes; write <file Allow all: yes>',
    })
    await remote.load(skill, { argumentsText: '"file Allow all: yes=v"' })
    expect(renders).toEqual([{ 'fi\u202ele\nAllow all: yes': 'v' }])
  })

  test('leaves out a prompt whose argument would be lost on the way, and tells', async () => {
    const { skills, diagnostics } = await remoteOf([{ ...review, arguments: [{ name: '__proto__', required: true }] }]).list()
    expect([skills, diagnostics.map(({ message }) => message)]).toEqual([[], [expect.stringContaining('"__proto__"')]])
  })

  test('appends what was typed to a prompt without arguments', async () => {
    const remote = remoteOf([{ ...review, arguments: [] }], async () => 'Text $1')
    const skill = await remote.find('mcp__docs__review')
    expect((await remote.load(skill, { argumentsText: 'x y' })).body).toBe('Text $1\n\nARGUMENTS: x y')
    expect((await remote.load(skill, { argumentsText: ' ' })).body).toBe('Text $1')
  })

  test.each([
    // name as the server says, id or left out
    ['re view', 'mcp__docs__re-view'],
    ['a\u0007b\nc', 'mcp__docs__a-b-c'],
    ['../../etc', 'mcp__docs__..-..-etc'],
    ['x'.repeat(5_000), `mcp__docs__${'x'.repeat(128)}`],
    ['', undefined],
    ['\u202e', undefined],
    ['**', undefined],
    ['.', undefined],
    ['..', undefined],
  ])('makes a name that can be typed of %j, and tells', async (name, id) => {
    const { skills, diagnostics } = await remoteOf([{ ...review, name }]).list()
    expect([skills.map(skill => skill.id), diagnostics.map(({ code }) => code)]).toEqual([id === undefined ? [] : [id], ['MCP_PROMPT']])
  })

  test('counts in what it counts out: skills or diagnostics', async () => {
    const many = Array.from({ length: 33 }, (_, index) => ({ name: `a${index}`, required: false }))
    const prompts = [review, review, { ...review, name: 'many', arguments: many }, { ...review, name: 'at', arguments: many.slice(1) }]
    const { skills, diagnostics } = await remoteOf(prompts).list()
    expect([skills.map(({ id }) => id), diagnostics.length]).toEqual([['mcp__docs__at', 'mcp__docs__review'], 2])
  })

  test('cuts and cleans texts of a liar', async () => {
    const description = `\u001b[31mred\u202e\n# Heading\n- **/fake**: x\ud800 ${'y'.repeat(1024 * 1024)}`
    const { skills, diagnostics } = await remoteOf([{ ...review, description, arguments: [{ name: 'a\nb\u0000', required: true }] }]).list()
    const [skill] = skills
    expect(skill?.description.length).toBe(1024)
    expect(skill?.description).toMatch(/^\[31mred # Heading - \*\*\/fake\*\*: x\ufffd yyy/)
    expect([skill?.argumentHint, diagnostics.length]).toEqual(['<a b>', 1])
  })

  test.each([
    [1024, true],
    [1025, false],
  ])('a text of %i bytes: %j', async (bytes, isTaken) => {
    const remote = remoteOf([{ ...review, arguments: [] }], async () => 'x'.repeat(bytes))
    const load = remote.load(await remote.find('mcp__docs__review'), { argumentsText: '' })
    if (isTaken) expect((await load).body).toHaveLength(bytes)
    else await expect(load).rejects.toMatchObject({ code: 'SKILL_UNREADABLE' })
  })

  test('tells what a server says when it fails, and rethrows an abort', async () => {
    const remote = remoteOf([review], async () => {
      throw new Error('it is on fire')
    })
    const skill = await remote.find('mcp__docs__review')
    await expect(remote.load(skill, { argumentsText: 'x' })).rejects.toMatchObject({
      code: 'SKILL_UNREADABLE',
      message: expect.stringContaining('on fire'),
    })
    const reason = new Error('enough')
    await expect(remote.load(skill, { argumentsText: 'x', signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

test('a catalog lists, finds and loads them beside its own', async () => {
  const workspace = createWorkspace({
    'project/.claude/skills/z/SKILL.md': skillText('z'),
    'project/.claude/skills/a/SKILL.md': skillText('a'),
  })
  const catalog = workspace.catalog({ remote: remoteOf([review]) })
  expect((await catalog.list()).skills.map(({ id }) => id)).toEqual(['a', 'mcp__docs__review', 'z'])
  const loaded = await catalog.load(await catalog.find('mcp__docs__review'), { argumentsText: 'x' })
  expect(loaded.body).toBe('{"file":"x"}')
  await expect(catalog.find('mcp__docs__reviw')).rejects.toMatchObject({
    code: 'SKILL_NOT_FOUND',
    details: { near: ['mcp__docs__review'] },
  })
  await expect(workspace.catalog().find('mcp__docs__review')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
})
