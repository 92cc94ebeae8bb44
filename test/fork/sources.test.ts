// Sources and sessions as runs see them: stacked names, paths, nested folders, bundled skills.

import { expect, test } from 'vitest'
import { calls, createForkWorkspace, says, tell } from './support.ts'

test('stacked skills are one prompt, each with the text that is left', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('one', 'First $1.', 'argument-hint: <x>\n')
  workspace.skill('two', 'Second $1.', 'argument-hint: <x>\n')
  workspace.skill('fork', 'Third.', 'context: fork\n')
  const runtime = await workspace.open()
  const { outcome } = await tell(runtime, '/one /two this', {})
  expect(outcome.result?.prompt).toMatch(/First this\.\n*Base directory for this skill: .*two\n\nSecond this\.\n*$/)
  const { outcome: ended } = await tell(runtime, '/one /fork this', {})
  expect(ended.result?.prompt).toContain('First /fork.')
})

test('stacked skills limit the turn together', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('one', 'First.', 'allowed-tools: Read, Glob\n')
  workspace.skill('two', 'Second.', 'allowed-tools: Glob, Bash\n')
  const model = workspace.script(calls(['Read', { file_path: 'x' }]), {
    expect: { toolResults: [{ includes: 'there are Glob, TodoWrite', isError: true }] },
    ...says('done'),
  })
  expect((await tell(await workspace.open(), '/one /two', { model })).outcome.reason).toBe('completed')
})

test('a skill with paths is there for a model once a file of them was touched', async () => {
  const workspace = createForkWorkspace()
  workspace.write('src/a.ts', 'x')
  workspace.skill('typed', 'About types.', 'paths: "src/**/*.ts"\n')
  workspace.skill('outer', 'Work.', 'context: fork\n')
  const invoke = calls(['Skill', { skill_name: 'typed' }])
  const model = workspace.script(
    invoke,
    { expect: { toolResults: [{ includes: 'src/**/*.ts', isError: true }] }, ...calls(['Read', { file_path: 'src/a.ts' }]) },
    invoke,
    { expect: { toolResults: [{ includes: 'About types.', isError: false }] }, ...says('done') },
  )
  const runtime = await workspace.open()
  expect((await tell(runtime, '/outer', { model, sessionId: 's' })).outcome.reason).toBe('completed')
  const names = async (sessionId?: string): Promise<readonly string[]> =>
    (await runtime.list({ for: 'model', ...(sessionId && { sessionId }) })).skills.map(skill => skill.id)
  expect(await names('s')).toContain('typed')
  expect(await names()).not.toContain('typed')
  expect(await names('other')).not.toContain('typed')
  runtime.touch('src/b.ts', 'other')
  expect(await names('other')).toContain('typed')
})

test('skills of a nested folder are there once a file beside them was touched', async () => {
  const workspace = createForkWorkspace()
  workspace.write('app/.claude/skills/near/SKILL.md', '---\nname: near\ndescription: d\n---\nNear.\n')
  workspace.write('app/main.ts', 'x')
  const runtime = await workspace.open()
  await expect(runtime.expand('near', { sessionId: 's' })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
  runtime.touch('app/main.ts', 's')
  expect((await runtime.expand('near', { sessionId: 's' })).prompt).toContain('Near.')
  await expect(runtime.expand('near', { sessionId: 'other' })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
})

test('bundled skills are there unless they are switched off, and a program brings its own', async () => {
  const workspace = createForkWorkspace()
  const names = async (options: Parameters<typeof workspace.open>[0]): Promise<readonly string[]> =>
    (await (await workspace.open(options)).list()).skills.filter(skill => skill.source === 'bundled').map(skill => skill.id)
  expect(await names({})).toEqual(['batch', 'debug', 'doctor', 'simplify', 'skillify', 'stuck', 'verify'])
  expect(await names({ disableBundledSkills: true })).toEqual([])
  const own = { name: 'greet', content: '---\ndescription: Greets\n---\nSay hello to $1.\n' }
  expect(await names({ disableBundledSkills: true, bundledSkills: [own] })).toEqual(['greet'])
  const runtime = await workspace.open({ bundledSkills: [own] })
  expect((await runtime.expand('greet', { args: 'all' })).prompt).toContain('Say hello to all.')
})

test('complete() gives what can be typed', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('review', 'x', 'argument-hint: "[focus]"\n')
  const runtime = await workspace.open({ disableBundledSkills: true })
  expect(await runtime.complete('/rev')).toMatchObject([{ text: '/review', hint: '[focus]' }])
  expect(await runtime.complete('/review x')).toEqual([])
})

test('onSkillsChanged() is told of a new skill, and watching ends with close()', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('first', 'x')
  let tellAdded = (_: readonly string[]): void => {}
  const added = new Promise<readonly string[]>(resolve => {
    tellAdded = resolve
  })
  const runtime = await workspace.open({ onSkillsChanged: changes => tellAdded(changes.added) })
  workspace.skill('second', 'y')
  expect(await added).toEqual(['second'])
  await runtime.close()
})
