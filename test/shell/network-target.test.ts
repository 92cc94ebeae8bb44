// What a request to the proxy asks for: one strict reading, and no request that two could read in two ways.

import { createSocket } from 'node:dgram'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemResolver } from '../../src/network-address.ts'
import { parseNetworkHosts } from '../../src/shell/network/door.ts'
import { decideTarget } from '../../src/shell/network/gate.ts'
import { requestHeaders } from '../../src/shell/network/headers.ts'
import { authorityText, connectTarget, plainTarget } from '../../src/shell/network/target.ts'

test.each([
  ['example.com:443', 'example.com', 443],
  ['EXAMPLE.COM.:8443', 'example.com', 8443],
  ['[::1]:443', '::1', 443],
  ['[::ffff:1.2.3.4]:443', '1.2.3.4', 443],
  ['0x7f.1:80', '127.0.0.1', 80],
  ['bücher.example:443', 'xn--bcher-kva.example', 443],
])('connectTarget() reads %s', (authority, host, port) => {
  expect(connectTarget(authority)).toEqual({ host, port })
})

test.each([
  'example.com',
  'example.com:',
  'example.com:0',
  'example.com:70000',
  'example.com:443:443',
  'example.com:+443',
  'user@example.com:443',
  'user:pass@example.com:443',
  'example.com%2eevil.test:443',
  'example.com/x:443',
  'https://example.com:443',
  '::1',
  '::1:443',
  '[::1]',
  '/',
  '*',
  '',
  ':443',
])('connectTarget() refuses %j', authority => {
  expect(connectTarget(authority)).toBeTypeOf('string')
})

const plain = (url: string, host: string | string[], headers: Record<string, string> = {}) =>
  plainTarget({ url, headers, rawHeaders: [host].flat().flatMap(each => ['HOST', each]) })

test.each([
  ['http://example.com', 'example.com', 'example.com', 80, '/'],
  ['http://example.com/a/../b%2F?q=1#part', 'example.com', 'example.com', 80, '/a/../b%2F?q=1'],
  ['http://example.com?q', 'example.com', 'example.com', 80, '/?q'],
  ['HTTP://Example.com:80/', 'EXAMPLE.com.', 'example.com', 80, '/'],
  ['http://example.com:8080/x', 'example.com:8080', 'example.com', 8080, '/x'],
  ['http://[::1]:8080/', '[::1]:8080', '::1', 8080, '/'],
  ['http://0x7f.1/', '127.0.0.1', '127.0.0.1', 80, '/'],
])('plainTarget() reads %s', (url, header, host, port, path) => {
  expect(plain(url, header)).toEqual({ host, port, path })
})

test.each([
  ['/', 'example.com'],
  ['//example.com/', 'example.com'],
  ['https://example.com/', 'example.com'],
  ['ftp://example.com/', 'example.com'],
  ['http:/example.com/', 'example.com'],
  ['http:///example.com/', 'example.com'],
  ['http://user@example.com/', 'example.com'],
  ['http://good.example@example.com/', 'example.com'],
  ['http://example.com\\@good.example/', 'example.com'],
  ['http://example.com:0/', 'example.com'],
  ['http://exam%70le.com/', 'example.com'],
  ['http://example.com/', 'other.example'],
  ['http://example.com/', 'example.com:81'],
  ['http://example.com/', ''],
  ['http://example.com/', 'user@example.com'],
  ['http://example.com:8080/', 'example.com'],
])('plainTarget() refuses %j with Host %j', (url, header) => {
  expect(plain(url, header)).toBeTypeOf('string')
})

test('plainTarget() refuses no Host, two of them, and any coding but chunked', () => {
  expect(plain('http://example.com/', [])).toBeTypeOf('string')
  expect(plain('http://example.com/', ['example.com', 'example.com'])).toBeTypeOf('string')
  expect(plain('http://example.com/', 'example.com', { 'transfer-encoding': 'gzip, chunked' })).toBeTypeOf('string')
  expect(plain('http://example.com/', 'example.com', { 'transfer-encoding': 'Chunked' })).toMatchObject({ port: 80 })
})

test.each([
  [{ host: 'example.com', port: 80 }, 80, 'example.com'],
  [{ host: 'example.com', port: 81 }, 80, 'example.com:81'],
  [{ host: '::1', port: 443 }, undefined, '[::1]:443'],
])('authorityText() of %j', (target, usual, text) => {
  expect(authorityText(target, usual)).toBe(text)
})

test('requestHeaders() leaves out what concerns one connection, what Connection names, and never the length', () => {
  // biome-ignore format: names and values
  const rawHeaders = [
    'Host', 'x', 'Connection', 'close, X-Named, Content-Length', 'x-named', '1', 'Proxy-Authorization', 'Basic x', 'TE', 'trailers', 'Upgrade', 'h2c',
    'HTTP2-Settings', 'x', 'Keep-Alive', '1', 'Expect', '100-continue', 'Content-Length', '5', 'X-Kept', 'a', 'X-Kept', 'b',
  ]
  // biome-ignore format: names and values
  expect(requestHeaders({ rawHeaders, headers: {} }, 'example.com')).toEqual([
    'Host', 'example.com', 'Content-Length', '5', 'X-Kept', 'a', 'X-Kept', 'b', 'Via', '1.1 skillcell', 'Connection', 'close',
  ])
  const chunked = requestHeaders(
    { rawHeaders: ['Transfer-Encoding', 'chunked'], headers: { 'transfer-encoding': 'chunked' } },
    'example.com',
  )
  expect(chunked.filter(text => text === 'Transfer-Encoding')).toHaveLength(1)
})

