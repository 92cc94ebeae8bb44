import { createServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { requestPinned } from '../../src/web/request.ts'
import { failing, testServer } from './support.ts'

const page = (type: string | undefined, body: string | Buffer, status = 200, headers: Record<string, string> = {}) =>
  testServer((_request, response) => {
    response.writeHead(status, { ...(type === undefined ? {} : { 'content-type': type }), ...headers })
    response.end(body)
  })

test.each<[type: string | undefined, body: string | Buffer, text: string]>([
  ['text/plain', 'ä', 'ä'],
  ['text/plain; charset=iso-8859-1', Buffer.from('ä', 'latin1'), 'ä'],
  ['text/plain; charset=utf-16le', Buffer.from('ä', 'utf16le'), 'ä'],
  ['text/plain; charset=iso-8859-1', Buffer.from('\uFEFFä'), 'ä'],
  ['text/html', Buffer.from('<meta charset="windows-1252"><p>ä</p>', 'latin1'), 'ä'],
  [
    'application/xml',
    Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>ä</a>', 'latin1'),
    '<?xml version="1.0" encoding="iso-8859-1"?><a>ä</a>',
  ],
  ['application/json', '{"a":1}', '{"a":1}'],
  ['application/problem+json', '{}', '{}'],
  ['image/svg+xml', '<svg/>', '<svg/>'],
  ['TEXT/HTML; charset=UTF-8', '<title>no</title><body><h1>Head</h1><script>no()</script><p>a <b>b</b></p></body>', 'Head\n\na b'],
  [undefined, 'plain', 'plain'],
  [undefined, '<!doctype html><p>a</p>', 'a'],
])('fetchPage() of %s gives text', async (type, body, text) => {
  const server = await page(type, body)
  expect(await server.fetch('/')).toMatchObject({ text, status: 200, notes: [] })
})

test('fetchPage() says when it does not know a character set', async () => {
  const server = await page('text/plain; charset=x-nonsense', 'abc')
  expect(await server.fetch('/')).toMatchObject({ text: 'abc', notes: [expect.stringMatching(/character set/)] })
})

test.each<[type: string | undefined, body: string, said: RegExp]>([
  ['image/png', 'x', /"image\/png", and only text/],
  ['application/octet-stream', 'x', /only text/],
  ['application/pdf', 'x', /only text/],
  ['text/plain', 'a\0b', /NUL/],
])('fetchPage() refuses %s', async (type, body, said) => {
  const server = await page(type, body)
  await expect(server.fetch('/')).rejects.toEqual(failing(said))
})

test.each([404, 500, 403])('fetchPage() fails on a status of %i and shows what the server says', async status => {
  const server = await page('text/html', '<p>There is nothing</p>', status)
  await expect(server.fetch('/')).rejects.toEqual(failing(new RegExp(`answered ${status} .*: There is nothing`)))
})

test.each<[coding: string, compress: (body: string) => Buffer]>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('fetchPage() opens %s, and no more of it than the limit', async (coding, compress) => {
  const server = await page('text/plain', compress('x'.repeat(50_000_000)), 200, { 'content-encoding': coding })
  const before = process.memoryUsage().rss
  const found = await server.fetch('/')
  expect([found.text.length, found.notes.length]).toEqual([100_000, 2])
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2)
})

test('fetchPage() fails on a coding that it cannot open, and on one that is broken', async () => {
  await expect((await page('text/plain', 'x', 200, { 'content-encoding': 'zip' })).fetch('/')).rejects.toEqual(failing(/"zip"/))
  await expect((await page('text/plain', 'no gzip', 200, { 'content-encoding': 'gzip' })).fetch('/')).rejects.toEqual(failing(/header/))
})

test.each([
  [99, []],
  [100, []],
  [101, [/first 100 bytes/]],
])('fetchPage() of %i bytes with a limit of 100', async (length, notes) => {
  const server = await page('text/plain', 'x'.repeat(length))
  const found = await server.fetch('/', { limits: { maxBytes: 100 } })
  expect([found.text.length, found.notes]).toEqual([Math.min(length, 100), notes.map(note => expect.stringMatching(note))])
})

test.each([
  [10, 10, 0],
  [11, 10, 1],
])('fetchPage() of %i characters with a limit of 10 gives %i', async (length, given, notes) => {
  const server = await page('text/plain', 'x'.repeat(length))
  const found = await server.fetch('/', { limits: { maxChars: 10 } })
  expect([found.text.length, found.notes.length]).toEqual([given, notes])
})

test('fetchPage() does not cut inside a character', async () => {
  const server = await page('text/plain', '123456789😀')
  expect((await server.fetch('/', { limits: { maxChars: 10 } })).text).toBe('123456789')
})

const redirecting = () =>
  testServer((request, response) => {
    const [, kind, rest = ''] = /^\/(\w+)\/?(.*)$/.exec(request.url ?? '') ?? []
    const to = kind === 'to' ? decodeURIComponent(rest) : kind === 'count' && rest !== '0' ? `/count/${Number(rest) - 1}` : undefined
    response.writeHead(to === undefined ? 200 : 302, { 'content-type': 'text/plain', ...(to !== undefined && { location: to }) })
    response.end(to === undefined ? 'arrived' : 'moved')
  })

