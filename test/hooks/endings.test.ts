// Every event with every ending of a hook: what it decides, what the model is told, and what is reported.

import { expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import { maxAnswerChars } from '../../src/hooks/answer.ts'
import type { HookCommandResult, HookResponse } from '../../src/hooks/ending.ts'
import { type HookEventName, hookEventNames, hookEvents } from '../../src/hooks/hook.ts'
import { events, exited, fakeSession, handlersOf, never, skill } from './support.ts'

const json = (value: unknown): string => JSON.stringify(value)
const specific = (event: HookEventName, fields: object): string => json({ hookSpecificOutput: { hookEventName: event, ...fields } })

async function outcomeOf(event: HookEventName, result: HookCommandResult | (() => never)) {
  const { hooks } = fakeSession({ command: () => (typeof result === 'function' ? result() : result) })
  hooks.register(skill, handlersOf(event, [{ command: 'x' }]))
  return hooks.fire(events[event], never())
}

async function outcomeOfResponse(event: HookEventName, response: HookResponse | (() => never)) {
  const { hooks } = fakeSession({ fetch: () => (typeof response === 'function' ? response() : response) })
  hooks.register(skill, handlersOf(event, [{ type: 'http', url: 'https://example.com/h' }]))
  return hooks.fire(events[event], never())
}

const failure = (): never => {
  throw new SkillcellError('SHELL_SPAWN_FAILED', 'Cannot run the command: no folder')
}

// What a block is at each event; `-` where nothing can be blocked. A guard without an answer blocks, elsewhere it passes.
const blocks = (event: HookEventName): string => (hookEvents[event].block === 'report' ? 'pass' : 'block')
const guards = (event: HookEventName): string => (hookEvents[event].block === 'forbid' ? 'block' : 'pass')

const endings: readonly [
  ending: string,
  result: (event: HookEventName) => HookCommandResult | (() => never),
  decision: (event: HookEventName) => string,
  codes: (event: HookEventName) => readonly string[],
][] = [
  ['silence', () => exited(0), () => 'pass', () => []],
  ['plain text', () => exited(0, 'all is well'), () => 'pass', () => []],
  ['an empty answer', () => exited(0, '{}'), () => 'pass', () => []],
  ['approve', () => exited(0, json({ decision: 'approve', reason: 'r' })), () => 'pass', () => []],
  ['block', () => exited(0, json({ decision: 'block', reason: 'r' })), blocks, event => (blocks(event) === 'pass' ? ['HOOK_NOTE'] : [])],
  [
    'block and exit 1',
    () => exited(1, json({ decision: 'block', reason: 'r' })),
    blocks,
    event => (blocks(event) === 'pass' ? ['HOOK_NOTE'] : []),
  ],
  ['approve and exit 1', () => exited(1, json({ decision: 'approve' })), () => 'pass', () => []],
  ['exit 2', () => exited(2, 'r'), blocks, event => (blocks(event) === 'pass' ? ['HOOK_NOTE'] : [])],
  [
    'approve and exit 2',
    () => exited(2, `${json({ decision: 'approve' })}\nr`),
    blocks,
    event => (blocks(event) === 'pass' ? ['HOOK_NOTE'] : []),
  ],
  ['exit 1', () => exited(1, 'r'), () => 'pass', () => ['HOOK_FAILED']],
  ['exit 127', () => exited(127, 'bash: no such file'), () => 'pass', () => ['HOOK_FAILED']],
  ['broken JSON and exit 1', () => exited(1, '{"decision":'), () => 'pass', () => ['HOOK_FAILED']],
  ['broken JSON', () => exited(0, '{"decision": "block"'), guards, () => ['HOOK_NO_ANSWER']],
  ['text behind JSON', () => exited(0, '{"decision": "block"} ok'), guards, () => ['HOOK_NO_ANSWER']],
  ['a decision there is not', () => exited(0, json({ decision: 'deny' })), guards, () => ['HOOK_NO_ANSWER']],
  ['a reason that is no text', () => exited(0, json({ decision: 'block', reason: 1 })), guards, () => ['HOOK_NO_ANSWER']],
  [
    'an answer for another event',
    () => exited(0, json({ hookSpecificOutput: { hookEventName: 'Other' } })),
    guards,
    () => ['HOOK_NO_ANSWER'],
  ],
  ['an answer cut off', () => ({ ...exited(0, '{"decision": "block"'), truncated: true }), guards, () => ['HOOK_NO_ANSWER']],
  ['an answer that was cut and still reads', () => ({ ...exited(0, '{}'), truncated: true }), guards, () => ['HOOK_NO_ANSWER']],
  ['a time-out', () => ({ ...exited(124), reason: 'timed-out', note: 'Time limit of 5 ms reached' }), guards, () => ['HOOK_NO_ANSWER']],
  ['a kill', () => ({ ...exited(137), reason: 'killed' }), guards, () => ['HOOK_NO_ANSWER']],
  ['a signal', () => exited(139), guards, () => ['HOOK_NO_ANSWER']],
  ['too much output', () => ({ ...exited(137), reason: 'output-limit' }), guards, () => ['HOOK_NO_ANSWER']],
  ['no start', () => failure, guards, () => ['HOOK_NO_ANSWER']],
]

const rows = hookEventNames.flatMap(event => endings.map(([ending, ...rest]) => [event, ending, ...rest] as const))

test.each(rows)('fire(%s) and %s', async (event, _, result, decision, codes) => {
  const outcome = await outcomeOf(event, result(event))
  expect(outcome.decision).toBe(decision(event))
  expect(outcome.diagnostics.map(({ code }) => code)).toEqual(codes(event))
  expect(outcome.diagnostics.every(({ path }) => path === skill.path)).toBe(true)
  expect(outcome.decidedBy).toEqual(outcome.decision === 'pass' ? [] : ['guard'])
  expect(outcome.runs.map(run => [run.skill, run.type, run.what])).toEqual([['guard', 'command', 'x']])
})

test.each<[output: string, exitCode: number, reason: string]>([
  ['out\nno rm here\n', 2, 'out\nno rm here'],
  [`${json({ reason: 'from JSON' })}\nfrom stderr`, 2, 'from stderr'],
  [json({ decision: 'block', reason: 'from JSON' }), 2, 'from JSON'],
  [json({ a: '}{"\\', reason: 'r' }), 2, 'r'],
  ['{ no JSON', 2, '{ no JSON'],
  ['', 2, 'it gave no reason'],
  [json({ decision: 'block', reason: 'r' }), 0, 'r'],
  [`${json({ decision: 'block', reason: 'r' })} and stderr`, 3, 'r'],
  [specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'own' }), 0, 'own'],
])('fire() gives the reason of %j with exit %i', async (output, exitCode, reason) => {
  expect(await outcomeOf('PreToolUse', exited(exitCode, output))).toMatchObject({ decision: 'block', reason })
})

