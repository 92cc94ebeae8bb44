// The hooks of one session: registered when a skill is invoked, there until the session ends (SPEC R10.3). Chooses who is told of an event;
// run-hooks.ts runs them, merge.ts joins what they say. Promises: `once` is claimed before anything is awaited, so it runs exactly once;
// a hook never sees what another made of an input without being asked about it.

import { SkillcellError } from '../errors.ts'
import { createTurns } from '../turns.ts'
import { type HookEvent, isToolEvent, matchedValue, payloadOf } from './event.ts'
import { type HookEventName, type HookHandler, type HookSkill, hookEvents } from './hook.ts'
import { compileMatcher, type Matcher } from './matcher.ts'
import { type EndedHook, type HookOutcome, mergeEndings, passed } from './merge.ts'
import { endTimeoutMs, type HookPlace, type HookRooms, runHooks, type TellStatus } from './run-hooks.ts'

export interface SessionHooks {
  /**
   * Adds the hooks of a skill that is being invoked; one that is there already stays as it is, also when it has run `once`. With a `runId`
   * they see that run only; each further invocation adds its run. The caller then fires SessionStart: it reaches those that it has not
   * reached yet, since for a skill the session begins when it comes in.
   * @throws {SkillcellError} SKILL_INVALID when the session has too many hooks, CLOSED after `end`
   */
  register(skill: HookSkill, handlers: readonly HookHandler[], scope?: { readonly runId?: string }): void
  /** Whether a handler could be told of such an event; false costs the caller nothing. */
  has(event: HookEventName): boolean
  /**
   * Tells all that the event is for, side by side, and resolves when the last has ended.
   * @throws the reason of `signal` once it is aborted; nothing else
   */
  fire(event: HookEvent, signal: AbortSignal, onStatus?: TellStatus): Promise<HookOutcome>
  /** Fires SessionEnd, once, and forgets all hooks. Takes 60,000 ms at most, or as long as `signal` lets it. */
  end(reason: Extract<HookEvent, { name: 'SessionEnd' }>['reason'], signal?: AbortSignal): Promise<HookOutcome>
}

interface Entry {
  readonly handler: HookHandler
  readonly skill: HookSkill
  readonly matcher: Matcher
  /** Runs that it may see; undefined is all of the session. */
  runs: Set<string> | undefined
  spent: boolean
}

const maxHooks = 256
const atOnce = 8
const maxPayloadChars = 16 * 1024 * 1024

export function createSessionHooks(place: HookPlace, rooms: HookRooms): SessionHooks {
  const entries = new Map<string, Entry>()
  const takeTurn = createTurns(atOnce)
  let ended = false

  const isFor = (entry: Entry, event: HookEvent): boolean => {
    const { handler, matcher, runs } = entry
    if (handler.event !== event.name || (runs && !(event.runId !== undefined && runs.has(event.runId)))) return false
    if (hookEvents[handler.event].matches !== 'nothing' && !matcher.matches(matchedValue(event))) return false
    return handler.if === undefined || (isToolEvent(event) && matchesIf(rooms, handler.if, event))
  }

  const run = async (
    chosen: readonly Entry[],
    event: HookEvent,
    signal: AbortSignal,
    onStatus?: TellStatus,
  ): Promise<readonly EndedHook[]> => {
    const payload = readPayload(event, place)
    if ('problem' in payload) return chosen.map(hook => ({ ...hook, ending: { reason: 'no-answer', message: payload.problem } }))
    return runHooks(chosen, payload.text, { place, rooms, takeTurn, onStatus }, signal)
  }

  const fire = async (event: HookEvent, signal: AbortSignal, onStatus?: TellStatus): Promise<HookOutcome> => {
    signal.throwIfAborted()
    const claim = (entry: Entry): Entry => {
      entry.spent ||= entry.handler.once || event.name === 'SessionStart'
      return entry
    }
    const chosen = [...entries.values()].filter(entry => !entry.spent && isFor(entry, event)).map(claim)
    if (chosen.length === 0) return passed
    const first = await run(chosen, event, signal, onStatus)
    const outcome = mergeEndings(event.name, first)
    if (!outcome.updatedInput || event.name !== 'PreToolUse') return outcome

    // Who did not write the new input has only seen the old one (a guard that says no to `rm` has seen `ls`): ask again.
    const rewritten: HookEvent = { ...event, toolInput: outcome.updatedInput }
    const writers = new Set(first.flatMap(each => (rewrites(each) ? [each.handler] : [])))
    const others = [...entries.values()]
      .filter(entry => !writers.has(entry.handler) && (!entry.spent || chosen.includes(entry)) && isFor(entry, rewritten))
      .map(claim)
    if (others.length === 0) return outcome
    return mergeEndings(event.name, [...first, ...(await run(others, rewritten, signal, onStatus))])
  }

  return {
    register(skill, handlers, { runId } = {}) {
      if (ended) throw new SkillcellError('CLOSED', `Cannot register the hooks of "${skill.id}": the session has ended`)
      for (const handler of handlers) {
        const key = JSON.stringify([skill.id, skill.path, handler])
        const known = entries.get(key)
        if (known) {
          if (runId === undefined) known.runs = undefined
          else known.runs?.add(runId)
          continue
        }
        if (entries.size >= maxHooks)
          throw new SkillcellError(
            'SKILL_INVALID',
            `Cannot register the hooks of "${skill.id}": the session has ${maxHooks}, the most it can`,
          )
        const runs = runId === undefined ? undefined : new Set([runId])
        entries.set(key, { handler, skill, matcher: compileMatcher(handler.matcher), runs, spent: false })
      }
    },
    has: name => [...entries.values()].some(({ handler, spent }) => handler.event === name && !spent),
    fire: (event, signal, onStatus) => (ended ? Promise.resolve(passed) : fire(event, signal, onStatus)),
    async end(reason, signal = AbortSignal.timeout(endTimeoutMs.max)) {
      if (ended) return passed
      ended = true
      try {
        return await fire({ name: 'SessionEnd', reason }, signal)
      } finally {
        entries.clear()
      }
    },
  }
}

function rewrites({ ending }: EndedHook): boolean {
  return ending.reason === 'answered' && ending.answer.updatedInput !== undefined
}

/** A rule that cannot be applied runs the hook: it can only forbid. */
function matchesIf(rooms: HookRooms, rule: string, { toolName, toolInput }: { toolName: string; toolInput: unknown }): boolean {
  try {
    return rooms.matchesRule(rule, { name: toolName, input: toolInput })
  } catch {
    return true
  }
}

function readPayload(event: HookEvent, { sessionId, workspace }: HookPlace): { text: string } | { problem: string } {
  try {
    const text = payloadOf(event, { sessionId, cwd: workspace })
    if (text.length <= maxPayloadChars) return { text }
    return { problem: `the event has ${text.length} characters, and a hook is told at most ${maxPayloadChars}` }
  } catch {
    return { problem: 'the event is no plain data, and a hook cannot be told it' }
  }
}
