import { describe, expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import type { Model, ModelMessage } from '../../src/models/model.ts'
import { ask, hear } from './wire-format.ts'

function script(...turns: readonly unknown[]): Promise<Model> {
  return createModel({ provider: 'script', file: 'talk.jsonl', content: turns.map(turn => `${JSON.stringify(turn)}\n`).join('') })
}

const results = (...outputs: readonly [string, string, boolean?][]): readonly ModelMessage[] => [
  { role: 'user', text: 'Review change 123' },
  { role: 'assistant', text: '', toolCalls: [] },
  { role: 'tool', results: outputs.map(([name, output, isError = false], at) => ({ id: `${at}`, name, output, isError })) },
]

test('stream() says what the script says, text in small pieces', async () => {
  const text = 'A sentence with some words, longer than a piece. 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'
  const model = await script({ reply: [{ text }], usage: { inputTokens: 12, outputTokens: 3 } })
  const heard = await hear(model)
  expect(heard.text).toBe(text)
  const pieces = heard.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  expect(pieces.length).toBeGreaterThan(4)
  expect(pieces.filter(piece => /\p{Surrogate}/u.test(piece))).toEqual([])
  expect(heard.parts.at(-1)).toEqual({ type: 'finish', reason: 'end', usage: { inputTokens: 12, outputTokens: 3 } })
})

test('stream() cuts a long text into at most 250 pieces', async () => {
  const model = await script({ reply: [{ text: 'x'.repeat(1_000_000) }] })
  const { parts, text } = await hear(model)
  expect(text.length).toBe(1_000_000)
  expect(parts.length).toBe(251)
})

test('stream() gives calls their own ids, and the turns in order', async () => {
  const call = { toolCall: { name: 'Read', input: { file_path: '/a' } } }
  const model = await script({ reply: [{ text: 'Hm' }, call, call] }, { reply: [call] }, { reply: [] })
  expect(model.unusedTurns?.()).toBe(3)
  const turns = [await hear(model), await hear(model), await hear(model)]
  expect(model.unusedTurns?.()).toBe(0)
  expect(turns.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
    ['text', 'tool-call', 'tool-call', 'finish'],
    ['tool-call', 'finish'],
    ['finish'],
  ])
  const calls = turns.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'tool-call' ? [part.call] : [])))
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  expect(calls[0]).toMatchObject({ name: 'Read', input: { file_path: '/a' } })
  expect(turns[0]?.parts.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls', usage: { inputTokens: 0, outputTokens: 0 } })
})

test('stream() ends as the turn says', async () => {
  const model = await script({ reply: [{ text: 'x' }], finish: 'max-tokens' })
  expect((await hear(model)).parts.at(-1)).toMatchObject({ reason: 'max-tokens' })
})

test('a turn can fail, also after some text', async () => {
  const model = await script({ error: { message: 'Overloaded', status: 529 } }, { reply: [{ text: 'so far' }], error: { message: 'gone' } })
  expect((await hear(model)).error).toMatchObject({
    code: 'MODEL_FAILED',
    message: expect.stringContaining('status 529: Overloaded'),
    details: { provider: 'script', status: 529 },
  })
  expect(await hear(model)).toMatchObject({ text: 'so far', error: { code: 'MODEL_FAILED' } })
})

test('a turn can wait', async () => {
  const model = await script({ delayMs: 30, reply: [{ text: 'x' }] })
  const start = performance.now()
  expect((await hear(model)).text).toBe('x')
  expect(performance.now() - start).toBeGreaterThan(25)
})

