// The proxy by itself, on a socket of the test: what it passes on, what it refuses, and how connections end.

import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { all, echo, ended, lines, type TestProxy, type TestServer, tcpServer, testProxy } from './network-support.ts'
import { until } from './support.ts'

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Record<string, unknown>

describe('plain requests', () => {
  test.each([
    ['a length', ['Content-Length: 5'], 'hello', 'hello'],
    ['chunks', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['nothing', [], '', ''],
  ])('pass with a body that has %s, also under GET', async (_, headers, sent, body) => {
    const server = await echo()
    const { ask, told } = await testProxy(server)
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await ask(
        lines(`${method} http://api.example.test:${server.port}/x HTTP/1.1`, `Host: api.example.test:${server.port}`, ...headers) + sent,
      )
      expect(bodyOf(answer)).toMatchObject({ method, url: '/x', body })
    }
    expect(told).toEqual(Array(3).fill({ host: 'api.example.test', port: server.port, decision: 'allowed' }))
  })

  const refused = (port: number): [what: string, status: number, text: string][] => [
    ['another host', 403, lines('GET http://other.example.test/ HTTP/1.1', 'Host: other.example.test')],
    ['another port', 403, lines('GET http://api.example.test/ HTTP/1.1', 'Host: api.example.test')],
    ['an address that is not listed', 403, lines('GET http://1.1.1.1/ HTTP/1.1', 'Host: 1.1.1.1')],
    ['its own address', 403, lines('GET http://127.0.0.1:3128/ HTTP/1.1', 'Host: 127.0.0.1:3128')],
    ['an address in another notation', 403, lines('GET http://0x7f.1/ HTTP/1.1', 'Host: 0x7f.1')],
    ['no address', 400, lines('GET / HTTP/1.1', 'Host: api.example.test')],
    ['userinfo', 400, lines(`GET http://api.example.test:${port}@other.test/ HTTP/1.1`, `Host: api.example.test:${port}`)],
    ['another Host header', 400, lines(`GET http://api.example.test:${port}/ HTTP/1.1`, 'Host: other.example.test')],
    ['two Host headers', 400, lines(`GET http://api.example.test:${port}/ HTTP/1.1`, `Host: api.example.test:${port}`, 'Host: x')],
    ['no Host header', 400, lines(`GET http://api.example.test:${port}/ HTTP/1.1`)],
    [
      'a length and chunks',
      400,
      lines(
        `POST http://api.example.test:${port}/ HTTP/1.1`,
        `Host: api.example.test:${port}`,
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
      ),
    ],
    [
      'two lengths',
      400,
      lines(`POST http://api.example.test:${port}/ HTTP/1.1`, `Host: api.example.test:${port}`, 'Content-Length: 5', 'Content-Length: 6'),
    ],
    [
      'a hidden coding',
      400,
      lines(`POST http://api.example.test:${port}/ HTTP/1.1`, `Host: api.example.test:${port}`, 'Transfer-Encoding: xchunked'),
    ],
    [
      'a blank before the colon',
      400,
      lines(`POST http://api.example.test:${port}/ HTTP/1.1`, `Host: api.example.test:${port}`, 'Content-Length : 5'),
    ],
    ['a bare line feed', 400, `GET http://api.example.test:${port}/ HTTP/1.1\nHost: api.example.test:${port}\nX: y\rZ: a\n\n`],
    ['no HTTP', 400, 'SSH-2.0-OpenSSH_9.0\r\n'],
    ['a tunnel to another host', 403, lines('CONNECT other.example.test:443 HTTP/1.1', 'Host: other.example.test:443')],
    ['a tunnel without a port', 400, lines('CONNECT api.example.test HTTP/1.1', 'Host: api.example.test')],
  ]

  test('are refused, told, and do not reach a server', async () => {
    const server = await echo()
    const { ask, told } = await testProxy(server)
    for (const [what, status, text] of refused(server.port)) {
      const before = told.length
      expect([what, (await ask(text)).slice(0, 12)]).toEqual([what, `HTTP/1.1 ${status}`])
      // Node itself answers where there is no Host at all.
      if (what === 'no Host header') continue
      expect([what, told[before]]).toEqual([what, expect.objectContaining({ decision: 'refused', reason: expect.any(String) })])
    }
    expect(server.sockets).toEqual([])
  })

  test('name the host and the option when they are refused', async () => {
    const { ask } = await testProxy(await echo())
    expect(await ask(lines('CONNECT other.example.test:443 HTTP/1.1', 'Host: other.example.test:443'))).toMatch(
      /"other\.example\.test:443".*networkHosts/,
    )
  })

  test('are one for each connection: a second one behind it is not done', async () => {
    const server = await echo()
    const { ask, told } = await testProxy(server)
    const one = lines(`GET http://api.example.test:${server.port}/ HTTP/1.1`, `Host: api.example.test:${server.port}`)
    await ask(one.repeat(20))
    expect(told).toHaveLength(1)
    expect(server.sockets).toHaveLength(1)
  })

  test('are refused when they cannot be recorded, and nothing throws', async () => {
    const server = await echo()
    const { ask } = await testProxy(server, {}, () => {
      throw new Error('the disk is full')
    })
    const host = `api.example.test:${server.port}`
    expect(await ask(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`))).toMatch(/^HTTP\/1\.1 502 /)
    expect(await ask(lines(`CONNECT ${host} HTTP/1.1`, `Host: ${host}`))).toMatch(/^HTTP\/1\.1 502 /)
    expect(await ask('no HTTP\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(server.sockets).toEqual([])
  })

  test.each([
    ['a length', 'Content-Length: 4\r\n\r\nbody', 'body'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n', 'body'],
    ['its end', '\r\nbody', 'body'],
    ['nothing', 'Content-Length: 0\r\n\r\n', ''],
  ])('give back an answer that ends by %s, without the headers of the other connection', async (_, rest, body) => {
    const head = 'HTTP/1.1 207 So So\r\nConnection: keep-alive, X-Named\r\nX-Named: 1\r\nKeep-Alive: timeout=5\r\nX-Kept: 1\r\n'
    const server = await tcpServer(socket => socket.once('data', () => socket.end(head + rest)))
    const { ask } = await testProxy(server)
    const host = `api.example.test:${server.port}`
    const answer = await ask(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`))
    expect(answer).toMatch(/^HTTP\/1\.1 207 So So\r\n/)
    expect(answer).toContain('X-Kept: 1\r\n')
    expect(answer).not.toMatch(/x-named|keep-alive/i)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toContain(body)
  })

  test('break off when the answer breaks off', async () => {
    const server = await tcpServer(socket => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')))
    const { dial } = await testProxy(server)
    const host = `api.example.test:${server.port}`
    const client = await dial()
    client.write(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`))
    const answer = await all(client)
    expect(answer).toContain('Content-Length: 100')
    expect(answer).toMatch(/half$/)
  })

  test('end with 502 when the server is not there, breaks off, or speaks no HTTP', async () => {
    const server = await tcpServer(socket => socket.once('data', () => socket.end('SSH-2.0\r\n\r\n')))
    const gone = await testProxy({ port: 1, sockets: [] })
    expect(await gone.ask(lines('GET http://api.example.test:1/ HTTP/1.1', 'Host: api.example.test:1'))).toMatch(/^HTTP\/1\.1 502 /)
    const { ask } = await testProxy(server)
    const host = `api.example.test:${server.port}`
    expect(await ask(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`))).toMatch(/^HTTP\/1\.1 502 /)
  })
})

