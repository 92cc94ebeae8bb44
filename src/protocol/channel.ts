// The thread's end of the port between an agent and its host: calls that settle exactly once, one stream of events with credit, one last
// message. A dead port, a message that does not fit and an abort end everything that waits here, with the first cause.

import type { MessagePort } from 'node:worker_threads'
import { SkillcellError } from '../errors.ts'
import { type AgentCall, type AgentReply, eventCredit, parseHostMessage, type ThreadMessage } from './agent-messages.ts'
import type { AgentEvent, AgentOutcome, AgentTask } from './agent-task.ts'
import { createEventFlow } from './event-flow.ts'
import { protocolVersion } from './messages.ts'
import { fromWireError, toWireError } from './wire-error.ts'

export interface ThreadEnd {
  /** Rejects when the end comes before the start. */
  readonly task: Promise<AgentTask>
  /** Aborted by the host, by a message that does not fit, or by the port's end; its reason is the first cause. */
  readonly signal: AbortSignal
  /** `undefined`: go on at once; a promise: the host is behind, wait before making more. */
  emit(event: AgentEvent): Promise<void> | undefined
  /** Events told before arrive before. @throws the host's fault, or the reason of `signal` and of the end's own. */
  call(call: AgentCall, signal: AbortSignal): Promise<AgentReply>
  /** The last message, after all events. */
  finish(outcome: AgentOutcome): Promise<void>
  fail(error: unknown): void
}

interface PendingCall {
  resolve(reply: AgentReply): void
  reject(reason: unknown): void
}

export function openThreadEnd(port: MessagePort): ThreadEnd {
  const ending = new AbortController()
  const pending = new Map<number, PendingCall>()
  let nextId = 0
  let isStarted = false
  let isOver = false
  let start: (task: AgentTask) => void = () => {}
  const task = new Promise<AgentTask>((resolve, reject) => {
    start = resolve
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
  })
  task.catch(() => {})

  const post = (message: ThreadMessage): void => {
    if (!isOver) port.postMessage(message)
  }
  const flow = createEventFlow(events => post({ version: protocolVersion, type: 'agent.event', events }), eventCredit)

  const end = (reason: unknown): void => {
    if (ending.signal.aborted) return
    ending.abort(reason)
    flow.end(reason)
    for (const call of pending.values()) call.reject(reason)
    pending.clear()
  }

  const last = (message: ThreadMessage): void => {
    post(message)
    isOver = true
  }

  /** Calls that were given up may still be answered; a number that was never given out is a fault. */
  const take = (id: number): PendingCall | undefined => {
    if (id >= nextId) throw new SkillcellError('INTERNAL', `Cannot read a message to an agent thread: it answers call ${id} of ${nextId}`)
    const call = pending.get(id)
    pending.delete(id)
    return call
  }

  const receive = (value: unknown): void => {
    const message = parseHostMessage(value)
    if (message.type === 'agent.start') {
      if (isStarted) throw new SkillcellError('INTERNAL', 'Cannot start an agent: its thread has one already')
      isStarted = true
      start(message.task)
    } else if (message.type === 'agent.abort') end(fromWireError(message.error))
    else if (message.type === 'call.reply') take(message.id)?.resolve(message.reply)
    else if (message.type === 'call.failed') take(message.id)?.reject(fromWireError(message.error))
    else flow.grant(message.count)
  }

  port.on('message', (value: unknown) => {
    try {
      receive(value)
    } catch (error) {
      end(error)
    }
  })
  port.on('messageerror', () => end(new SkillcellError('INTERNAL', 'Cannot read a message to an agent thread')))
  port.on('close', () => end(new SkillcellError('WORKER_FAILED', 'Cannot go on with the fork: its host is gone')))

  return {
    task,
    signal: ending.signal,
    emit: event => flow.push(event),
    call: async (call, signal) => {
      signal.throwIfAborted()
      await flow.flush()
      ending.signal.throwIfAborted()
      const id = nextId
      nextId += 1
      return new Promise<AgentReply>((resolve, reject) => {
        const giveUp = (): void => {
          pending.delete(id)
          post({ version: protocolVersion, type: 'call.cancel', id })
          reject(signal.reason)
        }
        const settled = (settle: () => void): void => {
          signal.removeEventListener('abort', giveUp)
          settle()
        }
        pending.set(id, { resolve: reply => settled(() => resolve(reply)), reject: reason => settled(() => reject(reason)) })
        post({ version: protocolVersion, type: 'call.request', id, call })
        if (signal.aborted) giveUp()
        else signal.addEventListener('abort', giveUp, { once: true })
      })
    },
    finish: async outcome => {
      // All of it, however long the host takes: it is alive, or the end comes by itself.
      for (let sent = flow.flush(); sent; sent = flow.flush()) await sent
      last({ version: protocolVersion, type: 'agent.finished', outcome })
    },
    fail: error => {
      // What the host has room for still goes: the text so far is worth keeping.
      flow.flush()?.catch(() => {})
      last({ version: protocolVersion, type: 'agent.failed', error: toWireError(error) })
    },
  }
}