describe('expectations', () => {
  test.each<readonly [string, unknown, readonly ModelMessage[]]>([
    ['nothing', undefined, results()],
    ['an empty one', {}, results()],
    ['a piece of the user message', { lastUserIncludes: 'change 123' }, results()],
    ['several pieces', { lastUserIncludes: ['Review', '123'] }, results()],
    ['no results', { toolResults: [] }, [{ role: 'user', text: 'x' }]],
    ['a piece of a result', { toolResults: ['file'] }, results(['Read', 'a file'])],
    ['a name', { toolResults: [{ name: 'Read' }] }, results(['Read', 'a file'])],
    ['all of a result', { toolResults: [{ equals: 'a file', isError: true }] }, results(['Read', 'a file', true])],
    ['several results', { toolResults: [{ name: 'Read', includes: 'a' }, 'b'] }, results(['Read', 'a'], ['Bash', 'b'])],
    [
      'the results since the last turn only',
      { toolResults: [{ name: 'Bash' }] },
      [
        ...results(['Read', 'a']),
        { role: 'assistant', text: '', toolCalls: [] },
        { role: 'tool', results: [{ id: '9', name: 'Bash', output: '', isError: false }] },
      ],
    ],
  ])('stream() goes on when %s is as expected', async (_, expect_, messages) => {
    const model = await script({ ...(expect_ !== undefined && { expect: expect_ }), reply: [{ text: 'ok' }] })
    expect(await hear(model, ask({ messages }))).toMatchObject({ text: 'ok' })
  })

  test.each<readonly [string, unknown, readonly ModelMessage[], string]>([
    ['another message', { lastUserIncludes: 'deploy' }, results(), 'includes "deploy", got "Review change 123"'],
    ['one piece missing', { lastUserIncludes: ['Review', 'deploy'] }, results(), 'includes "deploy"'],
    ['other letters', { lastUserIncludes: 'review' }, results(), 'includes "review"'],
    ['no message', { lastUserIncludes: '' }, [], 'got none'],
    ['a result too many', { toolResults: [] }, results(['Read', 'a']), 'expected 0 tool results, got 1 tool result (Read)'],
    ['a result too few', { toolResults: ['a', 'b'] }, results(['Read', 'a']), 'expected 2 tool results, got 1 tool result (Read)'],
    ['another text', { toolResults: ['b'] }, results(['Read', 'a']), 'includes "b", got a success of Read with "a"'],
    ['another name', { toolResults: [{ name: 'Bash' }] }, results(['Read', 'a']), 'a result of Bash, got a success of Read'],
    ['a longer text', { toolResults: [{ equals: 'a' }] }, results(['Read', 'ab']), 'with "a", got a success of Read with "ab"'],
    ['a failure', { toolResults: [{ isError: false }] }, results(['Read', 'a', true]), 'a success, got an error of Read'],
    ['another order', { toolResults: ['b', 'a'] }, results(['Read', 'a'], ['Read', 'b']), 'tool result 1'],
  ])('stream() refuses %s and shows both sides', async (_, expect_, messages, difference) => {
    const model = await script({ reply: [{ text: 'first' }] }, { expect: expect_, reply: [{ text: 'never' }] })
    await hear(model, ask({ messages: [] }))
    const heard = await hear(model, ask({ messages }))
    expect(heard.parts).toEqual([])
    expect(heard.error).toMatchObject({
      code: 'MODEL_MISMATCH',
      message: expect.stringContaining(difference),
      details: { model: 'script:talk.jsonl', line: 2 },
    })
    // The turn is still to come.
    expect(model.unusedTurns?.()).toBe(1)
  })

  test('the difference is shortened', async () => {
    const model = await script({ expect: { lastUserIncludes: 'y'.repeat(9_000) }, reply: [] })
    const { error } = await hear(model, ask({ messages: [{ role: 'user', text: 'x'.repeat(9_000) }] }))
    expect(String(error).length).toBeLessThan(600)
    expect(String(error)).toContain('yyy…')
    expect(String(error)).toContain('xxx…')
  })

  test('stream() refuses one turn more than there are', async () => {
    const model = await script({ reply: [] })
    await hear(model)
    expect((await hear(model)).error).toMatchObject({
      code: 'MODEL_MISMATCH',
      message: expect.stringContaining('it has 1 turn and is asked'),
    })
  })
})

describe('the file', () => {
  test('createModel() takes blank lines, CR LF, a mark of byte order and no newline at the end', async () => {
    const content = '\ufeff{"reply":[{"text":"a"}]}\r\n\r\n  \n{"reply":[{"text":"b"}]}'
    const model = await createModel({ provider: 'script', file: 's', content })
    expect([(await hear(model)).text, (await hear(model)).text, model.unusedTurns?.()]).toEqual(['a', 'b', 0])
  })

  test.each([
    ['a comment', '# first turn', 'is not JSON'],
    ['a comment, and says so', '// first turn', 'holds no comments'],
    ['half a turn', '{"reply":[', 'is not JSON'],
    ['a list', '[]', 'is not a turn'],
    ['neither reply nor error', '{}', 'Needs "reply" or "error"'],
    ['an unknown key', '{"reply":[],"replies":[]}', 'replies'],
    ['an unknown expectation', '{"expect":{"userIncludes":"x"},"reply":[]}', 'userIncludes'],
    ['a reply that is two things', '{"reply":[{"text":"a","toolCall":{"name":"R","input":{}}}]}', 'is not a turn'],
    ['a call without a name', '{"reply":[{"toolCall":{"name":"","input":{}}}]}', 'is not a turn'],
    ['a call without an input', '{"reply":[{"toolCall":{"name":"R"}}]}', 'is not a turn'],
    ['half a usage', '{"reply":[],"usage":{"inputTokens":1}}', 'outputTokens'],
    ['a negative usage', '{"reply":[],"usage":{"inputTokens":-1,"outputTokens":0}}', 'inputTokens'],
    ['an end there is not', '{"reply":[],"finish":"stop"}', 'finish'],
    ['a wait too long', '{"reply":[],"delayMs":60001}', 'delayMs'],
    ['a status that is no error', '{"error":{"message":"x","status":399}}', 'status'],
  ])('createModel() refuses %s and names the line', async (_, line, why) => {
    const error = await createModel({ provider: 'script', file: 's.jsonl', content: `{"reply":[]}\n\n${line}\n` }).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', details: { file: 's.jsonl', line: 3 } })
    expect(String(error)).toContain('"s.jsonl": line 3')
    expect(String(error)).toContain(why)
  })

  test.each(['{"reply":[],"delayMs":60000}', '{"error":{"message":"x","status":400}}', '{"error":{"message":"x","status":599}}'])(
    'createModel() takes the limits themselves: %s',
    async content => {
      expect((await createModel({ provider: 'script', file: 's', content })).unusedTurns?.()).toBe(1)
    },
  )
})
