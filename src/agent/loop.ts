// The conversation of one agent: a turn of the model, its tool calls, their results, and again, until a turn asks for no tool and the host
// lets it end. A budget that is used up, a refusal and a cut answer are ends with a result; a fault or an abort throws.

import { SkillcellError } from '../errors.ts'
import type { ModelConnection } from '../models/connection.ts'
import type { Model, ModelMessage, ModelPart, ModelRequest } from '../models/model.ts'
import type { AgentEnd, AgentOutcome, AgentTask, TextReply } from '../protocol/agent-task.ts'
import type { Tool } from '../tools/tool.ts'
import { type Budget, createBudget } from './budget.ts'
import { keyHider, readConnection, readEffort } from './connection.ts'
import type { AgentHostCalls } from './host.ts'
import { type OfferedTools, offerTools } from './offered-tools.ts'
import { runToolCalls } from './tool-calls.ts'
import { streamTurn, type Turn } from './turn.ts'

export interface AgentParts {
  readonly host: AgentHostCalls
  readonly createModel: (connection: ModelConnection) => Model | Promise<Model>
  readonly tools: ReadonlyMap<string, Tool>
  /** One line for a `script:` file. */
  readonly recordTurn: (request: ModelRequest, parts: readonly ModelPart[]) => string
  readonly signal: AbortSignal
}

/** How often a hook may send an agent on. */
const maxContinuations = 8

/** Runs the root agent and those in it. @throws {SkillcellError} a fault of the model or the host; the reason of the signal. */
export function runAgent(task: AgentTask, parts: AgentParts): Promise<AgentOutcome> {
  return converse(task, parts, {
    budget: createBudget(task.budget),
    isRoot: true,
    usedCallIds: new Set(),
    openModel: onePerConnection(parts),
  })
}

/** One model for all agents that are reached in one way: a script is one conversation, and its next turn is whoever's turn it is. */
function onePerConnection({ createModel }: AgentParts): Place['openModel'] {
  const models = new Map<string, Promise<Model>>()
  return connection => {
    const key = JSON.stringify(connection)
    const model = models.get(key) ?? Promise.resolve(createModel(connection))
    models.set(key, model)
    return model
  }
}

/** What the agents of one run share, and where this one stands. */
interface Place {
  readonly budget: Budget
  /** Events of the root carry no id. */
  readonly isRoot: boolean
  readonly usedCallIds: Set<string>
  readonly openModel: (connection: ModelConnection) => Promise<Model>
}

async function converse(task: AgentTask, parts: AgentParts, place: Place): Promise<AgentOutcome> {
  const { host, signal } = parts
  const { budget } = place
  signal.throwIfAborted()
  const agentId = place.isRoot ? undefined : task.agentId
  const from = agentId === undefined ? {} : { agentId }
  const connection = readConnection(task.model)
  const hideKey = keyHider(connection)
  const model = await place.openModel(connection)
  const tools = offerTools(task, parts.tools)
  await host.emit({ type: 'agent.started', ...from, agentType: task.agentType, skill: task.skill, model: model.name })

  const messages: ModelMessage[] = [{ role: 'user', text: task.prompt }]
  let text = ''
  let continuations = 0
  const outcome = (ended: AgentEnd): AgentOutcome => {
    const { turns, toolCalls, inputTokens, outputTokens } = budget
    return { text, ended, turns, toolCalls, inputTokens, outputTokens }
  }
  // A fork inside this one: a conversation of its own in the same thread and the same budget (SPEC R7.2, R8.4).
  const nested = async (nestedTask: AgentTask, nestedSignal: AbortSignal): Promise<TextReply> => {
    const given = { ...parts, signal: nestedSignal }
    const ended = await converse(nestedTask, given, { ...place, budget: budget.nested(nestedTask.budget), isRoot: false })
    return host.nestedResult(nestedTask.agentId, ended, nestedSignal)
  }

  /** Tells what ends the conversation, or that it goes on. */
  const step = async (): Promise<AgentEnd | undefined> => {
    const usedUp = budget.usedUp()
    if (usedUp) return usedUp
    const request = requestOf(task, messages, tools, signal)
    const turn = await streamTurn(model, request, { ...from, isRecording: task.isRecording, emit: host.emit, hideKey })
    budget.countTurn(turn.usage)
    if (turn.text !== '') text = turn.text
    if (task.isRecording) await host.emit({ type: 'turn.recorded', line: parts.recordTurn(request, turn.parts) })
    const { tokens: totalTokens, toolCalls: totalToolCalls } = budget.total
    await host.emit({ type: 'usage', ...from, ...turn.usage, totalTokens, totalToolCalls })
    // A call of a turn that was cut or refused may be half of what the model meant.
    if (turn.reason === 'refusal') return 'refusal'
    if (turn.reason === 'max-tokens') return 'max-output-tokens'
    messages.push(asMessage(turn))
    if (turn.toolCalls.length > 0) {
      const { usedCallIds } = place
      const results = await runToolCalls(turn.toolCalls, { ...from, tools, host, budget, signal, usedCallIds, runNested: nested })
      messages.push({ role: 'tool', results })
      return undefined
    }
    if (continuations >= maxContinuations) return 'completed'
    const { continueWith } = await host.stop(agentId, outcome('completed'), signal)
    if (continueWith === undefined) return 'completed'
    continuations += 1
    messages.push({ role: 'user', text: continueWith })
    return undefined
  }

  let ended = await step()
  while (!ended) ended = await step()
  if (place.isRoot && ended === 'completed') checkAllSaid(model)
  await host.emit({ type: 'agent.finished', ...from, ended, turns: budget.turns })
  return outcome(ended)
}

function requestOf(task: AgentTask, messages: readonly ModelMessage[], tools: OfferedTools, signal: AbortSignal): ModelRequest {
  const effort = readEffort(task.effort)
  return {
    system: task.system,
    // A copy: a client may keep what it was given while the conversation grows.
    messages: [...messages],
    tools: tools.described,
    ...(effort !== undefined && { effort }),
    maxOutputTokens: task.budget.maxOutputTokens,
    signal,
  }
}

/** A script that goes on after the last turn tells of another conversation than this one was. */
function checkAllSaid(model: Model): void {
  const unused = model.unusedTurns?.() ?? 0
  if (unused > 0)
    throw new SkillcellError(
      'MODEL_MISMATCH',
      `Cannot accept the end of "${model.name}": the agent is done, and ${unused} of its turns are left`,
    )
}

function asMessage({ text, toolCalls, providerData }: Turn): ModelMessage {
  return { role: 'assistant', text, toolCalls, ...(providerData !== undefined && { providerData }) }
}
