import { describe, expect, test } from 'vitest'
import { isRunning, listen, programServer, sourceOf } from './servers.ts'

async function told(source: ReturnType<typeof sourceOf>): Promise<{ names: string[]; messages: string[] }> {
  const { prompts, diagnostics } = await source.list()
  return { names: prompts.map(({ server, name }) => `${server} ${name}`), messages: diagnostics.map(({ message }) => message) }
}

describe('a server that is a program', () => {
  test('is started at the first question, lists its prompts and renders one', async () => {
    const source = sourceOf({ docs: programServer('plain', { TOKEN: 'x' }) })
    expect(source.started).toHaveLength(0)
    const { prompts, diagnostics } = await source.list()
    expect(diagnostics).toEqual([])
    expect(prompts).toEqual([
      {
        server: 'docs',
        name: 'review',
        description: 'Reviews a file.',
        arguments: [
          { name: 'file', required: true },
          { name: 'focus', required: false },
        ],
      },
    ])
    const answer = JSON.parse(await source.render('docs', 'review', { file: 'a b' }))
    expect([answer.name, answer.values, answer.env.TOKEN]).toEqual(['review', { file: 'a b' }, 'x'])
    await source.list()
    expect(source.started).toHaveLength(1)
  })

  test('gets no variable of the host beyond the allowlist', async () => {
    process.env.SKILLCELL_TEST_SECRET = 'canary'
    try {
      const answer = await sourceOf({ docs: programServer('plain') }).render('docs', 'review', { file: 'x' })
      expect(answer).not.toContain('canary')
      expect(JSON.parse(answer).env.PATH).toBeTruthy()
    } finally {
      delete process.env.SKILLCELL_TEST_SECRET
    }
  })

  test.each([
    ['exits', /exit code 3.*no licence found/s],
    ['silent', /did not answer within 4000 ms/],
    ['flood', /lines that are no message|bytes/],
    ['endless-line', /a line of more than 8388608 bytes/],
  ])('that is %s is a diagnostic, and the others load', async (mode, message) => {
    const source = sourceOf({ bad: programServer(mode), good: programServer('plain') }, { timeoutMs: mode === 'silent' ? 4_000 : 20_000 })
    const { names, messages } = await told(source)
    expect([names, messages.length]).toEqual([['good review'], 1])
    expect(messages[0]).toMatch(message)
    await source.close()
    await Promise.all(source.started.map(({ exited }) => exited))
  })

  test('that ends at once is told by how it ended, whoever is first', async () => {
    const bad = { command: '/bin/sh', args: ['-c', 'exec <&-; echo no licence >&2; exit 3'] }
    for (let count = 0; count < 5; count++) {
      const { messages } = await told(sourceOf({ bad }))
      expect(messages).toEqual(['Cannot list the prompts of the MCP server "bad": its program ended with exit code 3; it said: no licence'])
    }
  })

  test('tells of a prompt that cannot be read in one sentence', async () => {
    const { messages } = await told(sourceOf({ s: programServer('bad-item') }))
    for (const message of messages) expect(message).toMatch(/^The MCP server "s": a prompt that it lists cannot be read: [^✖→\n]+$/)
  })

  test('that cannot be started is a diagnostic that names the program', async () => {
    const { messages } = await told(sourceOf({ none: { command: '/none/such' } }))
    expect(messages).toEqual([expect.stringContaining('/none/such')])
  })

  test.each([
    ['no-prompts', [], 0],
    ['noisy', ['s review'], 0],
    ['bad-item', ['s review'], 3],
    ['pages', ['s review', 's second'], 0],
    ['same-page', ['s review', 's review'], 1],
    ['large', ['s review'], 0],
  ])('%s: lists %j with %i diagnostics', async (mode, names, problems) => {
    const answer = await told(sourceOf({ s: programServer(mode) }))
    expect([answer.names, answer.messages.length]).toEqual([names, problems])
  })

  test('is read up to a limit: 1,000 prompts, 50 pages', async () => {
    const many = await told(sourceOf({ s: programServer('many') }))
    expect([many.names.length, many.messages]).toEqual([1_000, [expect.stringContaining('more than 1000 prompts')]])
    const endless = await told(sourceOf({ s: programServer('endless-pages') }))
    expect([endless.names.length, endless.messages]).toEqual([50, [expect.stringContaining('no end')]])
  })

  test('is asked again when it says that its list has changed', async () => {
    const source = sourceOf({ s: programServer('changes') })
    expect((await told(source)).names).toEqual(['s review'])
    await source.render('s', 'review', { file: 'x' })
    expect((await told(source)).names).toEqual(['s review', 's new1'])
  })

  test('that failed is left alone for a while, then asked again', async () => {
    const source = sourceOf({ s: programServer('exits') }, { retryMs: 60_000 })
    await source.list()
    await source.list()
    expect(source.started).toHaveLength(1)
    const impatient = sourceOf({ s: programServer('exits') }, { retryMs: 0 })
    await impatient.list()
    await impatient.list()
    expect(impatient.started).toHaveLength(2)
  })

  test('that dies is started again at the next question', async () => {
    const source = sourceOf({ s: programServer('dies-later') })
    await source.list()
    await expect(source.render('s', 'review', { file: 'x' })).rejects.toThrow(/exit code 9/)
    expect((await told(source)).names).toEqual(['s review'])
    expect(source.started).toHaveLength(2)
  })

  test.each([
    ['fails', /printer is on fire/],
    ['hangs-later', /did not answer within 4000 ms/],
  ])('that %s tells so', async (mode, message) => {
    await expect(sourceOf({ s: programServer(mode) }, { timeoutMs: 4_000 }).render('s', 'review', {})).rejects.toThrow(message)
  })

  test('heeds the signal of the caller', async () => {
    const source = sourceOf({ s: programServer('hangs-later') })
    await source.list()
    const reason = new Error('enough')
    const controller = new AbortController()
    const asked = source.render('s', 'review', {}, controller.signal)
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
  })

  test.each(['stubborn', 'breeds'])('that is %s leaves nothing behind', async mode => {
    const source = sourceOf({ s: programServer(mode) })
    const { ids } = JSON.parse(await source.render('s', 'review', { file: 'x' }))
    expect(ids).toHaveLength(mode === 'breeds' ? 2 : 1)
    await source.close()
    expect(ids.filter(isRunning)).toEqual([])
    await expect(source.render('s', 'review', {})).rejects.toThrow(/closed/)
  })
})

