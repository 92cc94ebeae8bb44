// The hooks of a session: who is told of what, once and twice, the end and an abort.

import { expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import type { HookEvent } from '../../src/hooks/event.ts'
import { hookEventNames } from '../../src/hooks/hook.ts'
import type { HookCommandRequest } from '../../src/hooks/run-hooks.ts'
import { events, exited, fakeSession, handlersOf, never, skill } from './support.ts'

const call = (command: string, toolName = 'Bash'): HookEvent => ({ name: 'PreToolUse', toolName, toolInput: { command }, toolUseId: 'c' })
const scripts = (commands: readonly HookCommandRequest[]): string[] => commands.map(({ script }) => script)

test.each(hookEventNames)('fire(%s) gives a hook one JSON object and nothing of elsewhere', async name => {
  const { hooks, commands, requests } = fakeSession()
  hooks.register(skill, [
    ...handlersOf(name, [
      { command: 'x', timeout: 3 },
      { type: 'http', url: 'https://example.com/', headers: { a: 'b' } },
    ]),
  ])
  await hooks.fire({ ...events[name], runId: 'run_1' }, never())
  const [command] = commands
  const [request] = requests
  const payload = JSON.parse(command?.stdin ?? '')
  expect(payload).toMatchObject({ session_id: 'session-1', cwd: '/ws', hook_event_name: name })
  expect(payload).not.toHaveProperty('transcript_path')
  expect(command?.stdin).not.toContain('run_1')
  expect(request?.body).toBe(command?.stdin)
  expect(request).toMatchObject({ method: 'POST', url: 'https://example.com/', headers: { a: 'b', 'content-type': 'application/json' } })
  expect(command).toMatchObject({ script: 'x', cwd: '/ws', stderr: 'apart', trust: 'project', parameters: [], variables: {} })
})

test('fire() tells the fields of an event by the names that hooks know', async () => {
  const { hooks, commands } = fakeSession()
  for (const name of hookEventNames) hooks.register(skill, handlersOf(name, [{ command: name }]))
  for (const name of hookEventNames) await hooks.fire(events[name], never())
  const fields = Object.fromEntries(commands.map(({ script, stdin }) => [script, Object.keys(JSON.parse(stdin)).slice(3)]))
  expect(fields).toEqual({
    SessionStart: ['source'],
    UserPromptExpansion: ['expansion_type', 'command_name', 'command_args', 'command_source', 'prompt'],
    PreToolUse: ['tool_name', 'tool_input', 'tool_use_id'],
    PostToolUse: ['tool_name', 'tool_input', 'tool_use_id', 'tool_response', 'duration_ms'],
    PostToolUseFailure: ['tool_name', 'tool_input', 'tool_use_id', 'error'],
    SubagentStart: ['agent_id', 'agent_type'],
    SubagentStop: ['agent_id', 'agent_type', 'stop_hook_active', 'last_assistant_message'],
    Stop: ['stop_hook_active', 'last_assistant_message'],
    SessionEnd: ['reason'],
  })
})

test.each<[event: HookEvent, matcher: string, runs: boolean]>([
  [events.PreToolUse, 'Bash', true],
  [events.PreToolUse, 'Edit|Write', false],
  [events.UserPromptExpansion, 'review', true],
  [events.UserPromptExpansion, 'other', false],
  [events.SubagentStart, 'Explore|Plan', true],
  [events.SubagentStop, 'Plan', false],
  [events.SessionStart, 'startup', true],
  [events.SessionStart, 'resume', false],
  [events.SessionEnd, 'other', true],
  [events.SessionEnd, 'logout', false],
  [events.Stop, 'Bash', true],
])('fire(%j) compares the matcher %j', async (event, matcher, runs) => {
  const { hooks, commands } = fakeSession()
  hooks.register(skill, handlersOf(event.name, [{ command: 'x' }], matcher))
  await hooks.fire(event, never())
  expect(commands.length).toBe(runs ? 1 : 0)
})

test('fire() asks the policy whether a call matches `if`; a rule that cannot be applied runs the hook', async () => {
  const asked: unknown[] = []
  const { hooks, commands } = fakeSession({
    matchesRule: (rule, tool) => {
      asked.push([rule, tool])
      if (rule === 'broken') throw new Error('no rule')
      return rule === 'Bash(rm *)'
    },
  })
  hooks.register(
    skill,
    handlersOf(
      'PreToolUse',
      ['Bash(rm *)', 'Bash(ls *)', 'broken'].map(rule => ({ command: `run ${rule}`, if: rule })),
    ),
  )
  hooks.register(skill, handlersOf('Stop', [{ command: 'x', if: 'Bash' }]))
  await hooks.fire(events.PreToolUse, never())
  await hooks.fire(events.Stop, never())
  expect(scripts(commands)).toEqual(['run Bash(rm *)', 'run broken'])
  expect(asked).toContainEqual(['Bash(ls *)', { name: 'Bash', input: { command: 'rm x' } }])
})

test('fire() has a command decided first, and what was decided is what runs', async () => {
  const { hooks, commands } = fakeSession({
    decideCommand: ({ command, skill: of }) =>
      command === 'bad'
        ? { decision: 'deny', reason: 'no rule' }
        : { decision: 'allow', script: `${command} '${of.id}'`, parameters: ['p'], environment: { ARG1: 'a' } },
  })
  for (const event of hookEventNames) hooks.register(skill, handlersOf(event, [{ command: 'bad' }, { command: 'good' }]))
  for (const event of hookEventNames) {
    const outcome = await hooks.fire(events[event], never())
    const isGuard = event === 'PreToolUse' || event === 'UserPromptExpansion'
    expect([event, outcome.decision]).toEqual([event, isGuard ? 'block' : 'pass'])
    expect(outcome.diagnostics).toMatchObject([{ code: 'HOOK_NO_ANSWER', message: expect.stringContaining('no rule') }])
    if (isGuard) expect(outcome.reason).toContain('no rule')
  }
  expect(new Set(scripts(commands))).toEqual(new Set(["good 'guard'"]))
  expect(commands[0]).toMatchObject({ parameters: ['p'], environment: { ARG1: 'a' } })
})

test.each<[event: 'PreToolUse' | 'SessionEnd', timeout: number | undefined, timeoutMs: number]>([
  ['PreToolUse', undefined, 120_000],
  ['PreToolUse', 5, 5_000],
  ['PreToolUse', 0.0001, 1],
  ['PreToolUse', 900, 120_000],
  ['SessionEnd', undefined, 1_500],
  ['SessionEnd', 30, 30_000],
  ['SessionEnd', 900, 60_000],
])('fire(%s) with a timeout of %s s gives %i ms', async (event, timeout, timeoutMs) => {
  const { hooks, commands, requests } = fakeSession()
  const time = timeout === undefined ? {} : { timeout }
  hooks.register(
    skill,
    handlersOf(event, [
      { command: 'x', ...time },
      { type: 'http', url: 'https://example.com', ...time },
    ]),
  )
  await hooks.fire(events[event], never())
  expect([commands[0]?.timeoutMs, requests[0]?.timeoutMs]).toEqual([timeoutMs, timeoutMs])
})

test('register() keeps one of each: the same handler runs once, that of another skill too', async () => {
  const { hooks, commands } = fakeSession()
  const handlers = handlersOf('Stop', [{ command: 'x' }, { command: 'x' }, { command: 'y' }])
  hooks.register(skill, handlers)
  hooks.register(skill, handlers)
  hooks.register({ ...skill, id: 'other' }, handlers)
  await hooks.fire(events.Stop, never())
  expect(scripts(commands).sort()).toEqual(['x', 'x', 'y', 'y'])
})

test('fire() runs a hook with once exactly once, also when two events come at once and when its skill is invoked again', async () => {
  const { hooks, commands } = fakeSession()
  const handlers = handlersOf('Stop', [{ command: 'x', once: true }])
  hooks.register(skill, handlers)
  expect(hooks.has('Stop')).toBe(true)
  await Promise.all([hooks.fire(events.Stop, never()), hooks.fire(events.Stop, never())])
  expect(hooks.has('Stop')).toBe(false)
  hooks.register(skill, handlers)
  await hooks.fire(events.Stop, never())
  expect(commands.length).toBe(1)
})

test('fire() keeps a hook with once until it is for an event', async () => {
  const { hooks, commands } = fakeSession()
  hooks.register(skill, handlersOf('PreToolUse', [{ command: 'x', once: true }], 'Edit'))
  await hooks.fire(call('a'), never())
  await hooks.fire(call('a', 'Edit'), never())
  await hooks.fire(call('a', 'Edit'), never())
  expect(commands.length).toBe(1)
})

test('fire(SessionStart) reaches a skill that comes in late, and nobody twice', async () => {
  const { hooks, commands } = fakeSession()
  hooks.register(skill, handlersOf('SessionStart', [{ command: 'early' }]))
  await hooks.fire(events.SessionStart, never())
  hooks.register({ ...skill, id: 'late' }, handlersOf('SessionStart', [{ command: 'late' }]))
  await hooks.fire(events.SessionStart, never())
  await hooks.fire(events.SessionStart, never())
  expect(scripts(commands)).toEqual(['early', 'late'])
})

test('fire() shows a hook of one run nothing of another', async () => {
  const { hooks, commands } = fakeSession()
  const handlers = handlersOf('PreToolUse', [{ command: 'x' }])
  hooks.register(skill, handlers, { runId: 'run_1' })
  for (const runId of ['run_1', 'run_2', undefined]) await hooks.fire({ ...call('a'), ...(runId !== undefined && { runId }) }, never())
  expect(commands.length).toBe(1)
  hooks.register(skill, handlers, { runId: 'run_2' })
  await hooks.fire({ ...call('a'), runId: 'run_2' }, never())
  hooks.register(skill, handlers)
  await hooks.fire({ ...call('a'), runId: 'run_3' }, never())
  expect(commands.length).toBe(3)
})

test('two sessions share nothing', async () => {
  const one = fakeSession()
  const two = fakeSession()
  one.hooks.register(skill, handlersOf('Stop', [{ command: 'x' }]))
  await two.hooks.fire(events.Stop, never())
  expect([one.commands.length, two.commands.length, two.hooks.has('Stop')]).toEqual([0, 0, false])
})

test('register() takes no more hooks than a session can hold', () => {
  const { hooks } = fakeSession()
  const sixtyFour = handlersOf(
    'Stop',
    Array.from({ length: 64 }, (_, at) => ({ command: `c${at}` })),
  )
  for (const id of ['a', 'b', 'c', 'd']) hooks.register({ ...skill, id }, sixtyFour)
  hooks.register({ ...skill, id: 'a' }, sixtyFour)
  expect(() => hooks.register({ ...skill, id: 'e' }, sixtyFour.slice(0, 1))).toThrow(expect.objectContaining({ code: 'SKILL_INVALID' }))
})

test('fire() blocks at a guard what it cannot tell a hook, and no hook runs', async () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const { hooks, commands } = fakeSession()
  hooks.register(skill, [...handlersOf('PreToolUse', [{ command: 'x' }]), ...handlersOf('PostToolUse', [{ command: 'x' }])])
  for (const toolInput of [circle, { text: 'x'.repeat(17 * 1024 * 1024) }]) {
    expect((await hooks.fire({ name: 'PreToolUse', toolName: 'Write', toolInput, toolUseId: 'c' }, never())).decision).toBe('block')
    const after = await hooks.fire({ name: 'PostToolUse', toolName: 'Write', toolInput, toolUseId: 'c', toolResponse: '' }, never())
    expect([after.decision, after.diagnostics.length]).toEqual(['pass', 1])
  }
  expect(commands).toEqual([])
})

