// Tasks and hosts for tests of agents: plain data, and a host that says what it was asked.

import type { AgentEvent, AgentTask } from '../../src/protocol/agent-task.ts'
import type { AgentHost } from '../../src/protocol/channel-host.ts'

export function agentTask(more: Partial<AgentTask> = {}): AgentTask {
  return {
    agentId: 'root',
    agentType: 'general-purpose',
    skill: 'review',
    system: 'You help.',
    prompt: 'answer',
    tools: [],
    skillListing: '',
    model: { provider: 'script', file: 'turns.jsonl', content: '' },
    budget: { maxTurns: 20, maxTokens: 100_000, maxOutputTokens: 1_000 },
    isRecording: false,
    ...more,
  }
}

export function quietHost(more: Partial<AgentHost> = {}): AgentHost {
  return {
    callTool: async () => ({ type: 'text', output: 'ok', isError: false }),
    onStop: async () => ({}),
    onNestedEnd: async (_, { text }) => ({ type: 'text', output: text, isError: false }),
    onEvent: () => {},
    ...more,
  }
}

/** Resolves at the first event of a type. */
export function eventSeen(type: AgentEvent['type']): { readonly seen: Promise<void>; readonly onEvent: (event: AgentEvent) => void } {
  let see: () => void = () => {}
  const seen = new Promise<void>(resolve => {
    see = resolve
  })
  return { seen, onEvent: event => (event.type === type ? see() : undefined) }
}
