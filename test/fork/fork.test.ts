// Forks from end to end: a real thread, a written conversation, tools behind the policy.

import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls, createForkWorkspace, says, tell } from './support.ts'

test('run() of a fork tells its work and ends with its text and its sums', async () => {
  const workspace = createForkWorkspace()
  workspace.write('notes/a.md', 'first line\n')
  workspace.skill('look', 'Read `$1`.', 'context: fork\nargument-hint: <file>\n')
  const model = workspace.script(
    {
      expect: { lastUserIncludes: 'Read `notes/a.md`.' },
      reply: [{ text: 'I read it.' }, { toolCall: { name: 'Read', input: { file_path: 'notes/a.md' } } }],
      usage: { inputTokens: 10, outputTokens: 5 },
    },
    { reply: [{ text: 'It has one line.' }], usage: { inputTokens: 20, outputTokens: 6 } },
  )
  const { events, outcome } = await tell(await workspace.open(), '/look notes/a.md', { model })
  expect(outcome).toMatchObject({
    reason: 'completed',
    result: {
      skill: 'look',
      agent: {
        agentType: 'general-purpose',
        model,
        text: 'It has one line.',
        ended: 'completed',
        turns: 2,
        toolCalls: 1,
        inputTokens: 30,
        outputTokens: 11,
        summary: 'Invoked skill: look (1 tool | 41 tokens)',
      },
    },
  })
  const types = events.map(event => event.type)
  expect(types.filter(type => type === 'run.finished')).toHaveLength(1)
  expect(types.at(-1)).toBe('run.finished')
  expect(events.find(event => event.type === 'tool.started')).toMatchObject({ tool: 'Read', parameter: 'notes/a.md' })
  expect(events.find(event => event.type === 'tool.finished')).toMatchObject({ tool: 'Read', isError: false })
  expect(events.flatMap(event => (event.type === 'text.delta' ? event.text : [])).join('')).toBe('I read it.It has one line.')
})

test('run() of an inline skill works as a turn with a model, and is printed without one', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('greet', 'Say hello.')
  const runtime = await workspace.open()
  const withModel = await tell(runtime, '/greet', { model: workspace.script(says('Hello.')) })
  expect(withModel.outcome.result?.agent).toMatchObject({ agentType: 'main', text: 'Hello.' })
  const without = await tell(runtime, '/greet', {})
  expect(without.outcome.result?.agent).toBeUndefined()
  expect(without.outcome.result?.prompt).toContain('Say hello.')
})

test('a fork that says nothing gives the words for it', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('mute', 'Do nothing.', 'context: fork\n')
  const { outcome } = await tell(await workspace.open(), '/mute', { model: workspace.script(says('')) })
  expect(outcome.result?.agent).toMatchObject({ text: '(Skill produced no output)', summary: 'Invoked skill: mute (0 tools | 0 tokens)' })
})

test('a long text of a fork is kept whole in a private file', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('long', 'Talk.', 'context: fork\n')
  const text = 'x'.repeat(32_001)
  const { outcome } = await tell(await workspace.open(), '/long', { model: workspace.script(says(text)) })
  const { agent } = outcome.result ?? {}
  expect(agent).toMatchObject({ truncated: true })
  expect(agent?.text).toMatch(/^x{2048}\n\n\[Output truncated \(32001 chars\)\. Full output saved to: /)
  expect(readFileSync(agent?.spillPath ?? '', 'utf8')).toBe(text)
})

interface Refusal {
  readonly what: string
  readonly fields?: string
  readonly call: readonly [name: string, input: object]
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  /** In the result that the model reads. */
  readonly reads: string
}

const refusals: readonly Refusal[] = [
  {
    what: 'a write without a rule',
    call: ['Write', { file_path: 'made', content: 'x' }],
    reads: 'nobody to ask',
  },
  {
    what: 'a command without a rule',
    call: ['Bash', { command: 'touch made' }],
    reads: 'Permission denied: ',
  },
  {
    what: 'a command that a rule denies beside one that allows it',
    call: ['Bash', { command: 'true && touch made' }],
    allow: ['Bash'],
    deny: ['Bash(touch *)'],
    reads: 'touch',
  },
  {
    what: 'a file outside of the workspace',
    call: ['Read', { file_path: '/etc/hostname' }],
    reads: 'outside the workspace',
  },
  {
    what: 'a file outside through a link',
    call: ['Read', { file_path: 'link' }],
    reads: 'Permission denied: ',
  },
  {
    what: 'a tool beside the list of the skill',
    fields: 'allowed-tools: Read\n',
    call: ['Bash', { command: 'touch made' }],
    allow: ['Bash'],
    reads: 'no tool has that name; there are Read, TodoWrite',
  },
  {
    what: 'a tool that the skill disallows',
    fields: 'disallowed-tools: Bash\n',
    call: ['Bash', { command: 'touch made' }],
    allow: ['Bash'],
    reads: 'Cannot call "Bash": no tool has that name',
  },
  {
    what: 'a command that the skill disallows',
    fields: 'disallowed-tools: Bash(touch *)\n',
    call: ['Bash', { command: 'touch made' }],
    allow: ['Bash'],
    reads: 'touch',
  },
  {
    what: 'a tool that is not the type’s',
    fields: 'agent: Explore\n',
    call: ['Write', { file_path: 'made', content: 'x' }],
    allow: ['Edit'],
    reads: 'Cannot call "Write": no tool has that name',
  },
  { what: 'an unknown tool', call: ['Frobnicate', {}], reads: 'Cannot call "Frobnicate": no tool has that name; there are ' },
  { what: 'input of another shape', call: ['Read', { path: 'a' }], reads: 'file_path' },
]

test.each(refusals)('a fork is refused $what, and works on', async ({ fields = '', call, allow = [], deny = [], reads }) => {
  const workspace = createForkWorkspace()
  workspace.write('a.txt', 'x')
  symlinkSync('/etc/hostname', join(workspace.project, 'link'))
  workspace.skill('try', 'Try.', `context: fork\n${fields}`)
  // A script is strict: without that result the run fails.
  const model = workspace.script(calls(call), { expect: { toolResults: [{ includes: reads, isError: true }] }, ...says('So be it.') })
  const { outcome, events } = await tell(await workspace.open({ allow, deny }), '/try', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'So be it.', toolCalls: 1 } } })
  expect(events.find(event => event.type === 'tool.finished')).toMatchObject({ isError: true })
  expect(existsSync(join(workspace.project, 'made'))).toBe(false)
})
