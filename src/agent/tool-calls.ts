// The tool calls of one turn: calls that only read run side by side where they stand together, others one by one; results come in the order
// asked. A call that does not fit is answered here, the others by the host; a call that became a fork is run by whoever gives `runNested`.

import { cutText, wellFormed } from '../cut-text.ts'
import type { ToolCall, ToolResult } from '../models/model.ts'
import type { AgentEvent, AgentTask, TextReply } from '../protocol/agent-task.ts'
import { visibleText } from '../visible-text.ts'
import type { Budget } from './budget.ts'
import type { AgentHostCalls } from './host.ts'
import type { CheckedCall, OfferedTools } from './offered-tools.ts'

export interface ToolCallOptions {
  readonly agentId?: string
  readonly tools: OfferedTools
  readonly host: AgentHostCalls
  readonly budget: Budget
  readonly signal: AbortSignal
  /** Numbers that the run has used: a model may give one twice. */
  readonly usedCallIds: Set<string>
  /** Runs a fork in this thread; gives what the model reads. */
  readonly runNested: (task: AgentTask, signal: AbortSignal) => Promise<TextReply>
}

const maxSideBySide = 8

/** @throws the reason of the signal, or a fault of the host. */
export async function runToolCalls(calls: readonly ToolCall[], options: ToolCallOptions): Promise<readonly ToolResult[]> {
  const checked = calls.map(call => ({ call, check: options.tools.check(call) }))
  const results: ToolResult[] = []
  for (let next = 0; next < checked.length; ) {
    const group = groupAt(checked, next)
    results.push(...(await sideBySide(group, options)))
    next += group.length
  }
  return results
}

interface Checked {
  readonly call: ToolCall
  readonly check: CheckedCall
}

/** What may run together, from there: calls without an effect, or a single one with. */
function groupAt(checked: readonly Checked[], from: number): readonly Checked[] {
  let to = from
  while (to < checked.length && isHarmless(checked[to])) to += 1
  return checked.slice(from, Math.max(to, from + 1))
}

function isHarmless(each: Checked | undefined): boolean {
  return each !== undefined && (!each.check.isValid || each.check.isReadOnly)
}

async function sideBySide(group: readonly Checked[], options: ToolCallOptions): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = new Array(group.length)
  // The first fault ends the others too: nobody reads their results.
  const broken = new AbortController()
  const signal = AbortSignal.any([options.signal, broken.signal])
  const queue = group.entries()
  const work = async (): Promise<void> => {
    // One iterator for all: each takes the next.
    for (const [index, { call, check }] of queue) results[index] = await runCall(call, check, { ...options, signal })
  }
  const workers = Array.from({ length: Math.min(maxSideBySide, group.length) }, work)
  try {
    await Promise.all(workers)
  } catch (error) {
    broken.abort(error)
    await Promise.allSettled(workers)
    throw error
  }
  return results
}

async function runCall(call: ToolCall, check: CheckedCall, options: ToolCallOptions): Promise<ToolResult> {
  const { host, budget, signal } = options
  signal.throwIfAborted()
  const from = options.agentId === undefined ? {} : { agentId: options.agentId }
  const emit = (event: AgentEvent): Promise<void> | undefined => host.emit(event)
  const callId = uniqueId(call.id, options.usedCallIds)
  const startedAt = performance.now()
  budget.countToolCall()
  await emit({ type: 'tool.started', ...from, callId, tool: call.name, parameter: check.isValid ? check.parameter : '' })
  const { output, isError } = check.isValid ? await ask() : { output: check.fault, isError: true }
  const durationMs = Math.round(performance.now() - startedAt)
  const reason = isError ? { reason: reasonIn(output) } : {}
  await emit({ type: 'tool.finished', ...from, callId, tool: call.name, isError, ...reason, outputChars: output.length, durationMs })
  return { id: call.id, name: call.name, output, isError }

  async function ask(): Promise<TextReply> {
    const reply = await host.callTool({ ...from, callId, tool: call.name, input: call.input }, signal)
    return reply.type === 'text' ? reply : options.runNested(reply.task, signal)
  }
}

const maxReasonChars = 200
/** Of a long one the beginning says what failed, the end how: the exit code stands there. */
const reasonEndChars = 60

/** An error result in one line, for people. */
function reasonIn(output: string): string {
  // No more is looked at than could be shown: a result may have megabytes.
  const ends = output.length > maxReasonChars * 8 ? [output.slice(0, maxReasonChars * 4), output.slice(-maxReasonChars * 4)] : [output]
  const line = visibleText(wellFormed(ends.join('\n')).replace(/\s+/g, ' ').trim())
  if (line.length <= maxReasonChars) return line
  return wellFormed(`${cutText(line, maxReasonChars - reasonEndChars - 1)}…${line.slice(-reasonEndChars)}`)
}

/** The model's own number where it is free, since hooks and people see it. */
function uniqueId(id: string, used: Set<string>): string {
  const base = id === '' ? 'call' : id
  let unique = base
  for (let copy = 2; used.has(unique); copy += 1) unique = `${base}-${copy}`
  used.add(unique)
  return unique
}
