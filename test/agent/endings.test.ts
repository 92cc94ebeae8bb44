import { expect, test } from 'vitest'
import type { AgentEnd } from '../../src/protocol/agent-task.ts'
import { play, type SaidTurn } from './scripted.ts'

const readCall = { tool: 'Read', input: { file_path: 'a.md' } }
const small = { maxTurns: 2, maxTokens: 100_000, maxOutputTokens: 1_000 }

interface Row {
  readonly does: string
  readonly turns: readonly SaidTurn[]
  readonly budget?: typeof small
  readonly ended: AgentEnd
  readonly text: string
  readonly turnsTaken: number
  readonly toolCalls: number
  readonly tokens: number
}

const rows: readonly Row[] = [
  {
    does: 'ends at a turn without calls',
    turns: [{ say: ['a', 'b'] }],
    ended: 'completed',
    text: 'ab',
    turnsTaken: 1,
    toolCalls: 0,
    tokens: 11,
  },
  {
    does: 'gives no text where there was none',
    turns: [{ say: [] }],
    ended: 'completed',
    text: '',
    turnsTaken: 1,
    toolCalls: 0,
    tokens: 11,
  },
  {
    does: 'goes on after a call and gives the last text',
    turns: [{ say: ['first', readCall] }, { say: ['last'] }],
    ended: 'completed',
    text: 'last',
    turnsTaken: 2,
    toolCalls: 1,
    tokens: 22,
  },
  {
    does: 'keeps the text of an earlier turn where the last has none',
    turns: [{ say: ['first', readCall] }, { say: [] }],
    ended: 'completed',
    text: 'first',
    turnsTaken: 2,
    toolCalls: 1,
    tokens: 22,
  },
  {
    does: 'runs the calls of a turn that says it has ended',
    turns: [{ say: [readCall], reason: 'end' }, { say: ['done'] }],
    ended: 'completed',
    text: 'done',
    turnsTaken: 2,
    toolCalls: 1,
    tokens: 22,
  },
  {
    does: 'ends where a turn says it has calls and has none',
    turns: [{ say: ['none'], reason: 'tool-calls' }],
    ended: 'completed',
    text: 'none',
    turnsTaken: 1,
    toolCalls: 0,
    tokens: 11,
  },
  {
    does: 'ends at a refusal',
    turns: [{ say: ['no'], reason: 'refusal' }],
    ended: 'refusal',
    text: 'no',
    turnsTaken: 1,
    toolCalls: 0,
    tokens: 11,
  },
  {
    does: 'ends at a cut answer and runs none of its calls',
    turns: [{ say: ['cut', readCall], reason: 'max-tokens' }],
    ended: 'max-output-tokens',
    text: 'cut',
    turnsTaken: 1,
    toolCalls: 0,
    tokens: 11,
  },
  {
    does: 'takes as many turns as it may',
    turns: [{ say: [readCall] }, { say: ['second'] }],
    budget: small,
    ended: 'completed',
    text: 'second',
    turnsTaken: 2,
    toolCalls: 1,
    tokens: 22,
  },
  {
    does: 'takes no turn more than it may',
    turns: [{ say: ['first', readCall] }, { say: ['second', readCall] }, { say: ['third'] }],
    budget: small,
    ended: 'max-turns',
    text: 'second',
    turnsTaken: 2,
    toolCalls: 2,
    tokens: 22,
  },
  {
    does: 'takes no turn when it may none',
    turns: [],
    budget: { ...small, maxTurns: 0 },
    ended: 'max-turns',
    text: '',
    turnsTaken: 0,
    toolCalls: 0,
    tokens: 0,
  },
  {
    does: 'takes a turn with one token left',
    turns: [{ say: [readCall] }, { say: ['second'] }],
    budget: { ...small, maxTokens: 12 },
    ended: 'completed',
    text: 'second',
    turnsTaken: 2,
    toolCalls: 1,
    tokens: 22,
  },
  {
    does: 'takes no turn with no token left',
    turns: [{ say: ['first', readCall] }, { say: ['second'] }],
    budget: { ...small, maxTokens: 11 },
    ended: 'max-tokens',
    text: 'first',
    turnsTaken: 1,
    toolCalls: 1,
    tokens: 11,
  },
]

test.each(rows)('runAgent() $does', async ({ turns, budget, ended, text, turnsTaken, toolCalls, tokens }) => {
  const played = play({ turns, ...(budget && { task: { budget } }) })
  const outcome = await played.outcome
  expect(outcome).toMatchObject({ text, ended, turns: turnsTaken, toolCalls })
  expect(outcome.inputTokens + outcome.outputTokens).toBe(tokens)
  expect(played.events.at(0)?.type).toBe('agent.started')
  expect(played.events.at(-1)).toEqual({ type: 'agent.finished', ended, turns: turnsTaken })
  expect(played.stops.length).toBe(ended === 'completed' ? 1 : 0)
})