describe('a server at an address', () => {
  test('lists and renders, with the configured headers', async () => {
    const url = await listen()
    const source = sourceOf({ web: { url, headers: { authorization: 'Bearer t' } } })
    expect(await told(source)).toEqual({ names: ['web ask'], messages: [] })
    expect(await source.render('web', 'ask', {})).toBe('ask Bearer t')
  })

  test('that redirects does not get the headers carried on', async () => {
    const seen: (string | undefined)[] = []
    const other = await listen(request => {
      seen.push(request.headers.authorization)
      return false
    })
    const url = await listen((_, response) => {
      response.writeHead(307, { location: other }).end()
      return true
    })
    const { names, messages } = await told(sourceOf({ web: { url, headers: { authorization: 'secret' } } }))
    expect([names, messages.length, seen]).toEqual([[], 1, []])
    expect(messages[0]).not.toContain('secret')
  })

  test.each([
    ['says 500', (response: import('node:http').ServerResponse) => response.writeHead(500).end('no')],
    ['says nothing', () => undefined],
    [
      'is no such server',
      (response: import('node:http').ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
  ])('that %s is a diagnostic', async (_, answer) => {
    const url = await listen((_request, response) => {
      answer(response)
      return true
    })
    const { names, messages } = await told(sourceOf({ web: { url } }, { timeoutMs: 1_000 }))
    expect([names, messages.length]).toEqual([[], 1])
  })

  test('that sends without end is cut', async () => {
    const url = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const write = (): void => {
        while (response.write('x'.repeat(1024 * 1024)));
        response.once('drain', write)
      }
      write()
      return true
    })
    const { messages } = await told(sourceOf({ web: { url } }))
    expect(messages).toEqual([expect.stringContaining('more than 67108864 bytes')])
  })

  test('that is not there is a diagnostic', async () => {
    expect((await told(sourceOf({ web: { url: 'http://127.0.0.1:9/mcp' } }))).messages).toHaveLength(1)
  })
})
