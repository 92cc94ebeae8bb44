import { MessageChannel } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { serveAgent, silence } from '../../src/agent/serve.ts'
import { SkillcellError } from '../../src/errors.ts'
import type { Model } from '../../src/models/model.ts'
import type { AgentEvent, AgentTask } from '../../src/protocol/agent-task.ts'
import { type AgentHost, type HostEnd, openHostEnd } from '../../src/protocol/channel-host.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { agentTask, quietHost } from '../pool/agent-tasks.ts'
import { read, scriptedModel } from './scripted.ts'

let close: () => void = () => {}
afterEach(() => close())

function serve(
  model: Model,
  task: Partial<AgentTask> = {},
  host: Partial<AgentHost> = {},
): { readonly end: HostEnd; readonly served: Promise<void> } {
  const { port1, port2 } = new MessageChannel()
  close = () => {
    port1.close()
    port2.close()
  }
  const tools = new Map([[read.name, read as Tool]])
  const served = serveAgent(port2, { createModel: async () => model, tools, recordTurn: () => '{}' })
  return { end: openHostEnd(port1, agentTask({ tools: ['Read'], ...task }), quietHost(host)), served }
}

test('serveAgent() runs one task over its port, with its events and calls', async () => {
  const events: AgentEvent['type'][] = []
  const model = scriptedModel([{ say: ['looking', { tool: 'Read', input: { file_path: 'a' } }] }, { say: ['done'] }])
  const { end, served } = serve(model, {}, { onEvent: event => void events.push(event.type) })
  await expect(end.outcome).resolves.toMatchObject({ text: 'done', toolCalls: 1 })
  await served
  expect(events).toEqual(['agent.started', 'text.delta', 'usage', 'tool.started', 'tool.finished', 'text.delta', 'usage', 'agent.finished'])
})

test('serveAgent() tells a fault as code, message and details, without the key wherever it stands', async () => {
  const key = 'sk-secret-key'
  const fault = new SkillcellError('MODEL_FAILED', `status 401 for ${key}`, { details: { status: 401, header: `Bearer ${key}` } })
  const { end } = serve(scriptedModel([{ say: [], fault }]), { model: { provider: 'openai', modelId: 'm', apiKey: key } })
  await expect(end.outcome).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: 'status 401 for [key]',
    details: { status: 401, header: 'Bearer [key]' },
  })
})

test('serveAgent() tells a fault of ours as INTERNAL, without the key', async () => {
  const { end } = serve(scriptedModel([{ say: [], fault: new TypeError('broke with sk-secret-key') }]), {
    model: { provider: 'openai', modelId: 'm', apiKey: 'sk-secret-key' },
  })
  await expect(end.outcome).rejects.toMatchObject({ code: 'INTERNAL', message: 'broke with [key]' })
})

test('serveAgent() ends at an abort in a turn of the model, whose signal gets the cause', async () => {
  let begun: (signal: AbortSignal) => void = () => {}
  const inModel = new Promise<AbortSignal>(resolve => {
    begun = resolve
  })
  const model: Model = {
    name: 'script:waits',
    async *stream({ signal }) {
      begun(signal)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
  }
  const { end, served } = serve(model)
  const signal = await inModel
  const reason = new SkillcellError('TIMED_OUT', 'too late')
  end.end(reason)
  await expect(end.outcome).rejects.toBe(reason)
  await served
  expect(signal.reason).toMatchObject({ code: 'TIMED_OUT', message: 'too late' })
})

test('silence() writes nowhere and still calls back', async () => {
  const written: unknown[] = []
  const stream = { write: (text: unknown) => written.push(text) } as unknown as NodeJS.WriteStream
  silence(stream)
  expect(stream.write('a')).toBe(true)
  await new Promise<void>(resolve => stream.write('b', () => resolve()))
  await new Promise<void>(resolve => stream.write('c', 'utf8', () => resolve()))
  expect(written).toEqual([])
})
