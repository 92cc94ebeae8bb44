// The task that the benches of forks run: one turn of a written conversation, so nothing of it is a network; and a host that only listens.

import type { AgentTask } from '../src/protocol/agent-task.ts'
import type { AgentHost } from '../src/protocol/channel-host.ts'

export const oneWord: AgentTask = {
  agentId: 'root',
  agentType: 'general-purpose',
  skill: 'bench',
  system: 'You help.',
  prompt: 'Say a word.',
  tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'Skill', 'TodoWrite', 'WebFetch'],
  skillListing: '',
  model: { provider: 'script', file: 'bench.jsonl', content: '{"reply":[{"text":"word"}]}' },
  budget: { maxTurns: 1, maxTokens: 1_000, maxOutputTokens: 1_000 },
  isRecording: false,
}

export function listeningHost(onEvent: AgentHost['onEvent']): AgentHost {
  return {
    callTool: async () => ({ type: 'text', output: '', isError: false }),
    onStop: async () => ({}),
    onNestedEnd: async (_, { text }) => ({ type: 'text', output: text, isError: false }),
    onEvent,
  }
}