test('fire() says who objects when a hook gives no reason', async () => {
  const { reason } = await outcomeOf('PreToolUse', exited(0, json({ decision: 'block' })))
  expect(reason).toBe('The PreToolUse hook "x" of "guard" objects')
})

test.each<[permission: string, decision: string]>([
  ['allow', 'pass'],
  ['ask', 'ask'],
  ['defer', 'ask'],
  ['deny', 'block'],
])('fire(PreToolUse) takes permissionDecision %s as %s', async (permissionDecision, decision) => {
  const outcome = await outcomeOf('PreToolUse', exited(0, specific('PreToolUse', { permissionDecision, permissionDecisionReason: 'r' })))
  expect(outcome).toMatchObject({ decision, diagnostics: [] })
  expect(outcome.reason).toBe(decision === 'pass' ? undefined : 'r')
})

test('fire() takes the decision without the name of the event, and a deny at any event that can be blocked', async () => {
  expect((await outcomeOf('PreToolUse', exited(0, json({ hookSpecificOutput: { permissionDecision: 'deny' } })))).decision).toBe('block')
  expect((await outcomeOf('Stop', exited(0, specific('Stop', { permissionDecision: 'deny' })))).decision).toBe('block')
  const asked = await outcomeOf('UserPromptExpansion', exited(0, specific('UserPromptExpansion', { permissionDecision: 'ask' })))
  expect([asked.decision, asked.diagnostics.map(({ code }) => code)]).toEqual(['pass', ['HOOK_NOTE']])
})

test.each(hookEventNames)('fire(%s) changes an input only before a tool', async event => {
  const outcome = await outcomeOf(event, exited(0, specific(event, { updatedInput: { command: 'ls' } })))
  expect(outcome.updatedInput).toEqual(event === 'PreToolUse' ? { command: 'ls' } : undefined)
  expect(outcome.diagnostics.length).toBe(event === 'PreToolUse' ? 0 : 1)
})

