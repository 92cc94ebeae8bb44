import { expect, test } from 'vitest'
import { parseHostMessage, parseThreadMessage } from '../../src/protocol/agent-messages.ts'
import { agentTask } from '../pool/agent-tasks.ts'

const version = 1
const outcome = { text: '', ended: 'completed', turns: 1, toolCalls: 0, inputTokens: 0, outputTokens: 0 }
const error = { code: 'ABORTED', message: 'left', details: {} }
const task = agentTask()

test.each([
  { version, type: 'agent.start', task },
  { version, type: 'agent.start', task: { ...task, effort: 'high' } },
  { version, type: 'agent.abort', error },
  { version, type: 'call.reply', id: 0, reply: { method: 'tool', value: { type: 'text', output: '', isError: false } } },
  { version, type: 'call.reply', id: 0, reply: { method: 'tool', value: { type: 'agent', task } } },
  { version, type: 'call.reply', id: 0, reply: { method: 'stop', value: {} } },
  { version, type: 'call.reply', id: 0, reply: { method: 'stop', value: { continueWith: 'go on' } } },
  { version, type: 'call.failed', id: 0, error },
  { version, type: 'credit', count: 1 },
])('parseHostMessage() takes %j', message => {
  expect(parseHostMessage(message)).toEqual(message)
})

const wrongForBoth: readonly unknown[] = [
  undefined,
  null,
  'text',
  7,
  [],
  {},
  { type: 'agent.start' },
  { version, type: 'agent.unknown' },
  { version: 2, type: 'agent.abort', error },
  { version: 2, type: 'agent.failed', error },
  { version, type: 'call.cancel', id: -1 },
  { version, type: 'call.failed', id: 0.5, error },
]

test.each([
  ...wrongForBoth,
  { version, type: 'agent.start' },
  { version, type: 'agent.start', task: { ...task, more: 1 } },
  { version, type: 'agent.start', task: { ...task, model: 'anthropic:m' } },
  { version, type: 'agent.start', task: { ...task, budget: { ...task.budget, maxTurns: -1 } } },
  { version, type: 'agent.start', task, more: 1 },
  { version, type: 'agent.abort', error: { ...error, code: 'NO_SUCH_CODE' } },
  { version, type: 'agent.abort', error: { ...error, code: 'toString' } },
  { version, type: 'call.reply', id: 0, reply: { method: 'tool', value: {} } },
  { version, type: 'call.reply', id: 0, reply: { method: 'stop', value: { type: 'text', output: '', isError: false } } },
  { version, type: 'credit', count: 0 },
  { version, type: 'credit', count: 17 },
  { version, type: 'agent.finished', outcome },
])('parseHostMessage() refuses %j', message => {
  expect(() => parseHostMessage(message)).toThrow(expect.objectContaining({ code: 'INTERNAL' }))
})

const events = [
  { type: 'agent.started', agentType: 'a', skill: 's', model: 'm' },
  { type: 'text.delta', agentId: 'child', text: 'x' },
  { type: 'tool.started', callId: 'c', tool: 'Read', parameter: 'a' },
  { type: 'tool.finished', callId: 'c', tool: 'Read', isError: false, outputChars: 1, durationMs: 0.5 },
  { type: 'usage', inputTokens: 1, outputTokens: 1, totalTokens: 2, totalToolCalls: 0 },
  { type: 'model.retried', attempt: 1, delayMs: 5, reason: 'status 429' },
  { type: 'agent.finished', ended: 'completed', turns: 1 },
  { type: 'turn.recorded', line: '{}' },
]

test.each([
  ...events.map(event => ({ version, type: 'agent.event', events: [event] })),
  { version, type: 'agent.event', events },
  { version, type: 'call.request', id: 0, call: { method: 'tool', request: { callId: 'c', tool: 'Read', input: { any: ['thing'] } } } },
  { version, type: 'call.request', id: 0, call: { method: 'stop', agentId: 'child', outcome } },
  { version, type: 'call.cancel', id: 3 },
  { version, type: 'agent.finished', outcome },
  { version, type: 'agent.failed', error },
])('parseThreadMessage() takes %j', message => {
  expect(parseThreadMessage(message)).toEqual(message)
})

test.each([
  ...wrongForBoth,
  { version, type: 'agent.event', events: [] },
  { version, type: 'agent.event', events: [{ type: 'run.finished' }] },
  { version, type: 'agent.event', events: [{ type: 'text.delta', text: 'x', more: 1 }] },
  { version, type: 'call.request', id: 0, call: { method: 'shell', request: {} } },
  { version, type: 'call.request', id: 0, call: { method: 'tool', request: { callId: '', tool: 'Read', input: {} } } },
  { version, type: 'agent.finished', outcome: { ...outcome, ended: 'bored' } },
  { version, type: 'agent.finished', outcome: { ...outcome, turns: -1 } },
  { version, type: 'agent.start', task },
])('parseThreadMessage() refuses %j', message => {
  expect(() => parseThreadMessage(message)).toThrow(expect.objectContaining({ code: 'INTERNAL' }))
})

test('a refusal names places and shows nothing of what stands there', () => {
  const message = { version, type: 'agent.start', task: { ...task, prompt: 7, model: ['sk-secret-key'] } }
  expect(() => parseHostMessage(message)).toThrow(/task\.prompt.*task\.model/)
  expect(() => parseHostMessage(message)).not.toThrow(/sk-secret-key/)
})