describe('tunnels', () => {
  const open = async ({ dial }: TestProxy, { port }: TestServer, early = '') => {
    const client = await dial()
    client.write(lines(`CONNECT api.example.test:${port} HTTP/1.1`, `Host: api.example.test:${port}`) + early)
    const [answer] = (await once(client, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
    return client
  }

  test('carry bytes both ways, those sent with the request too, and each half ends by itself', async () => {
    const server = await tcpServer(socket => {
      let got = ''
      socket.on('data', piece => {
        got += piece
      })
      // Its own half is still open.
      socket.on('end', () => socket.end(`got ${got}`))
    })
    const client = await open(await testProxy(server), server, 'early ')
    client.end('late')
    expect(await all(client)).toBe('got early late')
  })

  test('deliver what a client sent last although it is gone', async () => {
    let got = 0
    const server = await tcpServer(socket => {
      socket.end()
      socket.pause()
      setTimeout(() => socket.resume().on('data', (piece: Buffer) => (got += piece.length)), 50)
    })
    const client = await open(await testProxy(server), server)
    const size = 8 * 1024 * 1024
    client.resume().end(Buffer.alloc(size))
    await until(() => got === size)
  })

  test('end on both sides when one breaks off', async () => {
    const server = await tcpServer(() => undefined)
    const proxy = await testProxy(server)
    const first = await open(proxy, server)
    await until(() => server.sockets.length === 1)
    first.resetAndDestroy()
    await ended(server.sockets[0])
    const second = await open(proxy, server)
    await until(() => server.sockets.length === 2)
    server.sockets[1]?.resetAndDestroy()
    await ended(second)
  })

  test('end when nothing comes for networkIdleMs, and not before', async () => {
    const server = await tcpServer(socket => void setTimeout(() => socket.write('still here'), 200))
    const client = await open(await testProxy(server, { networkIdleMs: 500 }), server)
    expect(await all(client)).toBe('still here')
    await ended(server.sockets[0])
  })

  test('end with their command, in mid-transfer, and the proxy takes the next one', async () => {
    const server = await tcpServer(socket => {
      const more = (): void => void (socket.destroyed || socket.write(Buffer.alloc(65_536), more))
      more()
    })
    const proxy = await testProxy(server)
    const client = await open(proxy, server)
    await once(client, 'data')
    proxy.proxy.endConnections()
    await Promise.all([ended(client), ended(server.sockets[0])])
    await open(proxy, server)
  })
})
