// What an agent thread does with its port: takes one task, runs it, says one last word. Faults leave as code and text, without the key;
// what the thread prints goes nowhere, since its output would come out as the host's.

import type { MessagePort } from 'node:worker_threads'
import { messageOf, SkillcellError } from '../errors.ts'
import type { AgentTask } from '../protocol/agent-task.ts'
import { openThreadEnd, type ThreadEnd } from '../protocol/channel.ts'
import { keyHider, readConnection } from './connection.ts'
import { hostCalls } from './host.ts'
import { type AgentParts, runAgent } from './loop.ts'

/** Resolves when the last word is said; never rejects. */
export async function serveAgent(port: MessagePort, parts: Pick<AgentParts, 'createModel' | 'tools' | 'recordTurn'>): Promise<void> {
  const channel = openThreadEnd(port)
  const { signal } = channel
  let task: AgentTask | undefined
  try {
    task = await channel.task
    const outcome = await runAgent(task, { ...parts, host: hostCalls(channel), signal })
    await channel.finish(outcome)
  } catch (error) {
    // The first cause: what an abort breaks on its way is not it.
    sayLast(channel, signal.aborted ? signal.reason : error, task)
  }
}

/** Writes to nowhere from here on. */
export function silence(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.write = (_chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
      const done = typeof encoding === 'function' ? encoding : callback
      if (typeof done === 'function') queueMicrotask(() => done())
      return true
    }
  }
}

function sayLast(channel: ThreadEnd, error: unknown, task: AgentTask | undefined): void {
  channel.fail(task ? withoutKey(error, task) : error)
}

function withoutKey(error: unknown, task: AgentTask): unknown {
  try {
    const hide = keyHider(readConnection(task.model))
    if (!(error instanceof SkillcellError)) return new SkillcellError('INTERNAL', hide(messageOf(error)))
    const details: unknown = JSON.parse(hide(JSON.stringify(error.details)))
    return new SkillcellError(error.code, hide(error.message), { details: { ...Object(details) } })
  } catch {
    // Details that are no plain data, or a connection that was refused before it was used.
    return error
  }
}