describe('decideTarget()', () => {
  const { signal } = new AbortController()
  const decide = (entries: string[], host: string, port: number, addresses: string[] | Error = ['1.1.1.1']) =>
    decideTarget(
      { host, port },
      parseNetworkHosts(entries),
      async () => {
        if (addresses instanceof Error) throw addresses
        return addresses
      },
      signal,
    )

  test.each([
    [['api.example.test'], 'api.example.test', 443, ['1.1.1.1', '2606:4700::1'], 'allowed'],
    [['api.example.test'], 'other.example.test', 443, ['1.1.1.1'], 'refused'],
    [['api.example.test'], 'api.example.test', 22, ['1.1.1.1'], 'refused'],
    [['api.example.test'], '1.1.1.1', 443, [], 'refused'],
    [['*.example.test'], '1.1.1.1', 443, [], 'refused'],
    [['1.1.1.1'], '1.1.1.1', 443, [], 'allowed'],
    [['10.0.0.1'], '10.0.0.1', 443, [], 'allowed'],
    [['api.example.test'], 'api.example.test', 443, ['10.0.0.1'], 'refused'],
    [['api.example.test'], 'api.example.test', 443, ['169.254.169.254'], 'refused'],
    [['api.example.test'], 'api.example.test', 443, ['::ffff:127.0.0.1'], 'refused'],
    [['api.example.test'], 'api.example.test', 443, ['1.1.1.1', '10.0.0.1'], 'refused'],
    [['api.example.test'], 'api.example.test', 443, ['example.com'], 'refused'],
    [['api.example.test', '10.0.0.1'], 'api.example.test', 443, ['10.0.0.1'], 'allowed'],
    [['api.example.test', '10.0.0.1'], 'api.example.test', 443, ['::ffff:10.0.0.1'], 'allowed'],
    [['api.example.test', '10.0.0.1'], 'api.example.test', 443, ['10.0.0.1', '10.0.0.2'], 'refused'],
    [['api.example.test', '10.0.0.1:80'], 'api.example.test', 443, ['10.0.0.1'], 'refused'],
    [['api.example.test', '*.10.example.test'], 'api.example.test', 443, ['10.0.0.1'], 'refused'],
    [['api.example.test'], 'api.example.test', 443, [], 'not-found'],
    [['api.example.test'], 'api.example.test', 443, new Error('SERVFAIL'), 'not-found'],
  ] as const)('%j: %s port %d at %j is %s', async (entries, host, port, addresses, type) => {
    expect(await decide([...entries], host, port, addresses instanceof Error ? addresses : [...addresses])).toMatchObject({ type })
  })

  test('asks no name server for what is not listed, and tells an inside address to the host only', async () => {
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return ['10.1.2.3']
    }
    const hosts = parseNetworkHosts(['api.example.test'])
    await decideTarget({ host: 'secret.data.evil.test', port: 443 }, hosts, resolve, signal)
    expect(asked).toEqual([])
    const verdict = await decideTarget({ host: 'api.example.test', port: 443 }, hosts, resolve, signal)
    expect(verdict).toMatchObject({ type: 'refused', detail: '10.1.2.3', reason: expect.not.stringContaining('10.1.2.3') })
  })
})

describe('systemResolver()', () => {
  const nameServer = async (answer: (question: Buffer) => Buffer | undefined) => {
    const socket = createSocket('udp4')
    socket.on('message', (question, { port, address }) => {
      const reply = answer(question)
      if (reply) socket.send(reply, port, address)
    })
    await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
    onTestFinished(() => void socket.close())
    return [`127.0.0.1:${socket.address().port}`]
  }
  /** The question again, with 192.0.2.1 where an address of version 4 was asked for. */
  const answered = (question: Buffer): Buffer => {
    const end = question.indexOf(0, 12) + 5
    const isFour = question.readUInt16BE(end - 4) === 1
    const head = Buffer.from(question.subarray(0, end))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(isFour ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    return isFour ? Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1])]) : head
  }

  test('gives all addresses of a name, and none when the server says none', async () => {
    const { signal } = new AbortController()
    expect(await systemResolver(5_000, await nameServer(answered))('api.example.test', signal)).toEqual(['192.0.2.1'])
    const none = await nameServer(question => {
      const reply = answered(question)
      reply.writeUInt16BE(0x8183, 2)
      return reply
    })
    expect(await systemResolver(5_000, none)('api.example.test', signal)).toEqual([])
  })

  test('stops asking on abort', async () => {
    const stop = new AbortController()
    const silent = await nameServer(() => {
      stop.abort()
      return undefined
    })
    expect(await systemResolver(600_000, silent)('api.example.test', stop.signal)).toEqual([])
    await expect(systemResolver(600_000, silent)('api.example.test', stop.signal)).rejects.toThrow()
  })
})
