// A key never stands in what a person or a log gets to see.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createModel } from '../../src/models/create-model.ts'
import { safeText } from '../../src/models/safe-text.ts'
import { anthropicWire } from './anthropic-server.ts'
import { type Answer, events, startServer, status } from './model-server.ts'
import { openaiWire } from './openai-server.ts'
import { ask, hear, open, testKey } from './wire-format.ts'

/** Everything that leaves with an error or a retry. */
function told(value: unknown): string {
  const seen: string[] = []
  for (let each: unknown = value; each instanceof Error; each = each.cause)
    seen.push(each.message, each.stack ?? '', JSON.stringify(each), JSON.stringify(Object.entries(each)))
  return seen.join('\n')
}

describe.each([anthropicWire, openaiWire])('$name', wire => {
  test.each<readonly [string, (key: string, header: string) => Answer]>([
    ['in an error body', key => status(401, wire.errorBody(`Incorrect key ${key} given`))],
    ['in a text body', key => status(403, `no entry for ${key}`, { 'content-type': 'text/plain' })],
    ['as its header', (_, header) => status(401, wire.errorBody(`Got header ${header}`))],
    ['again and again', key => status(503, wire.errorBody(key.repeat(40)))],
    ['in capitals', key => status(401, wire.errorBody(key.toUpperCase()))],
    ['without its end', key => status(401, wire.errorBody(`key ${key.slice(0, -6)}... is wrong`))],
    ['with characters that do not show', key => status(401, wire.errorBody([...key].join('\u200b')))],
    ['in base64', key => status(401, wire.errorBody(`Basic ${Buffer.from(key).toString('base64')}`))],
    ['in a stream', key => events([...wire.start(), ...wire.errorEvent('lasting', `bad ${key}`)])],
    ['in what is no event', key => events([...wire.start(), `data: {"oops": "${key}"\n\n`])],
    ['where the message ends', key => status(401, wire.errorBody(`${'x'.repeat(490)} ${key}`))],
  ])('an error hides a key that the server gives back %s', async (_, answer) => {
    const header = wire.name === 'anthropic' ? `x-api-key: ${testKey}` : `Authorization: Bearer ${testKey}`
    const { model, server } = await open(wire, [answer(testKey, header)])
    const { parts, error } = await hear(model)
    // The server did get it.
    expect(Object.values(server.requests[0]?.headers ?? {}).join(' ')).toContain(testKey)
    expect(error).toMatchObject({ code: 'MODEL_FAILED' })
    const all = `${told(error)}\n${JSON.stringify(parts)}`.toLowerCase()
    for (let from = 0; from + 8 <= testKey.length; from++) expect(all).not.toContain(testKey.slice(from, from + 8))
    expect(all).not.toContain(Buffer.from(testKey).toString('base64').slice(0, 12).toLowerCase())
  })

  test('an error says the message in one line of at most 500 characters', async () => {
    const { model } = await open(wire, [status(400, wire.errorBody(`first\nsecond\u001b[31m ${'long '.repeat(2_000)}`))])
    const message = String((await hear(model)).error)
    expect(message).toContain('first second [31m')
    expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    expect(message.slice(message.indexOf('status 400')).length).toBe(500)
  })

  test('a key with blanks around it goes out without them', async () => {
    const server = await startServer(events([...wire.start(), ...wire.end('end')]))
    const model = await createModel(wire.connection(server.url, `  ${testKey}\n`))
    expect((await hear(model)).error).toBeUndefined()
    expect(Object.values(server.requests[0]?.headers ?? {})).toContain(wire.name === 'anthropic' ? testKey : `Bearer ${testKey}`)
  })

  test('no key: no header for it, whatever the environment holds', async () => {
    const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL']
    const before = names.map(name => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = 'http://127.0.0.1:9/of-the-environment'
    try {
      const server = await startServer(events([...wire.start(), ...wire.end('end')]))
      const model = await createModel(wire.connection(server.url))
      expect((await hear(model)).error).toBeUndefined()
      const headers = server.requests[0]?.headers ?? {}
      expect(headers).not.toHaveProperty('x-api-key')
      expect(headers).not.toHaveProperty('authorization')
      expect(JSON.stringify(server.requests)).not.toContain('of-the-environment')
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })

  test('a redirect takes no key to another server', async () => {
    const other = await startServer(events([]))
    const { model } = await open(wire, [status(307, '', { location: `${other.url}${wire.path}` })])
    expect((await hear(model, ask())).error).toMatchObject({ code: 'MODEL_FAILED' })
    expect(other.requests.length).toBe(0)
  })

  test.each<readonly [string, string, string | undefined, RegExp]>([
    ['a user in the address', 'http://me:hidden-word@127.0.0.1:9', undefined, /user or a password/],
    ['a query in the address', 'http://127.0.0.1:9/?key=hidden-word', undefined, /query/],
    ['no address', 'hidden-word', undefined, /not an http/],
    ['another scheme', 'file:///hidden-word', undefined, /not an http/],
    ['a key in two lines', 'http://127.0.0.1:9', 'hidden-word\nhidden-word', /character/],
    ['a key with letters no header takes', 'http://127.0.0.1:9', 'hidden-wörd', /character/],
  ])('createModel() refuses %s and does not repeat it', async (_, url, key, why) => {
    const connection = { provider: wire.name, modelId: 'm', baseUrl: url, ...(key !== undefined && { apiKey: key }) }
    const error = await createModel(connection).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringMatching(why) })
    expect(told(error)).not.toContain('hidden-w')
  })

  test('createModel() refuses the address of the provider without a key', async () => {
    await expect(createModel({ provider: wire.name, modelId: 'm', apiKey: ' ' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining(wire.name === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'),
    })
  })
})

test('safeText() never leaves eight characters of any key, wherever the key stands', () => {
  const key = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~+/='), minLength: 8, maxLength: 60 })
  fc.assert(
    fc.property(fc.string({ maxLength: 600 }), key, fc.string({ maxLength: 40 }), (before, secret, after) => {
      const text = safeText(`${before}${secret}${after}`, secret)
      for (let at = 0; at + 8 <= secret.length; at++)
        if (text.includes(secret.slice(at, at + 8))) return '[redacted]'.includes(secret.slice(at, at + 8))
      return text.length <= 500
    }),
  )
})

test.each([
  ['a short key', 'pass abc here', 'abc', 'pass [redacted] here'],
  ['two keys side by side', 'k-12345678k-12345678', 'k-12345678', '[redacted][redacted]'],
  ['no key', 'plain text', undefined, 'plain text'],
  ['an empty key', 'plain text', '', 'plain text'],
  ['the header of somebody', 'Authorization: Bearer eyJhbGciOi.x', undefined, 'Authorization: [redacted]'],
  ['a bearer of somebody', 'got "Bearer eyJhbGciOi.x"', undefined, 'got "Bearer [redacted]"'],
  ['JSON of headers', '{"x-api-key":"abcdef","n":1}', undefined, '{"x-api-key":"[redacted]","n":1}'],
  ['the key of somebody', 'Incorrect API key provided: sk-abcd****wxyz.', undefined, 'Incorrect API key provided: [redacted]'],
  ['an ordinary sentence', 'invalid x-api-key', undefined, 'invalid x-api-key'],
])('safeText() blots out %s', (_, text, key, expected) => {
  expect(safeText(text, key)).toBe(expected)
})
