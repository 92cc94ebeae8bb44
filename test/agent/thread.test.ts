// The compiled thread in a real pool: what of a run is left for the next, what reaches the host, and that a process ends by itself.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { type AgentPool, createAgentPool } from '../../src/pool/agent-pool.ts'
import type { AgentEvent, ToolRequest } from '../../src/protocol/agent-task.ts'
import { agentTask, eventSeen, quietHost } from '../pool/agent-tasks.ts'

const never = new AbortController().signal
const child = fileURLToPath(new URL('../fixtures/workers/agent-pool-child.mjs', import.meta.url))
const unruly = fileURLToPath(new URL('../fixtures/workers/unruly-agent.mjs', import.meta.url))

const pool = createAgentPool({ threads: 1, heapMb: 128 })
afterAll(() => pool.close())

function scripted(...turns: readonly object[]): { readonly provider: 'script'; readonly file: string; readonly content: string } {
  return { provider: 'script', file: 'turns.jsonl', content: turns.map(turn => JSON.stringify(turn)).join('\n') }
}

test('a scripted fork runs in its thread: text, a call, its result, the end', async () => {
  const asked: ToolRequest[] = []
  const events: AgentEvent[] = []
  const input = { file_path: 'notes.md' }
  const model = scripted(
    { reply: [{ text: 'looking' }, { toolCall: { name: 'Read', input } }] },
    { expect: { toolResults: ['six lines'] }, reply: [{ text: 'done' }] },
  )
  const outcome = await pool.run(
    agentTask({ tools: ['Read'], model }),
    quietHost({
      callTool: async request => {
        asked.push(request)
        return { type: 'text', output: 'six lines', isError: false }
      },
      onEvent: event => void events.push(event),
    }),
    never,
  )
  expect(outcome).toMatchObject({ text: 'done', ended: 'completed', turns: 2, toolCalls: 1 })
  expect(asked).toMatchObject([{ tool: 'Read', input }])
  expect(events.find(event => event.type === 'tool.started')).toMatchObject({ parameter: 'notes.md' })
})

test('a recorded fork and one inside it play again, from one script', async () => {
  const play = async (content: string): Promise<{ readonly text: string; readonly lines: readonly string[] }> => {
    const lines: string[] = []
    const model = { provider: 'script', file: 'turns.jsonl', content }
    const { text } = await pool.run(
      agentTask({ tools: ['Skill'], model, isRecording: true }),
      quietHost({
        callTool: async () => ({
          type: 'agent',
          task: agentTask({ agentId: 'child', prompt: 'look inside', model, isRecording: true }),
        }),
        onEvent: event => {
          if (event.type === 'turn.recorded') lines.push(event.line)
        },
      }),
      never,
    )
    return { text, lines }
  }
  const turns = [
    { reply: [{ toolCall: { name: 'Skill', input: { skill_name: 'inner' } } }] },
    { expect: { lastUserIncludes: 'look inside' }, reply: [{ text: 'found' }] },
    { expect: { toolResults: ['found'] }, reply: [{ text: 'outer' }] },
  ]
  const first = await play(scripted(...turns).content)
  expect(first).toMatchObject({ text: 'outer', lines: { length: 3 } })
  await expect(play(first.lines.join('\n'))).resolves.toEqual(first)
})

test('an abort ends a fork in a turn of its model and in a call', async () => {
  const waiting = scripted({ reply: [{ text: 'x' }], delayMs: 60_000 })
  const controller = new AbortController()
  const { seen, onEvent } = eventSeen('agent.started')
  const inModel = pool.run(agentTask({ model: waiting }), quietHost({ onEvent }), controller.signal)
  await seen
  controller.abort(new Error('left in a turn'))
  await expect(inModel).rejects.toThrow('left in a turn')

  const calling = new AbortController()
  const model = scripted({ reply: [{ toolCall: { name: 'Read', input: { file_path: 'a' } } }] })
  const inCall = pool.run(
    agentTask({ tools: ['Read'], model }),
    quietHost({
      callTool: (_, signal) => {
        calling.abort(new Error('left in a call'))
        expect(signal.aborted).toBe(true)
        return new Promise(() => {})
      },
    }),
    calling.signal,
  )
  await expect(inCall).rejects.toThrow('left in a call')
})

test('a key is in no event and no error of a fork', async () => {
  const apiKey = 'sk-secret-key-123'
  const told: unknown[] = []
  const model = { provider: 'openai', modelId: 'm', apiKey, baseUrl: 'not an address' }
  const error = await pool
    .run(agentTask({ model }), quietHost({ onEvent: event => void told.push(event) }), never)
    .catch(error => ({ message: error.message, details: error.details, code: error.code, stack: error.stack }))
  expect(error).toMatchObject({ code: expect.stringMatching(/^MODEL_/) })
  expect(JSON.stringify([told, error])).not.toContain(apiKey)
})

test('nothing of one run is there in the next, and nothing of the process in either', async () => {
  process.env.SKILLCELL_TEST_CANARY = 'canary'
  const unrulyPool: AgentPool = createAgentPool({ threads: 1, spareThreads: 1, heapMb: 32, entry: unruly })
  const say = async (prompt: string): Promise<string> => (await unrulyPool.run(agentTask({ prompt }), quietHost(), never)).text
  try {
    expect(JSON.parse(await say('place'))).toEqual({ names: [], arguments: [], node: [] })
    await say('mark')
    for (let run = 0; run < 3; run += 1) expect(JSON.parse(await say('look'))).toEqual([null, null, null, false])
  } finally {
    delete process.env.SKILLCELL_TEST_CANARY
    await unrulyPool.close()
  }
})

test.each([
  ['close', 'word\nlast line\n'],
  ['leave', 'word\nlast line\n'],
  ['idle', 'last line\n'],
  ['print', 'word\nlast line\n'],
])('a process with a pool ends by itself, and nothing of a thread is in its output: %s', async (how, wanted) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [child, how], { timeout: 50_000 })
  expect(stdout).toBe(wanted)
  expect(stderr).toBe('')
})
