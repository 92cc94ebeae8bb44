// The limits of the proxy, one under and one over, and that nothing of it stays.

import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveLimits } from '../../src/limits.ts'
import { parseNetworkHosts } from '../../src/shell/network/door.ts'
import { createNetworkProxy } from '../../src/shell/network/proxy.ts'
import { all, echo, ended, lines, tcpServer, testProxy } from './network-support.ts'
import { until } from './support.ts'

describe('limits', () => {
  test('networkConnections: as many as that, and one more is closed', async () => {
    const server = await tcpServer(() => undefined)
    const { dial, told, proxy } = await testProxy(server, { networkConnections: 2 })
    const kept = [await dial(), await dial()]
    const third = await dial()
    await ended(third)
    expect(told).toEqual([expect.objectContaining({ decision: 'refused', reason: expect.stringContaining('networkConnections') })])
    expect(kept.map(client => client.readableEnded)).toEqual([false, false])
    kept[0]?.destroy()
    await until(() => told.length === 1)
    proxy.endConnections()
  })

  test('networkHeaderBytes: under passes, over is refused', async () => {
    const server = await echo()
    const { ask } = await testProxy(server, { networkHeaderBytes: 1_000 })
    const host = `api.example.test:${server.port}`
    const withHeader = (length: number) => ask(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`, `X: ${'x'.repeat(length)}`))
    expect(await withHeader(700)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await withHeader(1_100)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([['nothing'], ['a beginning']])('networkConnectMs: who sends %s is not waited for', async what => {
    const { dial } = await testProxy(await echo(), { networkConnectMs: 200 })
    const client = await dial()
    if (what === 'a beginning') client.write('GET http://api.example.test/ HTTP/1.1\r\nX: ')
    expect(await all(client)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('networkConnectMs: a name server that does not answer is not waited for', async () => {
    let asked: AbortSignal | undefined
    const proxy = createNetworkProxy({
      hosts: parseNetworkHosts(['api.example.test']),
      limits: resolveLimits({ networkConnectMs: 200 }, 'skillcell'),
      resolveHost: (_, signal) => {
        asked = signal
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      tell: () => undefined,
    })
    onTestFinished(() => proxy.close())
    const socket = createServer()
    await new Promise<void>(resolve => socket.listen(0, '127.0.0.1', resolve))
    const { port } = socket.address() as AddressInfo
    proxy.listen(socket)
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.write(lines('CONNECT api.example.test:443 HTTP/1.1', 'Host: api.example.test:443'))
    expect(await all(client)).toMatch(/^HTTP\/1\.1 502 /)
    expect(asked?.aborted).toBe(true)
  })
})

test('close() leaves no socket and no listener, whatever state a connection is in', async () => {
  const server = await tcpServer(() => undefined)
  const { dial, proxy } = await testProxy(server)
  const clients = [await dial(), await dial(), await dial(), await dial()]
  const host = `api.example.test:${server.port}`
  clients[1]?.write('GET http://a')
  clients[2]?.write(lines(`GET http://${host}/ HTTP/1.1`, `Host: ${host}`))
  clients[3]?.write(lines(`CONNECT ${host} HTTP/1.1`, `Host: ${host}`))
  await until(() => server.sockets.length === 2)
  proxy.close()
  await Promise.all([...clients, ...server.sockets].map(ended))
  await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
