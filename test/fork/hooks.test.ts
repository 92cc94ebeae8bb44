// Hooks of a skill at the events of its run, from end to end: real commands, a real thread, a written conversation.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls, createForkWorkspace, says, tell } from './support.ts'

type Hook = readonly [event: string, matcher: string, command: string]

/** Frontmatter lines for hooks: event → matcher and command. */
function hooks(...given: readonly Hook[]): string {
  const map: Record<string, object[]> = {}
  for (const [event, matcher, command] of given) {
    const group = { ...(matcher !== '' && { matcher }), hooks: [{ command }] }
    map[event] = [...(map[event] ?? []), group]
  }
  return `hooks: ${JSON.stringify(map)}\n`
}

const allow = ['Bash', 'Edit', 'Skill']

interface CallRow {
  readonly what: string
  readonly hooks: readonly Hook[]
  readonly call: readonly [name: string, input: object]
  /** In the result that the model reads. */
  readonly reads: string
  readonly isError: boolean
  readonly made?: boolean
}

const rows: readonly CallRow[] = [
  {
    what: 'lets a call pass',
    hooks: [['PreToolUse', 'Bash', 'exit 0']],
    call: ['Bash', { command: 'touch made' }],
    reads: '',
    isError: false,
    made: true,
  },
  {
    what: 'forbids a call by exit 2',
    hooks: [['PreToolUse', 'Bash', 'echo "no touching" >&2; exit 2']],
    call: ['Bash', { command: 'touch made' }],
    reads: 'A hook of guard forbids it: no touching',
    isError: true,
  },
  {
    what: 'forbids a call by what it says',
    hooks: [['PreToolUse', '', `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not today"}}'`]],
    call: ['Write', { file_path: 'made', content: 'x' }],
    reads: 'not today',
    isError: true,
  },
  {
    what: 'wants a person where there is none',
    hooks: [['PreToolUse', '', `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`]],
    call: ['Bash', { command: 'touch made' }],
    reads: 'nobody to ask',
    isError: true,
  },
  {
    what: 'allows nothing that the policy denies',
    hooks: [['PreToolUse', '', `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`]],
    call: ['Bash', { command: 'rm made' }],
    reads: 'Permission denied: ',
    isError: true,
  },
  {
    what: 'writes an input anew that is then denied',
    hooks: [['PreToolUse', '', `echo '{"hookSpecificOutput":{"updatedInput":{"command":"rm made"}}}'`]],
    call: ['Bash', { command: 'touch made' }],
    reads: 'Permission denied: ',
    isError: true,
  },
  {
    what: 'writes an input anew that the tool does not take',
    hooks: [['PreToolUse', '', `echo '{"hookSpecificOutput":{"updatedInput":{"cmd":1}}}'`]],
    call: ['Bash', { command: 'touch made' }],
    reads: 'does not take',
    isError: true,
  },
  {
    what: 'does not match',
    hooks: [['PreToolUse', 'Edit|Write', 'exit 2']],
    call: ['Bash', { command: 'touch made' }],
    reads: '',
    isError: false,
    made: true,
  },
  {
    what: 'adds to the result',
    hooks: [['PostToolUse', 'Bash', `echo '{"hookSpecificOutput":{"additionalContext":"think of the tests"}}'`]],
    call: ['Bash', { command: 'touch made' }],
    reads: 'think of the tests',
    isError: false,
    made: true,
  },
  {
    what: 'objects to a failure',
    hooks: [['PostToolUseFailure', 'Bash', 'echo "look at the log" >&2; exit 2']],
    call: ['Bash', { command: 'touch made; false' }],
    reads: 'look at the log',
    isError: true,
    made: true,
  },
]

test.each(rows)('a hook $what', async ({ hooks: given, call, reads, isError, made = false }) => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Work.', `context: fork\n${hooks(...given)}`)
  const model = workspace.script(calls(call), { expect: { toolResults: [{ includes: reads, isError }] }, ...says('done') })
  const { outcome } = await tell(await workspace.open({ allow, deny: ['Bash(rm *)'] }), '/guard', { model })
  expect(outcome).toMatchObject({ reason: 'completed', result: { agent: { text: 'done' } } })
  expect(existsSync(join(workspace.project, 'made'))).toBe(made)
})

test('a hook forbids an invocation before anything of it runs', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Work !`touch made`.', hooks(['UserPromptExpansion', '', 'echo "not now" >&2; exit 2']))
  const runtime = await workspace.open({ allow })
  const { outcome } = await tell(runtime, '/guard', {})
  expect(outcome).toMatchObject({ reason: 'refused', error: { code: 'HOOK_STOPPED', message: expect.stringContaining('not now') } })
  await expect(runtime.expand('guard')).rejects.toMatchObject({ code: 'HOOK_STOPPED' })
  expect(existsSync(join(workspace.project, 'made'))).toBe(false)
})