test('fire() runs nothing for an aborted signal, and claims nothing', async () => {
  const { hooks, commands } = fakeSession()
  hooks.register(skill, handlersOf('Stop', [{ command: 'x', once: true }]))
  await expect(hooks.fire(events.Stop, AbortSignal.abort(new SkillcellError('ABORTED', 'Stopped')))).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect([commands.length, hooks.has('Stop')]).toEqual([0, true])
})

test('fire() ends with the reason of an abort, and not before its hooks have ended', async () => {
  const stop = new AbortController()
  let ended = 0
  const { hooks, commands } = fakeSession({
    command: async ({ signal }) => {
      if (commands.length === 8) stop.abort(new SkillcellError('ABORTED', 'Stopped'))
      await new Promise(setImmediate)
      ended += 1
      return { ...exited(130), reason: signal.aborted ? 'aborted' : 'exited' }
    },
  })
  hooks.register(
    skill,
    handlersOf(
      'PreToolUse',
      Array.from({ length: 10 }, (_, at) => ({ command: String(at) })),
    ),
  )
  await expect(hooks.fire(call('ls'), stop.signal)).rejects.toMatchObject({ code: 'ABORTED' })
  // Two had not begun.
  expect([commands.length, ended]).toEqual([8, 8])
})

test('fire() tells what a hook says while it runs', async () => {
  const told: unknown[] = []
  const { hooks } = fakeSession()
  hooks.register(skill, handlersOf('Stop', [{ command: 'x', statusMessage: 'Looking' }, { command: 'y' }]))
  await hooks.fire(events.Stop, never(), (message, { id }) => told.push([message, id]))
  expect(told).toEqual([['Looking', 'guard']])
})

test('end() fires SessionEnd once, then nothing is left', async () => {
  const { hooks, commands } = fakeSession()
  hooks.register(skill, [...handlersOf('SessionEnd', [{ command: 'bye' }]), ...handlersOf('Stop', [{ command: 'x' }])])
  await Promise.all([hooks.end('other'), hooks.end('other')])
  await hooks.fire(events.Stop, never())
  expect(scripts(commands)).toEqual(['bye'])
  expect(hooks.has('Stop')).toBe(false)
  expect(() => hooks.register(skill, handlersOf('Stop', [{ command: 'x' }]))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('end() leaves nothing either when it is aborted', async () => {
  const { hooks } = fakeSession()
  hooks.register(skill, handlersOf('SessionEnd', [{ command: 'bye' }]))
  await expect(hooks.end('other', AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  expect(hooks.has('SessionEnd')).toBe(false)
})
