// Skills that a model invokes inside a run: inline ones narrow its turn, forks work in the same thread and budget.

import { expect, test } from 'vitest'
import { calls, createForkWorkspace, says, tell } from './support.ts'

test('an inline skill gives its prompt, and its list limits the rest of the turn', async () => {
  const workspace = createForkWorkspace()
  workspace.write('a.txt', 'x')
  workspace.skill('outer', 'Use the skill.', 'context: fork\n')
  workspace.skill('inner', 'Only read.', 'allowed-tools: Read\n')
  const model = workspace.script(
    calls(['Skill', { skill_name: 'inner' }]),
    {
      expect: { toolResults: [{ includes: '[Skill "inner" activated]\n\nBase directory for this skill: ' }] },
      ...calls(['Bash', { command: 'ls' }]),
    },
    {
      expect: { toolResults: [{ includes: 'Bash is not among the tools of this turn: Read, TodoWrite', isError: true }] },
      ...calls(['Read', { file_path: 'a.txt' }]),
    },
    { expect: { toolResults: [{ isError: false }] }, ...says('done') },
  )
  const { outcome, events } = await tell(await workspace.open({ allow: ['Skill(inner)'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done', toolCalls: 3 } } })
  expect(events.find(event => event.type === 'skill.invoked')).toMatchObject({ skill: 'inner', trigger: 'nested-skill' })
})

test('a fork in a fork shares the sums of the run and gives its text as the result', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\n')
  workspace.skill('inner', 'Work on $1.', 'context: fork\nargument-hint: <what>\n')
  const used = { usage: { inputTokens: 10, outputTokens: 1 } }
  const model = workspace.script(
    { ...calls(['Skill', { skill_name: 'inner', args: 'this' }]), ...used },
    { expect: { lastUserIncludes: 'Work on this.' }, ...says('inner done'), ...used },
    { expect: { toolResults: [{ includes: 'inner done', isError: false }] }, ...says('outer done'), ...used },
  )
  const { outcome, events } = await tell(await workspace.open({ allow: ['Skill'] }), '/outer', { model })
  expect(outcome).toMatchObject({
    reason: 'completed',
    result: { agent: { text: 'outer done', toolCalls: 1, inputTokens: 30, outputTokens: 3 } },
  })
  const nested = events.flatMap(event => (event.type === 'agent.started' && event.agentId !== undefined ? [event] : []))
  expect(nested).toMatchObject([{ skill: 'inner', agentType: 'general-purpose' }])
})

test('forks go three deep and no deeper', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('again', 'Again.', 'context: fork\n')
  const again = calls(['Skill', { skill_name: 'again' }])
  const model = workspace.script(
    again,
    again,
    again,
    { expect: { toolResults: [{ includes: 'depth 3', isError: true }] }, ...says('third') },
    { expect: { toolResults: [{ includes: 'third' }] }, ...says('second') },
    { expect: { toolResults: [{ includes: 'second' }] }, ...says('first') },
  )
  const { outcome } = await tell(await workspace.open({ allow: ['Skill'] }), '/again', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'first' } } })
})

const refusals: readonly [what: string, name: string, includes: string][] = [
  ['a skill that carries rights, with nobody to ask', 'carries', 'nobody to ask'],
  ['a skill that is the user’s alone', 'users-only', 'disable-model-invocation'],
  ['a skill that is not there', 'nowhere', 'Unknown skill: nowhere'],
  ['a skill with a command that is denied', 'runs', 'Shell command permission check failed for pattern "touch made"'],
]

test.each(refusals)('a model is refused %s, and works on', async (_, name, includes) => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\n')
  workspace.skill('carries', 'x', 'allowed-tools: Bash\n')
  workspace.skill('users-only', 'x', 'disable-model-invocation: true\n')
  workspace.skill('runs', 'x !`touch made`')
  const model = workspace.script(calls(['Skill', { skill_name: name }]), {
    expect: { toolResults: [{ includes, isError: true }] },
    ...says('done'),
  })
  const { outcome } = await tell(await workspace.open(), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
})

test('a nested agent has no tool that its caller was denied', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\ndisallowed-tools: Bash\n')
  workspace.skill('inner', 'Work.', 'context: fork\n')
  const model = workspace.script(
    calls(['Skill', { skill_name: 'inner' }]),
    calls(['Bash', { command: 'true' }]),
    { expect: { toolResults: [{ includes: 'no tool has that name', isError: true }] }, ...says('inner') },
    says('outer'),
  )
  const { outcome } = await tell(await workspace.open({ allow: ['Skill', 'Bash'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'outer' } } })
})

test('a long result of a nested fork is kept whole, and the model can read it by its token', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\n')
  workspace.skill('inner', 'Work.', 'context: fork\n')
  const long = `${'line of text\n'.repeat(3_000)}the end`
  const token = '/run/skillcell/spill/'
  const model = workspace.script(calls(['Skill', { skill_name: 'inner' }]), says(long), {
    expect: { toolResults: [{ includes: `Full output saved to: ${token}`, isError: false }] },
    ...says('seen'),
  })
  const { outcome } = await tell(await workspace.open({ allow: ['Skill'] }), '/outer', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'seen' } } })
})

test('a file of a thousand lines is given whole: Read bounds itself', async () => {
  const workspace = createForkWorkspace()
  workspace.write('long.txt', `${'a line that is some fifty characters long, or so\n'.repeat(1_000)}`)
  workspace.skill('outer', 'Start.', 'context: fork\n')
  const model = workspace.script(calls(['Read', { file_path: 'long.txt' }]), {
    expect: { toolResults: [{ includes: '1000→a line', isError: false }] },
    ...says('done'),
  })
  expect((await tell(await workspace.open(), '/outer', { model })).outcome.reason).toBe('completed')
})

test('Skill is gone when a skill that was invoked disallows it', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\n')
  workspace.skill('last', 'No more.', 'disallowed-tools: Skill\n')
  workspace.skill('other', 'Other.')
  const model = workspace.script(calls(['Skill', { skill_name: 'last' }]), calls(['Skill', { skill_name: 'other' }]), {
    expect: { toolResults: [{ includes: 'Skill is disallowed', isError: true }] },
    ...says('done'),
  })
  expect((await tell(await workspace.open(), '/outer', { model })).outcome.reason).toBe('completed')
})

test('what an agent was denied, the commands of a skill that it invokes are denied too', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('outer', 'Start.', 'context: fork\ndisallowed-tools: Bash(touch *)\n')
  workspace.skill('inner', 'Made !`touch made`.')
  const model = workspace.script(calls(['Skill', { skill_name: 'inner' }]), {
    expect: { toolResults: [{ includes: 'permission check failed', isError: true }] },
    ...says('done'),
  })
  expect((await tell(await workspace.open({ allow: ['Bash', 'Skill'] }), '/outer', { model })).outcome.reason).toBe('completed')
})
