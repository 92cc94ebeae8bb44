// A conversation of one word that nobody hears, played in a thread while it waits for its task. What is loaded, compiled or checked for the
// first time takes several times as long as later, and then it is not the first model call of a user that pays for it.

import { MessageChannel } from 'node:worker_threads'
import type { AgentTask } from '../protocol/agent-task.ts'
import { openHostEnd } from '../protocol/channel-host.ts'
import type { AgentParts } from './loop.ts'
import { serveAgent } from './serve.ts'

/** Rejects for no fault of its own: what fails here fails again, and is told, in the run that needs it. */
export async function rehearse(parts: Pick<AgentParts, 'createModel' | 'tools' | 'recordTurn'>): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  const task: AgentTask = {
    agentId: 'rehearsal',
    agentType: 'rehearsal',
    skill: 'rehearsal',
    system: '',
    prompt: 'Say a word.',
    tools: [...parts.tools.keys()],
    skillListing: '',
    model: { provider: 'script', file: 'rehearsal', content: '{"reply":[{"text":"word"}]}' },
    budget: { maxTurns: 1, maxTokens: 1, maxOutputTokens: 1 },
    isRecording: false,
  }
  const host = openHostEnd(port1, task, {
    callTool: async () => ({ type: 'text', output: '', isError: true }),
    onStop: async () => ({}),
    onNestedEnd: async () => ({ type: 'text', output: '', isError: true }),
    onEvent: () => {},
  })
  await serveAgent(port2, parts)
  await host.outcome.catch(() => {})
}