test('what a hook says at the start of a session is in the prompt', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Work.', hooks(['SessionStart', '', 'echo "the sky is clear"']))
  const { prompt } = await (await workspace.open({ allow })).expand('guard')
  expect(prompt).toMatch(/Work\.\n*\n\nthe sky is clear$/)
})

test('a hook makes an agent go on, and is told the second time', async () => {
  const workspace = createForkWorkspace()
  const command = `case "$(cat)" in *'"stop_hook_active":true'*) exit 0;; esac; echo "say more" >&2; exit 2`
  workspace.skill('guard', 'Work.', `context: fork\n${hooks(['SubagentStop', '', command])}`)
  const model = workspace.script(says('one'), { expect: { lastUserIncludes: 'say more' }, ...says('two') })
  const { outcome } = await tell(await workspace.open({ allow }), '/guard', { model })
  expect(outcome.result?.agent).toMatchObject({ text: 'two', turns: 2 })
})

test('a hook ends the run', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Work.', `context: fork\n${hooks(['PostToolUse', '', `echo '{"continue":false,"stopReason":"enough"}'`])}`)
  const model = workspace.script(calls(['Bash', { command: 'true' }]), says('x'))
  const { outcome } = await tell(await workspace.open({ allow }), '/guard', { model })
  expect(outcome).toMatchObject({ reason: 'refused', error: { code: 'HOOK_STOPPED', message: expect.stringContaining('enough') } })
})

test('a hook whose command the policy refuses forbids, and says so', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Work.', `context: fork\n${hooks(['PreToolUse', '', 'touch made'])}`)
  const model = workspace.script(calls(['Read', { file_path: 'a' }]), { expect: { toolResults: [{ isError: true }] }, ...says('done') })
  const { outcome, events } = await tell(await workspace.open(), '/guard', { model })
  expect(outcome).toMatchObject({ reason: 'completed' })
  expect(events.flatMap(event => (event.type === 'diagnostic' ? event.diagnostic.code : []))).toContain('HOOK_NO_ANSWER')
  expect(existsSync(join(workspace.project, 'made'))).toBe(false)
})

test('hooks live for the session, and are told when it ends', async () => {
  const workspace = createForkWorkspace()
  workspace.skill('guard', 'Guard.', hooks(['PreToolUse', 'Bash', 'exit 2'], ['SessionEnd', '', 'cat > ended.json']))
  workspace.skill('work', 'Work.', 'context: fork\n')
  const runtime = await workspace.open({ allow })
  await tell(runtime, '/guard', { sessionId: 'one' })
  const script = (isError: boolean): string =>
    workspace.script(calls(['Bash', { command: 'true' }]), { expect: { toolResults: [{ isError }] }, ...says('done') })
  expect((await tell(runtime, '/work', { sessionId: 'one', model: script(true) })).outcome.reason).toBe('completed')
  expect((await tell(runtime, '/work', { sessionId: 'two', model: script(false) })).outcome.reason).toBe('completed')
  await runtime.close()
  expect(JSON.parse(readFileSync(join(workspace.project, 'ended.json'), 'utf8'))).toMatchObject({
    hook_event_name: 'SessionEnd',
    session_id: 'one',
  })
})

test('a hook that wants a person is heard for skills too, and hooks are told of a fork in the fork', async () => {
  const workspace = createForkWorkspace()
  workspace.skill(
    'guard',
    'Work.',
    `context: fork\n${hooks(['PreToolUse', 'Skill', `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`])}`,
  )
  workspace.skill(
    'watch',
    'Work.',
    `context: fork\n${hooks(['PostToolUse', 'Skill', `echo '{"hookSpecificOutput":{"additionalContext":"well done"}}'`])}`,
  )
  workspace.skill('inner', 'Inner.', 'context: fork\n')
  const runtime = await workspace.open({ allow })
  const invoke = calls(['Skill', { skill_name: 'inner' }])
  const asked = workspace.script(invoke, { expect: { toolResults: [{ includes: 'nobody to ask', isError: true }] }, ...says('done') })
  expect((await tell(runtime, '/guard', { model: asked, sessionId: 'a' })).outcome.reason).toBe('completed')
  const told = workspace.script(invoke, says('found'), {
    expect: { toolResults: [{ equals: 'found\n\nwell done' }] },
    ...says('done'),
  })
  expect((await tell(runtime, '/watch', { model: told, sessionId: 'b' })).outcome.reason).toBe('completed')
})
