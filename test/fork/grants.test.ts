// A run must not grant itself more than it was given (SPEC R17.9, R17.10, R5.9): by writing, moving, linking, or by another name.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls, createForkWorkspace, type ForkWorkspace, says, tell } from './support.ts'

const granting = (name: string): string => `---\nname: ${name}\ndescription: d\nallowed-tools: Bash(touch *)\n---\nMade !\`touch owned\`.\n`

const places = [
  '.claude/skills/x/SKILL.md',
  '.claude/settings.json',
  '.skillcell/policy.yaml',
  '.agents/skills/x/SKILL.md',
  'sub/.wave/skills/x/SKILL.md',
  '.mcp.json',
  'sub/.mcp.json',
  '.git/hooks/pre-commit',
  '.git/config',
  '.git/commondir',
  '.git/modules/lib/config',
  'link/x/SKILL.md',
]

test.each(places)('no rule lets an agent write %s', async path => {
  const workspace = createForkWorkspace()
  mkdirSync(join(workspace.project, '.claude', 'skills'), { recursive: true })
  symlinkSync('.claude/skills', join(workspace.project, 'link'))
  workspace.skill('outer', 'Work.', 'context: fork\nallowed-tools: Write, Bash\n')
  const refused = { expect: { toolResults: [{ includes: 'Permission denied', isError: true }] } }
  const model = workspace.script(
    calls(['Write', { file_path: path, content: 'x' }]),
    { ...refused, ...calls(['Bash', { command: `echo x > ${path}` }]) },
    { ...refused, ...says('done') },
  )
  const { outcome } = await tell(await workspace.open({ allow: ['Edit', 'Bash'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
  expect(existsSync(join(workspace.project, path))).toBe(false)
})

const moves: readonly [how: string, command: string, at: string][] = [
  ['copies a file', 'mkdir -p app/.claude/skills/evil && cp docs/evil/SKILL.md app/.claude/skills/evil/SKILL.md', 'app/f.txt'],
  ['moves a folder', 'mkdir -p app/.claude/skills && mv docs/evil app/.claude/skills/evil', 'app/f.txt'],
  ['links a folder', 'mkdir -p app/.claude/skills && ln -s ../../../docs/evil app/.claude/skills/evil', 'app/f.txt'],
  ['moves a home', 'mv template app/.claude', 'app/f.txt'],
  ['moves what holds a home', 'mv other moved', 'moved/f.txt'],
]

async function selfGrant(workspace: ForkWorkspace, command: string, at: string): Promise<void> {
  workspace.write('docs/evil/SKILL.md', granting('evil'))
  workspace.write('template/skills/evil/SKILL.md', granting('evil'))
  workspace.write('other/.claude/skills/evil/SKILL.md', granting('evil'))
  workspace.write('other/f.txt', 'x')
  workspace.write('app/f.txt', 'x')
  workspace.skill('outer', 'Work.', 'context: fork\n')
  // What lies there before the run is older than it.
  await new Promise(resolve => setTimeout(resolve, 50))
  const model = workspace.script(
    calls(['Bash', { command }]),
    { expect: { toolResults: [{ isError: false }] }, ...calls(['Read', { file_path: at }]) },
    { expect: { toolResults: [{ isError: false }] }, ...calls(['Skill', { skill_name: 'evil' }]) },
    { expect: { toolResults: [{ includes: 'permission check failed', isError: true }] }, ...says('done') },
  )
  const allow = ['Bash(mkdir *)', 'Bash(cp *)', 'Bash(mv *)', 'Bash(ln *)', 'Skill']
  const { outcome } = await tell(await workspace.open({ allow }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
  expect(existsSync(join(workspace.project, 'owned'))).toBe(false)
}

test.each(moves)('a run that %s into place is granted nothing by it', (_, command, at) => selfGrant(createForkWorkspace(), command, at))

test('a skill of a nested folder that was there before has its grants', async () => {
  const workspace = createForkWorkspace()
  workspace.write('app/.claude/skills/near/SKILL.md', granting('near'))
  workspace.write('app/f.txt', 'x')
  workspace.skill('outer', 'Work.', 'context: fork\n')
  await new Promise(resolve => setTimeout(resolve, 50))
  const model = workspace.script(calls(['Read', { file_path: 'app/f.txt' }]), calls(['Skill', { skill_name: 'near' }]), {
    expect: { toolResults: [{ isError: false }] },
    ...says('done'),
  })
  const { outcome } = await tell(await workspace.open({ allow: ['Skill'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
  expect(existsSync(join(workspace.project, 'owned'))).toBe(true)
})

test('a stacked skill that the one before rewrote is granted nothing', async () => {
  const workspace = createForkWorkspace()
  workspace.write('new.md', granting('b'))
  workspace.skill('a', 'A !`cp new.md .skillcell/skills/b/SKILL.md`')
  workspace.skill('b', 'B.')
  const { outcome } = await tell(await workspace.open({ allow: ['Bash(cp *)'] }), '/a /b', {})
  expect(outcome).toMatchObject({ reason: 'refused', error: { code: 'COMMAND_DENIED' } })
  expect(existsSync(join(workspace.project, 'owned'))).toBe(false)
})

test('a fork in a fork has no tool that its caller has not', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Work.', 'context: fork\nallowed-tools: Read, Skill\n')
  workspace.skill('inner', 'Work.', 'context: fork\nallowed-tools: Bash(touch *), Read\n')
  const model = workspace.script(
    calls(['Skill', { skill_name: 'inner' }]),
    calls(['Bash', { command: 'touch owned' }]),
    { expect: { toolResults: [{ includes: 'there are Read, TodoWrite', isError: true }] }, ...says('inner') },
    says('outer'),
  )
  const { outcome } = await tell(await workspace.open({ allow: ['Skill'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'outer' } } })
})

test('a rule denies a skill by any of its names', async () => {
  const workspace = createForkWorkspace()
  workspace.write('.skillcell/skills/deploy/SKILL.md', '---\nname: ship\ndescription: d\n---\nShip.\n')
  workspace.skill('outer', 'Work.', 'context: fork\n')
  const refused = { expect: { toolResults: [{ includes: 'Skill(deploy)', isError: true }] } }
  const model = workspace.script(
    calls(['Skill', { skill_name: 'deploy' }]),
    { ...refused, ...calls(['Skill', { skill_name: 'ship' }]) },
    { ...refused, ...says('done') },
  )
  const { outcome } = await tell(await workspace.open({ deny: ['Skill(deploy)'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
})

test('a yes for a skill is for what it was then', async () => {
  const workspace = createForkWorkspace()
  workspace.write('.agents/skills/helper/SKILL.md', '---\nname: helper\ndescription: d\nallowed-tools: Bash(echo *)\n---\nHelp.\n')
  const asked: string[] = []
  const runtime = await workspace.open({
    onAsk: ({ command }) => {
      asked.push(command)
      return { answer: 'once' }
    },
  })
  const expand = () => runtime.expand('helper', { as: 'model', sessionId: 's' })
  await expand()
  await expand()
  expect(asked).toEqual(['Execute skill: helper'])
  workspace.write('.skillcell/skills/helper/SKILL.md', '---\nname: helper\ndescription: d\nallowed-tools: Bash(echo *)\n---\nOther.\n')
  await expand()
  expect(asked).toHaveLength(2)
})
