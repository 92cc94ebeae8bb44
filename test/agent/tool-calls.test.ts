import fc from 'fast-check'
import { expect, test } from 'vitest'
import { play, resultsIn, type Said } from './scripted.ts'

const reading = (file: string, id?: string): Said => ({ tool: 'Read', input: { file_path: file }, ...(id !== undefined && { id }) })
const writing = (file: string): Said => ({ tool: 'Write', input: { file_path: file } })

const refused: readonly [what: string, call: Said, texts: readonly string[]][] = [
  ['an unknown tool', { tool: 'Fly', input: {} }, ['"Fly"', 'Read, Write, Skill']],
  ['a tool that is not offered', { tool: 'Bash', input: { command: 'ls' } }, ['"Bash"', 'Read, Write, Skill']],
  ['a missing field', { tool: 'Read', input: {} }, ['Cannot call Read', '"file_path"']],
  ['a wrong type', { tool: 'Read', input: { file_path: 7 } }, ['"file_path"', 'string']],
  ['an unknown field', { tool: 'Read', input: { file_path: 'a', size: 1 } }, ['size', '"limit" (optional)']],
  ['no JSON', { tool: 'Read', input: '{"file_path":' }, ['no JSON object']],
  ['no input', { tool: 'Read' }, ['Cannot call Read']],
  ['a list', { tool: 'Read', input: [] }, ['Cannot call Read']],
  ['a name of the language', { tool: 'constructor', input: {} }, ['"constructor"']],
]

test.each(refused)('a call with %s is answered with what would do, and reaches no host', async (_, call, texts) => {
  const played = play({ turns: [{ say: [call] }, { say: ['done'] }] })
  await expect(played.outcome).resolves.toMatchObject({ text: 'done', ended: 'completed' })
  expect(played.asked).toEqual([])
  const [, second] = played.requests
  const told = second?.messages.at(-1)
  expect(told).toMatchObject({ role: 'tool', results: [{ isError: true }] })
  for (const text of texts) expect(second && resultsIn(second).join()).toContain(text)
  expect(played.events.filter(({ type }) => type === 'tool.started' || type === 'tool.finished')).toMatchObject([
    { type: 'tool.started', parameter: '' },
    { type: 'tool.finished', isError: true, reason: expect.stringMatching(/^Cannot call /) },
  ])
})

test.each([
  ['one line', 'Cannot read "a":\n  no such file', 'Cannot read "a": no such file'],
  ['no sign that a terminal obeys', 'a\u001b[2Jb\u202ec', 'a\\u{1b}[2Jb\\u{202e}c'],
  ['200 characters whole', 'x'.repeat(200), 'x'.repeat(200)],
  ['the two ends of 201', `${'x'.repeat(200)}]`, `${'x'.repeat(139)}…${'x'.repeat(59)}]`],
  ['the end of megabytes', `${'x '.repeat(2_000_000)}[Exit code 3]`, expect.stringMatching(/^x x .*…[x ]*\[Exit code 3\]$/)],
  ['whole characters', '😀'.repeat(150), expect.not.stringMatching(/\p{Surrogate}/u)],
])('tool.finished tells of an error why: %s', async (_, output, reason) => {
  const callTool = async () => ({ type: 'text', output, isError: true }) as const
  const played = play({ turns: [{ say: [reading('a')] }, { say: [] }], callTool })
  await played.outcome
  const finished = played.events.find(event => event.type === 'tool.finished')
  expect(finished).toMatchObject({ isError: true, reason })
  expect(String(finished?.type === 'tool.finished' && finished.reason).length).toBeLessThanOrEqual(200)
})

test('tool.finished tells no reason of a success', async () => {
  const played = play({ turns: [{ say: [reading('a')] }, { say: [] }] })
  await played.outcome
  expect(played.events.find(event => event.type === 'tool.finished')).not.toHaveProperty('reason')
})

test('a call gives the host the input as the model gave it', async () => {
  const input = { file_path: 'a', limit: 2 }
  const played = play({ turns: [{ say: [{ tool: 'Read', input }] }, { say: [] }] })
  await played.outcome
  expect(played.asked).toEqual([{ callId: 'call-1-1', tool: 'Read', input }])
})