test('fetchPage() follows five redirects, each decided, and not six', async () => {
  const server = await redirecting()
  const decided: string[] = []
  const decide = async (url: string) => {
    decided.push(new URL(url).pathname)
    return undefined
  }
  expect((await server.fetch('/count/5', { decide })).text).toBe('arrived')
  expect(decided).toEqual(['/count/4', '/count/3', '/count/2', '/count/1', '/count/0'])
  await expect(server.fetch('/count/6')).rejects.toEqual(failing(/more than 5 times/))
})

test('fetchPage() asks nothing of a place that is not allowed', async () => {
  const server = await redirecting()
  const decide = async (url: string) => (new URL(url).hostname === 'b.test' ? 'no rule allows it' : undefined)
  const target = `/to/${encodeURIComponent(`http://b.test:${server.port}/x`)}`
  await expect(server.fetch(target, { decide })).rejects.toEqual(failing(/redirected to "http:\/\/b\.test.*no rule allows it/))
  expect(server.asked).toEqual([`a.test${target}`])
  expect((await server.fetch(target)).url).toBe(`http://b.test:${server.port}/x`)
})

test.each([
  'file:///etc/passwd',
  'http://user:pass@b.test/',
  'ftp://b.test/',
  'javascript:1',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest',
  'http://[::1]/',
])('fetchPage() does not follow a redirect to %s', async target => {
  const server = await redirecting()
  await expect(server.fetch(`/to/${encodeURIComponent(target)}`)).rejects.toEqual(failing(/Cannot (fetch|reach)/))
})

test('fetchPage() resolves the name of a redirect anew', async () => {
  const server = await redirecting()
  const resolveHost = async (host: string) => [host === 'a.test' ? '127.0.0.1' : '127.0.0.2']
  await expect(server.fetch(`/to/${encodeURIComponent('http://b.test/')}`, { resolveHost })).rejects.toEqual(failing(/b\.test.*loopback/))
})

test('a server of this machine is reached only when it is allowed', async () => {
  const server = await page('text/plain', 'secret')
  for (const url of [`http://127.0.0.1:${server.port}/`, `http://localhost:${server.port}/`, `http://a.test:${server.port}/`])
    await expect(server.fetch(url, { allowedAddresses: [] })).rejects.toEqual(failing(/only public addresses/))
  expect(server.asked).toEqual([])
  expect((await server.fetch(`http://127.0.0.1:${server.port}/`)).text).toBe('secret')
})

test('fetchPage() ends by its time limits, whatever a server does', async () => {
  const silent = await testServer(() => {})
  await expect(silent.fetch('/', { limits: { timeoutMs: 200 } })).rejects.toEqual(failing(/longer than 200 ms/))
  const trickling = await testServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('x'), 20)
    response.once('close', () => clearInterval(timer))
  })
  await expect(trickling.fetch('/', { limits: { timeoutMs: 300 } })).rejects.toEqual(failing(/longer than 300 ms/))
  const never = await page('text/plain', 'x')
  const resolveHost = () => new Promise<string[]>(() => {})
  await expect(never.fetch('/', { resolveHost, limits: { timeoutMs: 100 } })).rejects.toEqual(failing(/longer than 100 ms/))
})

test('a connection that does not become one is given up', async () => {
  // It takes the connection and says nothing: no TLS comes of it.
  const server = createServer(socket => socket.on('error', () => {}))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const started = requestPinned({
    url: new URL(`https://127.0.0.1:${port}/`),
    method: 'GET',
    headers: {},
    maxBytes: 1,
    connectTimeoutMs: 100,
    allowedAddresses: ['127.0.0.1'],
    signal: new AbortController().signal,
  })
  await expect(started).rejects.toEqual(failing(/no connection in 100 ms/))
})

test('fetchPage() ends with the reason of its signal', async () => {
  const controller = new AbortController()
  const server = await testServer(() => controller.abort(new Error('enough')))
  await expect(server.fetch('/', { signal: controller.signal })).rejects.toThrow('enough')
})

test.each(['closes', 'talks nonsense'])('a server that %s is an error with a text', async what => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.end(what === 'closes' ? '' : 'nonsense\r\n\r\n')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const other = await page('text/plain', 'x')
  await expect(other.fetch(`http://a.test:${port}/`)).rejects.toEqual(failing(/Cannot fetch/))
})

test('requestPinned() posts a body, for hooks, and follows nothing', async () => {
  let body = ''
  const server = await testServer((request, response) => {
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => response.writeHead(302, { location: '/other', 'content-type': 'application/json' }).end('{"a":1}'))
  })
  const response = await requestPinned({
    url: new URL(`http://127.0.0.1:${server.port}/hook`),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"event":"x"}',
    maxBytes: 1_000,
    connectTimeoutMs: 1_000,
    allowedAddresses: ['127.0.0.1'],
    signal: new AbortController().signal,
  })
  expect([body, response.status, response.body.toString()]).toEqual(['{"event":"x"}', 302, '{"a":1}'])
  expect(server.asked).toHaveLength(1)
})