test.each(hookEventNames)('fire(%s) hands on context, messages and a stop', async event => {
  const said = { continue: false, stopReason: 'enough', systemMessage: 'hello', suppressOutput: true }
  const outcome = await outcomeOf(event, exited(0, json({ ...said, hookSpecificOutput: { hookEventName: event, additionalContext: 'c' } })))
  expect(outcome).toMatchObject({
    decision: 'pass',
    stop: { reason: 'enough', skill: 'guard' },
    messages: ['hello'],
    additionalContext: 'c',
    diagnostics: [],
  })
  const text = await outcomeOf(event, exited(0, 'plain\n'))
  expect(text.additionalContext).toBe(['SessionStart', 'UserPromptExpansion'].includes(event) ? 'plain' : undefined)
})

test('fire() names what of an answer has no effect', async () => {
  const { diagnostics } = await outcomeOf('PostToolUse', exited(0, json({ extra: 1, hookSpecificOutput: { updatedToolOutput: 'x' } })))
  expect(diagnostics.map(({ message }) => /"(\w+)" of its answer/.exec(message)?.[1])).toEqual(['extra', 'updatedToolOutput'])
})

test('fire() takes null for a field that is not there', async () => {
  const outcome = await outcomeOf('PreToolUse', exited(0, json({ decision: null, reason: null, hookSpecificOutput: null })))
  expect(outcome).toMatchObject({ decision: 'pass', diagnostics: [] })
})

test.each<[length: number, text: string]>([
  [maxAnswerChars - 1, 'a'.repeat(maxAnswerChars - 1)],
  [maxAnswerChars, 'a'.repeat(maxAnswerChars)],
  [maxAnswerChars + 1, `${'a'.repeat(maxAnswerChars)}… [+1 chars]`],
])('fire() keeps a text of %i characters to the limit', async (length, text) => {
  const outcome = await outcomeOf('PreToolUse', exited(0, specific('PreToolUse', { additionalContext: 'a'.repeat(length) })))
  expect(outcome.additionalContext).toBe(text)
})

test('fire() cuts a text between characters', async () => {
  const { reason = '' } = await outcomeOf('PreToolUse', exited(2, `${'a'.repeat(maxAnswerChars - 1)}😀`))
  expect(() => encodeURIComponent(reason)).not.toThrow()
  expect(reason.length).toBeLessThan(maxAnswerChars + 20)
})

test.each<[why: string, response: HookResponse | (() => never), decision: string, codes: readonly string[]]>([
  ['200 without a body', { status: 200, body: '' }, 'pass', []],
  ['204', { status: 204, body: ' \n' }, 'pass', []],
  ['200 and block', { status: 200, body: json({ decision: 'block', reason: 'r' }) }, 'block', []],
  ['200 and ask', { status: 200, body: specific('PreToolUse', { permissionDecision: 'ask' }) }, 'ask', []],
  ['200 and text', { status: 200, body: 'ok' }, 'pass', ['HOOK_FAILED']],
  ['200 and a list', { status: 200, body: '[]' }, 'pass', ['HOOK_FAILED']],
  ['200 and broken JSON', { status: 200, body: '{"decision": "blo' }, 'block', ['HOOK_NO_ANSWER']],
  ['200 and a body without an end', { status: 200, body: `{"a": "${'x'.repeat(1024 * 1024)}"}` }, 'block', ['HOOK_NO_ANSWER']],
  ['302', { status: 302, body: json({ decision: 'block' }) }, 'pass', ['HOOK_FAILED']],
  ['404 and block', { status: 404, body: json({ decision: 'block' }) }, 'pass', ['HOOK_FAILED']],
  ['500', { status: 500, body: '' }, 'pass', ['HOOK_FAILED']],
  ['a refused call', failure, 'block', ['HOOK_NO_ANSWER']],
])('fire(PreToolUse) over http and %s', async (_, response, decision, codes) => {
  const outcome = await outcomeOfResponse('PreToolUse', response)
  expect([outcome.decision, outcome.diagnostics.map(({ code }) => code)]).toEqual([decision, codes])
})

test('fire(Stop) lets the agent end when an address cannot be called', async () => {
  expect((await outcomeOfResponse('Stop', failure)).decision).toBe('pass')
})
