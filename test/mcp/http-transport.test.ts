import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type Connection, createConnection } from '../../src/mcp/connection.ts'
import { createHttpTransport } from '../../src/mcp/http-transport.ts'
import { listen } from './servers.ts'

const maxBytes = 10_000

/** A connection with a low limit to a server whose answers are as long as `chars` says, as JSON or as events. */
async function connectionTo(chars: () => number, type: 'json' | 'events'): Promise<{ connection: Connection; opened: () => number }> {
  let opened = 0
  const url = await listen((request, response) => {
    if (request.method !== 'POST') return false
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(pieces).toString())
      if (id === undefined) response.writeHead(202).end()
      else send(response, { jsonrpc: '2.0', id, result: resultOf(method, chars()) }, type)
    })
    return true
  })
  const connection = createConnection({
    open: () => {
      opened += 1
      return createHttpTransport({ url }, maxBytes)
    },
    timeoutMs: 20_000,
    retryMs: 0,
  })
  return { connection, opened: () => opened }
}

function resultOf(method: string, chars: number): unknown {
  if (method === 'initialize')
    return { protocolVersion: '2025-03-26', capabilities: { prompts: {} }, serverInfo: { name: 's', version: '1' } }
  return { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(chars) } }] }
}

function send(response: ServerResponse, message: unknown, type: 'json' | 'events'): void {
  const text = JSON.stringify(message)
  if (type === 'json') response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: message\ndata: ${text}\n\n`)
}

test.each(['json', 'events'] as const)('a server may send as much as it likes in many answers (%s)', async type => {
  const { connection, opened } = await connectionTo(() => 4_000, type)
  for (let count = 0; count < 10; count++) expect(await connection.render('p', {})).toHaveLength(4_000)
  expect(opened()).toBe(1)
  await connection.close()
})

test.each(['json', 'events'] as const)(
  'one answer over the limit ends the connection, and the next question opens another (%s)',
  async type => {
    let chars = maxBytes
    const { connection, opened } = await connectionTo(() => chars, type)
    await expect(connection.render('p', {})).rejects.toThrow(/more than 10000 bytes/)
    chars = 1
    expect(await connection.render('p', {})).toBe('x')
    expect(opened()).toBe(2)
    await connection.close()
  },
)

test.each<[over: number, isTaken: boolean]>([
  [-1, true],
  [0, true],
  [1, false],
])('an answer of the limit and %i bytes is taken: %s', async (over, isTaken) => {
  const bare = JSON.stringify({ jsonrpc: '2.0', id: 1, result: resultOf('prompts/get', 0) }).length
  const { connection } = await connectionTo(() => maxBytes - bare + over, 'json')
  const answer = connection.render('p', {}).then(
    () => true,
    () => false,
  )
  expect(await answer).toBe(isTaken)
  await connection.close()
})
