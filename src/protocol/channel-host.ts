// The host's end of the port to an agent thread: starts the agent, answers its calls, hands on its events and settles once, however the
// thread ends. Messages are handled in the order in which they came, so an event told before a call is known before it.

import type { MessagePort } from 'node:worker_threads'
import { messageOf, SkillcellError } from '../errors.ts'
import { type AgentCall, type AgentReply, type HostMessage, parseThreadMessage, type ThreadMessage } from './agent-messages.ts'
import type { AgentEvent, AgentOutcome, AgentTask, StopReply, TextReply, ToolReply, ToolRequest } from './agent-task.ts'
import { protocolVersion } from './messages.ts'
import { fromWireError, toWireError } from './wire-error.ts'

/** What an agent may ask of its host. The signals end with the run, with its first cause. */
export interface AgentHost {
  /** Decides and acts. Rejects only for an abort or a fault of ours, which ends the agent; what the act says is a reply. */
  callTool(request: ToolRequest, signal: AbortSignal): Promise<ToolReply>
  /** An agent wants to end; `agentId` is undefined for the root. */
  onStop(agentId: string | undefined, outcome: AgentOutcome, signal: AbortSignal): Promise<StopReply>
  /** A fork inside the fork has ended; gives what the model that called it reads. */
  onNestedEnd(agentId: string, outcome: AgentOutcome, signal: AbortSignal): Promise<TextReply>
  /** A promise holds back the events that follow, and with them the model. */
  onEvent(event: AgentEvent): void | Promise<void>
}

export interface HostEnd {
  /** Rejects with the agent's error, INTERNAL for a message that does not fit, the reason of `end()`, or `PortClosed`. */
  readonly outcome: Promise<AgentOutcome>
  /** Settles the outcome and everything under way at once; tells the thread. */
  end(reason: unknown): void
}

/** The thread let go of the port without a last word: its own end says why. */
export class PortClosed extends SkillcellError {
  constructor() {
    super('WORKER_FAILED', 'Cannot go on with the agent: its thread is gone')
  }
}

export function openHostEnd(port: MessagePort, task: AgentTask, host: AgentHost): HostEnd {
  const calls = new Map<number, AbortController>()
  let nextId = 0
  let handling: Promise<void> | undefined
  let isOver = false
  let settle: { resolve(outcome: AgentOutcome): void; reject(reason: unknown): void } | undefined
  const outcome = new Promise<AgentOutcome>((resolve, reject) => {
    settle = { resolve, reject }
  })
  outcome.catch(() => {})

  const post = (message: HostMessage): void => {
    if (!isOver) port.postMessage(message)
  }

  /** First cause wins; calls still under way are of no use to anybody. */
  const finish = (reason: unknown, act: () => void): void => {
    if (isOver) return
    isOver = true
    act()
    for (const call of calls.values()) call.abort(reason)
    calls.clear()
    port.close()
  }
  const fail = (reason: unknown): void => finish(reason, () => settle?.reject(reason))
  const failInternally = (error: unknown): void =>
    fail(
      error instanceof SkillcellError
        ? error
        : new SkillcellError('INTERNAL', `Cannot serve an agent: ${messageOf(error)}`, { cause: error }),
    )

  const answer = (id: number, call: AgentCall): void => {
    if (id !== nextId)
      throw new SkillcellError('INTERNAL', `Cannot read a message of an agent thread: it makes call ${id} instead of ${nextId}`)
    nextId += 1
    const controller = new AbortController()
    calls.set(id, controller)
    ask(host, call, controller.signal)
      .then(
        reply => calls.has(id) && post({ version: protocolVersion, type: 'call.reply', id, reply }),
        error => calls.has(id) && post({ version: protocolVersion, type: 'call.failed', id, error: toWireError(error) }),
      )
      // An answer that cannot be cloned.
      .catch(failInternally)
      .finally(() => calls.delete(id))
  }

  const cancel = (id: number): void => {
    const call = calls.get(id)
    calls.delete(id)
    call?.abort(new SkillcellError('ABORTED', 'The agent gave up the call'))
  }

  const handle = (message: ThreadMessage): Promise<void> | undefined => {
    if (message.type === 'agent.event')
      return after(tellAll(host, message.events), () => post({ version: protocolVersion, type: 'credit', count: 1 }))
    if (message.type === 'call.request') answer(message.id, message.call)
    else if (message.type === 'call.cancel') cancel(message.id)
    else if (message.type === 'agent.failed') fail(fromWireError(message.error))
    else finish(new SkillcellError('ABORTED', 'The agent has ended'), () => settle?.resolve(message.outcome))
    return undefined
  }

  port.on('message', (value: unknown) => {
    if (isOver) return
    try {
      const message = parseThreadMessage(value)
      const handled = handling ? handling.then(() => (isOver ? undefined : handle(message))) : handle(message)
      if (!handled) return
      handling = handled
      handled.catch(failInternally).finally(() => {
        if (handling === handled) handling = undefined
      })
    } catch (error) {
      failInternally(error)
    }
  })
  port.on('messageerror', () => fail(new SkillcellError('INTERNAL', 'Cannot read a message of an agent thread')))
  port.on('close', () => {
    // What came before it is handled first.
    const closed = (): void => fail(new PortClosed())
    if (handling) handling.then(closed, closed)
    else closed()
  })
  post({ version: protocolVersion, type: 'agent.start', task })

  return {
    outcome,
    end: reason => {
      post({ version: protocolVersion, type: 'agent.abort', error: toWireError(reason) })
      fail(reason)
    },
  }
}

async function ask(host: AgentHost, call: AgentCall, signal: AbortSignal): Promise<AgentReply> {
  if (call.method === 'tool') return { method: 'tool', value: await host.callTool(call.request, signal) }
  if (call.method === 'stop') return { method: 'stop', value: await host.onStop(call.agentId, call.outcome, signal) }
  return { method: 'nested', value: await host.onNestedEnd(call.agentId, call.outcome, signal) }
}

/** Tells the events in order; a promise only if a listener wants time. */
function tellAll(host: AgentHost, events: readonly AgentEvent[]): Promise<void> | undefined {
  for (const [index, event] of events.entries()) {
    const told = host.onEvent(event)
    if (told) return told.then(() => tellAll(host, events.slice(index + 1)))
  }
  return undefined
}

function after(told: Promise<void> | undefined, act: () => void): Promise<void> | undefined {
  if (told) return told.then(act)
  act()
  return undefined
}
