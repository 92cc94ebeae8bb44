// Runs the handlers of one event side by side and gathers how they ended. Every effect comes in as a function: the policy decides a command,
// the broker runs it in a cell, the fetcher of the web tools calls an address. A fault of one hook is its ending and never a throw.

import { setMaxListeners } from 'node:events'
import { messageOf } from '../errors.ts'
import type { TakeTurn } from '../turns.ts'
import { endingOfCommand, endingOfResponse, type HookCommandResult, type HookEnding, type HookResponse } from './ending.ts'
import type { CommandHandler, HookHandler, HookSkill, HttpHandler } from './hook.ts'
import type { EndedHook } from './merge.ts'

/** A command of a hook before its decision. */
interface HookCommand {
  /** As written, with the placeholders of its folders. */
  readonly command: string
  readonly shell: 'bash' | 'sh'
  readonly skill: HookSkill
}

/** What `allow` carries is what runs, so that nothing else than what was decided can. */
type HookCommandDecision =
  | {
      readonly decision: 'allow'
      readonly script: string
      readonly parameters: readonly string[]
      /** With the folders of the skill (SPEC R3.3). */
      readonly environment: Readonly<Record<string, string>>
    }
  | { readonly decision: 'deny'; readonly reason: string }

/** The part of a request to the shell broker that a hook fills. */
export interface HookCommandRequest {
  readonly script: string
  readonly shell: 'bash' | 'sh'
  readonly parameters: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly stderr: 'apart'
  /** The skill's source: a cell serves one trust only. */
  readonly trust: string
}

export interface HookFetchRequest {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly skill: HookSkill
}

export interface HookRooms {
  /** The one policy, with the grants of the skill (SPEC R5.1). Ask has been answered: there is only yes and no. */
  readonly decideCommand: (command: HookCommand, signal: AbortSignal) => Promise<HookCommandDecision> | HookCommandDecision
  readonly runCommand: (request: HookCommandRequest) => Promise<HookCommandResult>
  /** Obeys the WebFetch rules and SPEC R17.13; rejects when it may not, or cannot, call. */
  readonly fetchText: (request: HookFetchRequest) => Promise<HookResponse>
  /** Whether a call of a tool matches a permission rule, by the policy's own matcher. */
  readonly matchesRule: (rule: string, tool: { readonly name: string; readonly input: unknown }) => boolean
}

export interface HookPlace {
  readonly sessionId: string
  /** Absolute; where the commands run. */
  readonly workspace: string
  /** No hook of a skill has more time than this, whatever it asks for. */
  readonly maxTimeoutMs: (skill: HookSkill) => number
}

interface RunnableHook {
  readonly handler: HookHandler
  readonly skill: HookSkill
}

// The end of a session waits for its hooks, so they get little unless they ask.
export const endTimeoutMs: { readonly default: number; readonly max: number } = { default: 1_500, max: 60_000 }

/** Told when a handler with a `statusMessage` starts. */
export type TellStatus = (message: string, skill: HookSkill) => void

interface HookContext {
  readonly place: HookPlace
  readonly rooms: HookRooms
  readonly takeTurn: TakeTurn
  readonly onStatus?: TellStatus | undefined
}

/** @throws the reason of `signal` once it is aborted; by then nothing of a hook runs any more. */
export async function runHooks(
  hooks: readonly RunnableHook[],
  payload: string,
  context: HookContext,
  signal: AbortSignal,
): Promise<readonly EndedHook[]> {
  // One signal for all of them: each listens, and more than ten listeners look like a leak.
  const shared = AbortSignal.any([signal])
  setMaxListeners(0, shared)
  const runs = hooks.map(async (hook): Promise<EndedHook> => {
    const giveBack = await context.takeTurn(shared)
    try {
      return { ...hook, ending: await runOne(hook, payload, context, shared) }
    } catch (error) {
      signal.throwIfAborted()
      return { ...hook, ending: { reason: 'no-answer', message: messageOf(error) } }
    } finally {
      giveBack()
    }
  })
  const settled = await Promise.allSettled(runs)
  signal.throwIfAborted()
  return settled.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
}

async function runOne(
  { handler, skill }: RunnableHook,
  payload: string,
  { place, rooms, onStatus }: HookContext,
  signal: AbortSignal,
): Promise<HookEnding> {
  if (handler.statusMessage !== undefined) onStatus?.(handler.statusMessage, skill)
  const timeoutMs = timeoutOf(handler, place.maxTimeoutMs(skill))
  return handler.type === 'command'
    ? runCommand(handler, skill, { payload, place, rooms, timeoutMs, signal })
    : callAddress(handler, skill, { payload, rooms, timeoutMs, signal })
}

interface Call {
  readonly payload: string
  readonly rooms: HookRooms
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

async function runCommand(
  { event, command, shell }: CommandHandler,
  skill: HookSkill,
  { payload, place, rooms, timeoutMs, signal }: Call & { readonly place: HookPlace },
): Promise<HookEnding> {
  const decided = await rooms.decideCommand({ command, shell, skill }, signal)
  if (decided.decision !== 'allow') return { reason: 'no-answer', message: `policy does not let it run: ${decided.reason}` }
  const { script, parameters, environment } = decided
  const result = await rooms.runCommand({
    script,
    shell,
    parameters,
    variables: {},
    environment,
    cwd: place.workspace,
    stdin: payload,
    timeoutMs,
    signal,
    stderr: 'apart',
    trust: skill.source,
  })
  signal.throwIfAborted()
  return endingOfCommand(event, result)
}

async function callAddress(
  { event, url, headers }: HttpHandler,
  skill: HookSkill,
  { payload, rooms, timeoutMs, signal }: Call,
): Promise<HookEnding> {
  const json = { ...headers, 'content-type': 'application/json' }
  return endingOfResponse(event, await rooms.fetchText({ url, method: 'POST', headers: json, body: payload, timeoutMs, signal, skill }))
}

function timeoutOf({ event, timeoutMs }: HookHandler, maxTimeoutMs: number): number {
  if (event === 'SessionEnd') return Math.min(timeoutMs ?? endTimeoutMs.default, endTimeoutMs.max, maxTimeoutMs)
  return Math.min(timeoutMs ?? maxTimeoutMs, maxTimeoutMs)
}