/** Plays one turn of calls with a host that finishes them when it likes; tells how many were under way at each start. */
async function underWay(
  say: readonly Said[],
): Promise<{ readonly started: readonly string[]; readonly results: readonly string[]; readonly most: number }> {
  const started: string[] = []
  const open: (() => void)[] = []
  let most = 0
  let now = 0
  const played = play({
    turns: [{ say }, { say: [] }],
    callTool: async ({ tool, input }) => {
      const { file_path } = Object(input)
      now += 1
      most = Math.max(most, now)
      started.push(`${tool} ${file_path} beside ${now - 1}`)
      await new Promise<void>(resolve => {
        open.push(resolve)
        // The last that came ends first, when nobody else comes.
        setImmediate(() => open.pop()?.())
      })
      now -= 1
      return { type: 'text', output: `${tool} ${file_path}`, isError: false }
    },
  })
  await played.outcome
  const [, second] = played.requests
  return { started, most, results: second ? resultsIn(second) : [] }
}

test('calls that only read run side by side, others one by one, and results come in the order asked', async () => {
  const { started, results } = await underWay([reading('a'), reading('b'), writing('c'), writing('d'), reading('e')])
  expect(started).toEqual(['Read a beside 0', 'Read b beside 1', 'Write c beside 0', 'Write d beside 0', 'Read e beside 0'])
  expect(results).toEqual(['Read a', 'Read b', 'Write c', 'Write d', 'Read e'])
})

test.each([
  [7, 7],
  [8, 8],
  [9, 8],
])('%s calls that only read run %s at once', async (calls, most) => {
  const ran = await underWay(Array.from({ length: calls }, (_, call) => reading(`f${call}`)))
  expect(ran.most).toBe(most)
  expect(ran.results).toHaveLength(calls)
})

test('for any list of calls, results are in the order asked and nothing runs beside a call that writes', async () => {
  const call = fc.oneof(
    fc.nat(5).map(number => reading(`${number}`)),
    fc.nat(5).map(number => writing(`${number}`)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 20 }), async say => {
      const { started, results } = await underWay(say)
      expect(results).toEqual(say.map(said => (typeof said === 'string' ? '' : `${said.tool} ${Object(said.input).file_path}`)))
      for (const line of started) if (line.startsWith('Write')) expect(line).toMatch(/ beside 0$/)
    }),
    { numRuns: 50 },
  )
})

test('a number that the model gives twice is another one for the host, and its own for the model', async () => {
  const played = play({ turns: [{ say: [reading('a', 'same'), reading('b', 'same')] }, { say: [reading('c', 'same')] }, { say: [] }] })
  await played.outcome
  expect(played.asked.map(({ callId }) => callId)).toEqual(['same', 'same-2', 'same-3'])
  const [, , third] = played.requests
  const ids = third?.messages.flatMap(message => (message.role === 'tool' ? message.results.map(({ id }) => id) : []))
  expect(ids).toEqual(['same', 'same', 'same'])
})

test('a fault of the host ends the agent, and the calls beside it', async () => {
  const fault = new Error('the host broke')
  let beside: AbortSignal | undefined
  const played = play({
    turns: [{ say: [reading('a'), reading('b')] }],
    callTool: ({ input }, signal) => {
      if (Object(input).file_path === 'b') throw fault
      beside = signal
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
  })
  await expect(played.outcome).rejects.toBe(fault)
  expect(beside?.reason).toBe(fault)
  expect(played.requests).toHaveLength(1)
})

test('an abort reaches the calls under way, with its reason, and nothing more is asked', async () => {
  const controller = new AbortController()
  const reason = new Error('left')
  const played = play({
    turns: [{ say: [writing('a'), writing('b')] }, { say: ['never'] }],
    signal: controller.signal,
    callTool: (_, signal) => {
      controller.abort(reason)
      return Promise.reject(signal.reason)
    },
  })
  await expect(played.outcome).rejects.toBe(reason)
  expect(played.asked).toHaveLength(1)
  expect(played.requests).toHaveLength(1)
})
