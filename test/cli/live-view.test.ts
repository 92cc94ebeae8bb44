import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLiveView, type LiveView } from '../../src/cli/live-view.ts'
import type { RunEvent, RunEventBody } from '../../src/events.ts'

let said = ''
let view: LiveView
beforeEach(() => {
  said = ''
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    said += text
    return true
  })
  view = createLiveView()
})
afterEach(() => {
  view.end()
  vi.restoreAllMocks()
})

function tell(...events: readonly RunEventBody[]): void {
  for (const [sequence, event] of events.entries()) view.tell({ ...event, runId: 'r', sequence, at: 0 } as RunEvent)
}
const started = (tool: string, parameter: string, callId = 'c'): RunEventBody => ({ type: 'tool.started', callId, tool, parameter })
const failed = (tool: string, reason: string | undefined, callId = 'c'): RunEventBody => ({
  type: 'tool.finished',
  callId,
  tool,
  isError: true,
  ...(reason !== undefined && { reason }),
  outputChars: 1,
  durationMs: 1,
})

const hostile = '\u001b]0;owned\u0007\u202e\r\nx'

test.each<[field: string, events: readonly RunEventBody[]]>([
  ['a tool', [started(hostile, ''), failed(hostile, undefined)]],
  ['a tool that was not seen to start', [failed(hostile, undefined)]],
  ['a parameter', [started('Read', hostile), failed('Read', undefined)]],
  ['a reason', [started('Read', ''), failed('Read', hostile)]],
  ['an agent', [{ type: 'agent.started', agentType: hostile, skill: hostile, model: hostile }]],
  ['an agent of an agent', [{ type: 'agent.started', agentId: 'a', agentType: hostile, skill: hostile, model: hostile }]],
  ['what the model says', [{ type: 'text.delta', text: hostile }, started('Read', '')]],
  ['why the model is asked again', [{ type: 'model.retried', attempt: 1, delayMs: 5, reason: hostile }]],
])('nothing in %s moves the cursor or begins a line', (_, events) => {
  tell(...events)
  expect(said).not.toBe('')
  expect(said).not.toMatch(/[\u0007\u001b\u202e\r]/)
  expect(said).not.toMatch(/^x/m)
})

test('a name of any length takes a part of a line', () => {
  tell(started('x'.repeat(5_000), ''), failed('y'.repeat(5_000), undefined, 'other'))
  for (const line of said.split('\n')) expect(line.length).toBeLessThan(100)
})

test('a call that failed is told with its parameter and why, also beside others', () => {
  tell(
    started('Read', 'a.md', '1'),
    started('Read', 'b.md', '2'),
    failed('Read', 'there is no such file', '2'),
    failed('Read', undefined, '1'),
  )
  expect(said.split('\n')).toEqual([
    '  Read a.md',
    '  Read b.md',
    '  Read b.md gave an error: there is no such file',
    '  Read a.md gave an error',
    '',
  ])
})

test('a tool without a parameter leaves no blank behind it', () => {
  tell(started('TodoWrite', ''))
  expect(said).toBe('  TodoWrite\n')
})
