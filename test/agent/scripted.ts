// A model that says what a test wrote, a host that answers what a test wants, and what both were asked.

import { z } from 'zod'
import { type AgentParts, runAgent } from '../../src/agent/loop.ts'
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts'
import type { AgentEvent, AgentOutcome, AgentTask, StopReply, ToolReply, ToolRequest } from '../../src/protocol/agent-task.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { agentTask } from '../pool/agent-tasks.ts'

export type Said = string | { readonly tool: string; readonly input?: unknown; readonly id?: string }
export interface SaidTurn {
  readonly say: readonly Said[]
  readonly reason?: 'end' | 'tool-calls' | 'max-tokens' | 'refusal' | 'other'
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
  /** Before the end, in place of it. */
  readonly fault?: unknown
  readonly retry?: { readonly attempt: number; readonly delayMs: number; readonly reason: string }
  readonly providerData?: unknown
}

export const read: Tool<{ readonly file_path: string; readonly limit?: number | undefined }> = {
  name: 'Read',
  description: 'Reads a file.',
  input: z.strictObject({ file_path: z.string(), limit: z.number().optional() }),
  isReadOnly: true,
  mainParameter: ({ file_path }) => file_path,
}
export const write: Tool<{ readonly file_path: string }> = {
  ...read,
  name: 'Write',
  input: z.strictObject({ file_path: z.string() }),
  isReadOnly: false,
  mainParameter: ({ file_path }) => file_path,
}
export const skill: Tool<{ readonly skill_name: string }> = {
  name: 'Skill',
  description: 'Invokes a skill.',
  input: z.strictObject({ skill_name: z.string() }),
  isReadOnly: false,
  mainParameter: ({ skill_name }) => skill_name,
}

export function scriptedModel(turns: readonly SaidTurn[], requests: ModelRequest[] = []): Model {
  let next = 0
  return {
    name: 'script:test',
    async *stream(request): AsyncGenerator<ModelPart> {
      requests.push(request)
      const turn = turns[next]
      next += 1
      if (!turn) throw new Error('the script has ended')
      if (turn.retry) yield { type: 'retry', ...turn.retry }
      let calls = 0
      for (const said of turn.say) {
        if (typeof said === 'string') yield { type: 'text', text: said }
        else {
          calls += 1
          yield { type: 'tool-call', call: { id: said.id ?? `call-${next}-${calls}`, name: said.tool, input: said.input } }
        }
      }
      if (turn.fault !== undefined) throw turn.fault
      const { providerData, usage = { inputTokens: 10, outputTokens: 1 } } = turn
      yield {
        type: 'finish',
        reason: turn.reason ?? (calls > 0 ? 'tool-calls' : 'end'),
        usage,
        ...(providerData !== undefined && { providerData }),
      }
    },
  }
}

export interface Played {
  readonly outcome: Promise<AgentOutcome>
  readonly events: AgentEvent[]
  readonly requests: ModelRequest[]
  readonly asked: ToolRequest[]
  readonly stops: { readonly agentId: string | undefined; readonly outcome: AgentOutcome }[]
}

export interface Play {
  readonly turns: readonly SaidTurn[]
  readonly task?: Partial<AgentTask>
  readonly signal?: AbortSignal
  readonly callTool?: (request: ToolRequest, signal: AbortSignal) => Promise<ToolReply> | ToolReply
  readonly stop?: () => StopReply
  readonly parts?: Partial<AgentParts>
}

export function play({ turns, task, signal = new AbortController().signal, callTool, stop, parts }: Play): Played {
  const events: AgentEvent[] = []
  const requests: ModelRequest[] = []
  const asked: ToolRequest[] = []
  const stops: Played['stops'] = []
  const model = scriptedModel(turns, requests)
  const outcome = runAgent(agentTask({ tools: ['Read', 'Write', 'Skill'], ...task }), {
    host: {
      emit: event => {
        events.push(event)
        return undefined
      },
      callTool: async (request, callSignal) => {
        asked.push(request)
        return (await callTool?.(request, callSignal)) ?? { type: 'text', output: `did ${request.tool}`, isError: false }
      },
      stop: async (agentId, soFar) => {
        stops.push({ agentId, outcome: soFar })
        return stop?.() ?? {}
      },
      nestedResult: async (_, { text }) => ({ type: 'text', output: text, isError: false }),
    },
    createModel: () => model,
    tools: new Map([read, write, skill].map(tool => [tool.name, tool as Tool])),
    recordTurn: (_, said) => JSON.stringify(said.map(({ type }) => type)),
    signal,
    ...parts,
  })
  outcome.catch(() => {})
  return { outcome, events, requests, asked, stops }
}

/** What the model was told of its calls, per turn. */
export function resultsIn({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(message => (message.role === 'tool' ? message.results.map(({ output }) => output) : []))
}
