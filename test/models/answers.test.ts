// What comes back from a server, in both stream formats.

import { describe, expect, test } from 'vitest'
import { anthropicWire } from './anthropic-server.ts'
import { events, inPieces } from './model-server.ts'
import { openaiWire } from './openai-server.ts'
import { ask, hear, open, turnOf } from './wire-format.ts'

describe.each([anthropicWire, openaiWire])('$name', wire => {
  test('stream() gives each text as it comes, then the end with its usage', async () => {
    const { model } = await open(wire, [events(turnOf(wire, 'Hel', 'lo'))])
    const { parts } = await hear(model)
    expect(parts).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'finish', reason: 'end', usage: wire.usage },
    ])
  })

  test('stream() puts calls together from their pieces and keeps their order', async () => {
    const calls = wire.calls([
      { id: 'toolu_a', name: 'Read', pieces: ['{"file', '_path":"/a', '.md"}'] },
      { id: 'toolu_b', name: 'Bash', pieces: ['{"command":"', 'ls \\"x\\"', '"}'] },
      { id: 'toolu_c', name: 'TodoRead', pieces: [] },
    ])
    const { model } = await open(wire, [events([...wire.start(), ...wire.text(['Look']), ...calls, ...wire.end('calls')])])
    const { parts } = await hear(model)
    expect(parts).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'tool-call', call: { id: 'toolu_a', name: 'Read', input: { file_path: '/a.md' } } },
      { type: 'tool-call', call: { id: 'toolu_b', name: 'Bash', input: { command: 'ls "x"' } } },
      { type: 'tool-call', call: { id: 'toolu_c', name: 'TodoRead', input: {} } },
      { type: 'finish', reason: 'tool-calls', usage: wire.usage },
    ])
  })

  test('stream() gives the input of a call that is no JSON as the text that it is', async () => {
    const calls = wire.calls([{ id: 'toolu_a', name: 'Read', pieces: ['{"file_path": /a'] }])
    const { model } = await open(wire, [events([...wire.start(), ...calls, ...wire.end('length')])])
    const { parts } = await hear(model)
    expect(parts).toEqual([
      { type: 'tool-call', call: { id: 'toolu_a', name: 'Read', input: '{"file_path": /a' } },
      { type: 'finish', reason: 'max-tokens', usage: wire.usage },
    ])
  })

  test('stream() gives no two calls of a turn the same id', async () => {
    const calls = wire.calls([
      { id: 'same', name: 'Read', pieces: ['{"n":1}'] },
      { id: 'same', name: 'Read', pieces: ['{"n":2}'] },
    ])
    const { model } = await open(wire, [events([...wire.start(), ...calls, ...wire.end('calls')])])
    const { parts } = await hear(model)
    const found = parts.flatMap(part => (part.type === 'tool-call' ? [part.call] : []))
    expect(found.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }])
    expect(new Set(found.map(({ id }) => id)).size).toBe(2)
  })

  test.each([
    ['end', 'end'],
    ['length', 'max-tokens'],
    ['refusal', 'refusal'],
    // Without a call there is nothing to wait for, whatever the server says.
    ['calls', 'end'],
  ] as const)('stream() tells the end "%s" as "%s"', async (said, reason) => {
    const { model } = await open(wire, [events([...wire.start(), ...wire.text(['x']), ...wire.end(said)])])
    expect((await hear(model)).parts.at(-1)).toMatchObject({ type: 'finish', reason })
  })

  test('stream() calls it "tool-calls" when there are calls, though the server says it stopped', async () => {
    const calls = wire.calls([{ id: 'toolu_a', name: 'Read', pieces: ['{}'] }])
    const { model } = await open(wire, [events([...wire.start(), ...calls, ...wire.end('end')])])
    expect((await hear(model)).parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
  })

  test('stream() gives an empty answer as an end without text', async () => {
    const { model } = await open(wire, [events([...wire.start(), ...wire.end('end')])])
    expect((await hear(model)).parts).toEqual([{ type: 'finish', reason: 'end', usage: wire.usage }])
  })

  test.each([1, 2, 3, 7])('stream() decodes characters that are cut apart on the wire (%d bytes a packet)', async size => {
    const text = 'Grüße, 世界 👩‍👩‍👧 é'
    const { model } = await open(wire, [inPieces(turnOf(wire, text), size)])
    expect((await hear(model)).text).toBe(text)
  })

  test('stream() passes a large answer through whole', async () => {
    const piece = 'lorem ipsum 0123456789 '.repeat(50)
    const { model } = await open(wire, [events(turnOf(wire, ...Array.from({ length: 800 }, () => piece)))])
    expect((await hear(model)).text).toBe(piece.repeat(800))
  })

  test('stream() ends an answer that is larger than its limit', async () => {
    const frames = turnOf(wire, 'x'.repeat(5_000))
    const bytes = Buffer.byteLength(frames.join(''))
    for (const [maxResponseBytes, isWhole] of [
      [bytes - 1, false],
      [bytes, true],
      [bytes + 1, true],
    ] as const) {
      const { model, server } = await open(wire, [events(frames)], { maxResponseBytes })
      const { error } = await hear(model)
      if (isWhole) expect(error).toBeUndefined()
      else expect(error).toMatchObject({ code: 'MODEL_FAILED', message: expect.stringContaining('larger than') })
      expect(server.requests.length).toBe(1)
    }
  })

  test('stream() may be called again for the next turn', async () => {
    const { model, server } = await open(wire, [events(turnOf(wire, 'one')), events(turnOf(wire, 'two'))])
    expect([(await hear(model)).text, (await hear(model, ask({ system: '' }))).text]).toEqual(['one', 'two'])
    expect(server.requests.length).toBe(2)
  })

  test('stream() reads lines that end by CR LF and a mark of byte order', async () => {
    const frames = turnOf(wire, 'fine').join('').replaceAll('\n', '\r\n')
    const { model } = await open(wire, [events([`\ufeff${frames}`])])
    expect((await hear(model)).text).toBe('fine')
  })
})
