import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import type { ModelMessage, ModelPart, ToolResult } from '../../src/models/model.ts'
import { recordTurn } from '../../src/models/record.ts'
import { expectedResult, stablePieces } from '../../src/models/record-expectation.ts'
import { ask, hear } from './wire-format.ts'

const usage = { inputTokens: 5, outputTokens: 2 }

test('recordTurn() keeps what was said in one line', () => {
  const messages: readonly ModelMessage[] = [
    { role: 'user', text: 'Base directory for this skill: /tmp/run-8f3a/skill\n\nReview the change with care\n' },
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
    expect: { lastUserIncludes: ['Review the change with care'], toolResults: [{ name: 'Read', isError: false }] },
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

test.each<[what: string, text: string, pieces: readonly string[]]>([
  ['a line of prose', 'Review the change', ['Review the change']],
  ['lines in their order', 'Title\n\nA longer line of text\nEnds', ['Title', 'A longer line of text', 'Ends']],
  ['the four longest', 'aaaa\nbbbbb\ncccc cc\ndddd\neeeeeeee\nffffff', ['bbbbb', 'cccc cc', 'eeeeeeee', 'ffffff']],
  ['no word of three letters beside others', 'Read the notes /a now', ['Read the notes']],
  ['one of three letters where there is no other', '/a now', ['now']],
  ['each once', 'same\nsame', ['same']],
  ['nothing of the line that every skill has', 'Base directory for this skill: /x\n\nOwn text', ['Own text']],
  ['such a line of a body', 'Read:\nBase directory for this skill: x', ['Read:', 'Base directory for this skill: x']],
  ['no path', 'Look into /tmp/a-b/c.md for the details', ['Look into', 'for the details']],
  ['no date and no number', 'Change 123 of 2026-01-02 by Annabel', ['Change', 'by Annabel']],
  ['no address', 'write ann@example.test today', ['write', 'today']],
  ['no Windows path', 'C:\\Users\\ann is home', ['is home']],
  ['nothing where nothing is stable', '/a/b 12 c3', []],
  ['nothing of nothing', '', []],
  ['at most 80 characters', 'x'.repeat(500), ['x'.repeat(80)]],
  ['80 characters whole', `${'x'.repeat(80)}`, ['x'.repeat(80)]],
  ['whole characters', `${'x'.repeat(79)}😀`, ['x'.repeat(79)]],
])('stablePieces() takes %s', (_, text, expected) => {
  expect(stablePieces(text)).toEqual(expected)
})

test('stablePieces() gives literal pieces of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text =>
      stablePieces(text).every(piece => text.includes(piece) && piece.length <= 80 && piece !== ''),
    ),
  )
})

const long = (chars: number): string => 'Line of words\n'.repeat(chars / 14 + 1).slice(0, chars)

test.each<[what: string, name: string, output: string, kept: object]>([
  ['a short result', 'Read', '   1→first\n   2→second', { equals: '   1→first\n   2→second' }],
  ['an empty one', 'Bash', '', { equals: '' }],
  ['a relative path', 'Bash', 'src/a.ts and ../b', { equals: 'src/a.ts and ../b' }],
  ['4,000 characters', 'Read', long(4_000), { equals: long(4_000) }],
  ['4,001 characters', 'Read', long(4_001), { includes: long(2_000) }],
  ['what stands beside an absolute path', 'Bash', 'one\nin /tmp/x-1\nlonger text\nmore', { includes: 'longer text\nmore' }],
  ['what stands beside a path in quotes', 'Bash', "at '/home/ann/x'\nrest", { includes: 'rest' }],
  ['what stands beside a path of the home', 'Bash', 'at ~/x\nrest', { includes: 'rest' }],
  ['what stands beside a time', 'Bash', 'total 4\na 21:40 b', { includes: 'total 4' }],
  ['what stands beside a date', 'Bash', 'total 4\na 2026-01-02 b', { includes: 'total 4' }],
  ['what stands beside a duration', 'Bash', 'ok\ntook 0.35s', { includes: 'ok' }],
  ['what stands beside a hash', 'Bash', 'on main\ncommit 4f9d2c7b', { includes: 'on main' }],
  ['what stands beside an id', 'Bash', 'on main\nrun_8a7bC6d5E4f3g2H1', { includes: 'on main' }],
  ['nothing where nothing is stable', 'Bash', '/tmp/x', {}],
  ['a name of files whose order changes', 'Glob', 'a.ts\nsrc/b.ts', { includes: 'src/b.ts' }],
  ['a name of found files', 'Grep', 'a.ts\nsrc/b.ts', { includes: 'src/b.ts' }],
  ['found lines', 'Grep', 'a.ts:1:x\nsrc/b.ts:2:y', { equals: 'a.ts:1:x\nsrc/b.ts:2:y' }],
])('expectedResult() keeps %s', (_, name, output, kept) => {
  for (const isError of [true, false]) expect(expectedResult({ id: '1', name, output, isError })).toEqual({ name, isError, ...kept })
})

const replayed = async (recorded: readonly ModelMessage[], asked: readonly ModelMessage[]): Promise<unknown> => {
  const content = recordTurn(ask({ messages: recorded }), [{ type: 'finish', reason: 'end', usage }])
  const { error } = await hear(await createModel({ provider: 'script', file: 's', content }), ask({ messages: asked }))
  return error
}
const prompt = (body: string): ModelMessage => ({ role: 'user', text: `Base directory for this skill: /w/skills/x\n\n${body}\n` })
const results = (output: string, isError = false): readonly ModelMessage[] => [
  prompt('Read it'),
  { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'Read', input: {} }] },
  { role: 'tool', results: [{ id: '1', name: 'Read', output, isError }] },
]

test.each<[what: string, recorded: readonly ModelMessage[], asked: readonly ModelMessage[]]>([
  ['the prompt of another skill', [prompt('Review the change')], [prompt('Write a summary')]],
  [
    'the prompt of a skill that shares its longest line',
    [prompt('# Review\n\nFollow the house rules to the letter.')],
    [prompt('# Release\n\nFollow the house rules to the letter.')],
  ],
  ['a changed file', results('   1→one\n   2→two'), results('   1→one\n   2→three')],
  ['a file with one line more', results('   1→one'), results('   1→one\n   2→two')],
  ['a changed file beside a path', results('see /tmp/a\nfirst line of it'), results('see /tmp/b\nsecond line of it')],
  ['an error in place of a success', results('gone'), results('gone', true)],
])('a recording does not fit %s', async (_, recorded, asked) => {
  expect(await replayed(recorded, asked)).toMatchObject({ code: 'MODEL_MISMATCH' })
  expect(await replayed(recorded, recorded)).toBeUndefined()
})

test('a recording fits the same run in another place at another time', async () => {
  const at = (place: string, time: string): readonly ModelMessage[] => results(`saved in ${place}/x\nat ${time}\ndone`)
  expect(await replayed(at('/tmp/a', '10:31'), at('/home/b', '23:05'))).toBeUndefined()
})

test('a recording fits no other result that is short and stable', async () => {
  const text = fc.string({ maxLength: 60 }).filter(output => !/[/\\~\d]/.test(output))
  await fc.assert(
    fc.asyncProperty(text, text, async (output, other) => {
      const error = await replayed(results(output), results(other))
      expect(error === undefined).toBe(output === other)
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
