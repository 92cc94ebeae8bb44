import { expect, test } from 'vitest'
import type { AgentTask, ToolReply } from '../../src/protocol/agent-task.ts'
import { agentTask } from '../pool/agent-tasks.ts'
import { play, resultsIn, type Said } from './scripted.ts'

const forking: Said = { tool: 'Skill', input: { skill_name: 'inner' } }
const readCall: Said = { tool: 'Read', input: { file_path: 'a' } }

/** A host whose Skill tool forks, one level deeper each time. */
function forks(more: Partial<AgentTask> = {}): (request: { readonly agentId?: string; readonly tool: string }) => ToolReply {
  let children = 0
  return ({ agentId, tool }) => {
    if (tool !== 'Skill') return { type: 'text', output: 'read', isError: false }
    children += 1
    const depth = agentId === undefined ? 2 : Number(agentId.split('-')[1]) + 1
    const task = agentTask({
      agentId: `child-${depth}-${children}`,
      skill: 'inner',
      tools: ['Read', 'Skill'],
      prompt: 'inner task',
      ...more,
    })
    return { type: 'agent', task }
  }
}

test('a fork in a fork runs in the same conversation of turns, and its last text is the result', async () => {
  const played = play({
    turns: [{ say: [forking] }, { say: ['looking', readCall] }, { say: ['found'] }, { say: ['all done'] }],
    callTool: forks(),
  })
  await expect(played.outcome).resolves.toEqual({
    text: 'all done',
    ended: 'completed',
    turns: 2,
    toolCalls: 2,
    inputTokens: 40,
    outputTokens: 4,
  })
  const last = played.requests.at(-1)
  expect(last && resultsIn(last)).toEqual(['found'])
  // No history of the parent (SPEC R8.1).
  expect(played.requests[1]?.messages).toEqual([{ role: 'user', text: 'inner task' }])
  expect(played.asked.map(({ agentId, tool }) => [agentId, tool])).toEqual([
    [undefined, 'Skill'],
    ['child-2-1', 'Read'],
  ])
})

test('events and the end of a fork in a fork carry its id, those of the root none', async () => {
  const played = play({ turns: [{ say: [forking] }, { say: ['inner'] }, { say: ['outer'] }], callTool: forks() })
  await played.outcome
  expect(played.events.map(event => [event.type, 'agentId' in event ? event.agentId : undefined])).toEqual([
    ['agent.started', undefined],
    ['usage', undefined],
    ['tool.started', undefined],
    ['agent.started', 'child-2-1'],
    ['text.delta', 'child-2-1'],
    ['usage', 'child-2-1'],
    ['agent.finished', 'child-2-1'],
    ['tool.finished', undefined],
    ['text.delta', undefined],
    ['usage', undefined],
    ['agent.finished', undefined],
  ])
  expect(played.stops.map(({ agentId }) => agentId)).toEqual(['child-2-1', undefined])
  expect(played.events.findLast(event => event.type === 'usage')).toMatchObject({ totalTokens: 33, totalToolCalls: 1 })
})

test('a fork in a fork draws on the tokens of its root', async () => {
  const budget = { maxTurns: 20, maxTokens: 33, maxOutputTokens: 1_000 }
  const played = play({
    turns: [{ say: [forking] }, { say: ['one', readCall] }, { say: ['two', readCall] }, { say: ['never'] }],
    task: { budget },
    callTool: forks({ budget: { ...budget, maxTokens: 1_000_000 } }),
  })
  // 11 of the root and 22 of the fork: both are at their end.
  await expect(played.outcome).resolves.toMatchObject({ ended: 'max-tokens', turns: 1, inputTokens: 30, outputTokens: 3 })
  expect(played.events.filter(({ type }) => type === 'agent.finished')).toMatchObject([
    { agentId: 'child-2-1', ended: 'max-tokens', turns: 2 },
    { ended: 'max-tokens', turns: 1 },
  ])
})

test('turns are each agent’s own', async () => {
  const budget = { maxTurns: 2, maxTokens: 1_000, maxOutputTokens: 1_000 }
  const played = play({
    turns: [{ say: [forking] }, { say: [readCall] }, { say: ['inner'] }, { say: ['outer'] }],
    task: { budget },
    callTool: forks({ budget }),
  })
  await expect(played.outcome).resolves.toMatchObject({ ended: 'completed', text: 'outer', turns: 2 })
})

test('a fault and an abort in a fork in a fork end the whole run', async () => {
  const fault = new Error('gone')
  await expect(play({ turns: [{ say: [forking] }, { say: [], fault }], callTool: forks() }).outcome).rejects.toBe(fault)
  const controller = new AbortController()
  const reason = new Error('left')
  const fork = forks()
  const played = play({
    turns: [{ say: [forking] }, { say: [readCall] }],
    signal: controller.signal,
    callTool: (request, signal) => {
      if (request.tool === 'Skill') return fork(request)
      controller.abort(reason)
      return Promise.reject(signal.reason)
    },
  })
  await expect(played.outcome).rejects.toBe(reason)
})
