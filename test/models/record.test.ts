import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import type { ModelMessage, ModelPart, ToolResult } from '../../src/models/model.ts'
import { recordTurn, stablePiece } from '../../src/models/record.ts'
import { ask, hear } from './wire-format.ts'

const usage = { inputTokens: 5, outputTokens: 2 }

test('recordTurn() keeps what was said in one line', () => {
  const messages: readonly ModelMessage[] = [
    { role: 'user', text: 'Base directory: /tmp/run-8f3a/skill\n\nReview the change with care\n' },
    { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'Read', input: {} }] },
    { role: 'tool', results: [{ id: '1', name: 'Read', output: '/tmp/run-8f3a', isError: false }] },
  ]
  const parts: readonly ModelPart[] = [
    { type: 'retry', attempt: 1, delayMs: 5, reason: 'busy' },
    { type: 'text', text: 'Two\n' },
    { type: 'text', text: 'lines' },
    { type: 'tool-call', call: { id: 'toolu_1', name: 'Bash', input: { command: 'ls' } } },
    { type: 'finish', reason: 'tool-calls', usage, providerData: { secret: 'thoughts' } },
  ]
  const line = recordTurn(ask({ messages }), parts)
  expect(line).not.toContain('\n')
  expect(JSON.parse(line)).toEqual({
    expect: { lastUserIncludes: 'Review the change with care', toolResults: [{ name: 'Read' }] },
    reply: [{ text: 'Two\nlines' }, { toolCall: { name: 'Bash', input: { command: 'ls' } } }],
    usage,
  })
})

test('recordTurn() keeps an end that is not the usual one', () => {
  const finish = (reason: 'max-tokens' | 'end'): readonly ModelPart[] => [{ type: 'finish', reason, usage }]
  expect(JSON.parse(recordTurn(ask(), finish('max-tokens')))).toMatchObject({ finish: 'max-tokens' })
  expect(JSON.parse(recordTurn(ask(), finish('end')))).not.toHaveProperty('finish')
})

test('a turn that did not come to its end is replayed as one that fails', async () => {
  const content = recordTurn(ask(), [{ type: 'text', text: 'so far' }])
  const heard = await hear(await createModel({ provider: 'script', file: 's', content }))
  expect(heard).toMatchObject({ text: 'so far', error: { code: 'MODEL_FAILED' } })
})

test.each([
  ['a line of prose', 'Review the change', 'Review the change'],
  ['the longest of the lines', 'Title\n\nA longer line of text\nEnd', 'A longer line of text'],
  ['no path', 'Look into /tmp/a-b/c.md for the details', 'for the details'],
  ['no date and no number', 'Change 123 of 2026-01-02 by Ann', 'Change'],
  ['no address', 'write ann@example.test now', 'write'],
  ['no Windows path', 'C:\\Users\\ann is home', 'is home'],
  ['nothing where nothing is stable', '/a/b 12 c3', ''],
  ['nothing of nothing', '', ''],
  ['at most 80 characters', 'x'.repeat(500), 'x'.repeat(80)],
  ['80 characters whole', `${'x'.repeat(80)}`, 'x'.repeat(80)],
  ['whole characters', `${'x'.repeat(79)}😀`, 'x'.repeat(79)],
])('stablePiece() takes %s', (_, text, expected) => {
  expect(stablePiece(text)).toBe(expected)
})

test('stablePiece() is a literal piece of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
      const piece = stablePiece(text)
      return text.includes(piece) && piece.length <= 80
    }),
  )
})

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const anyResult: fc.Arbitrary<ToolResult> = fc.record({ id: anyText, name: anyText, output: anyText, isError: fc.boolean() })
const anyMessage: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: anyText }),
  fc.record({ role: fc.constant('assistant' as const), text: anyText, toolCalls: fc.constant([]) }),
  fc.record({ role: fc.constant('tool' as const), results: fc.array(anyResult, { maxLength: 3 }) }),
)
const anyPart: fc.Arbitrary<ModelPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: anyText }),
  fc.record({
    type: fc.constant('tool-call' as const),
    call: fc.record({ id: anyText, name: fc.string({ minLength: 1, maxLength: 20 }), input: fc.jsonValue() }),
  }),
)
const anyFinish: fc.Arbitrary<ModelPart> = fc.record({
  type: fc.constant('finish' as const),
  reason: fc.constantFrom('end' as const, 'tool-calls' as const, 'max-tokens' as const, 'refusal' as const, 'other' as const),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
})

/** What a listener has of a turn: texts joined, calls without their ids. */
function essence(parts: readonly ModelPart[]): readonly unknown[] {
  const said: unknown[] = []
  for (const part of parts) {
    const last = said.at(-1)
    if (part.type === 'text' && typeof last === 'string') said[said.length - 1] = last + part.text
    else if (part.type === 'text') said.push(part.text)
    else if (part.type === 'tool-call') said.push({ name: part.call.name, input: JSON.stringify(part.call.input) })
    else if (part.type === 'finish') said.push({ reason: part.reason, usage: part.usage })
  }
  return said.filter(each => each !== '')
}

test('what is recorded replays: the same turns for the same requests', async () => {
  const turn = fc.record({
    messages: fc.array(anyMessage, { maxLength: 5 }),
    parts: fc.array(anyPart, { maxLength: 6 }),
    finish: anyFinish,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async turns => {
      const lines = turns.map(({ messages, parts, finish }) => recordTurn(ask({ messages }), [...parts, finish]))
      const model = await createModel({ provider: 'script', file: 's', content: `${lines.join('\n')}\n` })
      for (const { messages, parts, finish } of turns) {
        const heard = await hear(model, ask({ messages }))
        expect(heard.error).toBeUndefined()
        expect(essence(heard.parts)).toEqual(essence([...parts, finish]))
      }
      expect(model.unusedTurns?.()).toBe(0)
    }),
    { numRuns: 150 },
  )
})
