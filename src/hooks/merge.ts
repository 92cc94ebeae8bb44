// The endings of all hooks of one event → one outcome. Block beats ask beats pass; nothing here can widen. Pure.

import { isDeepStrictEqual } from 'node:util'
import type { Diagnostic } from '../errors.ts'
import { capped, type HookAnswer, maxAnswerChars } from './answer.ts'
import type { HookEnding } from './ending.ts'
import { type HookEventName, type HookHandler, type HookSkill, hookEvents, nameOfHandler } from './hook.ts'

export interface EndedHook {
  readonly handler: HookHandler
  readonly skill: HookSkill
  readonly ending: HookEnding
}

export interface HookOutcome {
  /**
   * `pass` allows nothing: it says that no hook objects. `ask` (PreToolUse only): a person has to say yes. What `block` does stands in
   * `hookEvents`: it forbids the act, makes the agent go on, or tells the model.
   */
  readonly decision: 'pass' | 'ask' | 'block'
  /** For the model: why, of each hook that decided, in their order. */
  readonly reason?: string
  /** Ids of the skills whose hooks decided. */
  readonly decidedBy: readonly string[]
  /** To be checked and decided anew before it is used (SPEC R17.13). Absent when blocked. */
  readonly updatedInput?: Readonly<Record<string, unknown>>
  /** Text for the model. */
  readonly additionalContext?: string
  /** The agent has to end, with this reason, whatever the decision is. */
  readonly stop?: { readonly reason: string; readonly skill: string }
  /** For the user. */
  readonly messages: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
  /** One for each hook that ran, for the audit. */
  readonly runs: readonly HookRun[]
}

interface HookRun {
  readonly skill: string
  readonly type: HookHandler['type']
  /** The command or the address, as written. */
  readonly what: string
  readonly ended: HookEnding['reason']
}

// A model should not drown in what hooks say.
const maxContextChars = 40_000

export const passed: HookOutcome = { decision: 'pass', decidedBy: [], messages: [], diagnostics: [], runs: [] }

export function mergeEndings(event: HookEventName, ended: readonly EndedHook[]): HookOutcome {
  if (ended.length === 0) return passed
  const { block } = hookEvents[event]
  const answers = ended.map(each => ({ ...each, answer: answerOf(block, each) }))
  const conflict = conflictOf(answers)
  const blocking = block === 'report' ? [] : answers.filter(each => each.answer.decision === 'block')
  const asking = answers.filter(each => each.answer.decision === 'ask')
  const decision = blocking.length > 0 || conflict !== undefined ? 'block' : asking.length > 0 ? 'ask' : 'pass'
  const deciding = decision === 'block' ? (blocking.length > 0 ? blocking : answers.filter(each => each.answer.updatedInput)) : asking
  const reasons = blocking.length === 0 && conflict !== undefined ? [conflict] : deciding.map(each => reasonOf(each.answer, each))
  const contexts = answers.flatMap(each => each.answer.additionalContext ?? [])
  const updatedInput = answers.find(each => each.answer.updatedInput)?.answer.updatedInput
  const stop = answers.flatMap(each => (each.answer.stop === undefined ? [] : { reason: each.answer.stop, skill: each.skill.id }))[0]
  return {
    decision,
    decidedBy: [...new Set(deciding.map(each => each.skill.id))],
    ...(reasons.length > 0 && decision !== 'pass' && { reason: capped([...new Set(reasons)].join('\n')) }),
    ...(updatedInput && decision !== 'block' && { updatedInput }),
    ...(contexts.length > 0 && { additionalContext: joined(contexts) }),
    ...(stop && { stop }),
    messages: answers.flatMap(each => each.answer.systemMessage ?? []),
    diagnostics: ended.flatMap(diagnosticsOf),
    runs: ended.map(({ handler, skill, ending }) => ({
      skill: skill.id,
      type: handler.type,
      what: handler.type === 'command' ? handler.command : handler.url,
      ended: ending.reason,
    })),
  }
}

/** A guard that gave no answer forbids: what it would have said is not known. Elsewhere its silence changes nothing. */
function answerOf(block: (typeof hookEvents)[HookEventName]['block'], { handler, skill, ending }: EndedHook): HookAnswer {
  if (ending.reason === 'answered') return ending.answer
  if (ending.reason === 'failed' || block !== 'forbid') return { decision: 'pass', notes: [] }
  return {
    decision: 'block',
    reason: `The ${nameOfHandler(handler, skill)} gave no answer, so this is refused: ${ending.message}`,
    notes: [],
  }
}

function reasonOf({ reason }: HookAnswer, { handler, skill }: EndedHook): string {
  return reason ?? `The ${nameOfHandler(handler, skill)} objects`
}

/** Two that rewrite the input differently: neither has seen what the other makes of it. */
function conflictOf(answers: readonly (EndedHook & { readonly answer: HookAnswer })[]): string | undefined {
  const [first, ...others] = answers.filter(each => each.answer.updatedInput)
  const other = others.find(each => !isDeepStrictEqual(each.answer.updatedInput, first?.answer.updatedInput))
  if (!first || !other) return undefined
  return `Two hooks want to change the input in different ways: the ${nameOfHandler(first.handler, first.skill)} and the ${nameOfHandler(other.handler, other.skill)}`
}

/** Whole texts, as many as find room; how many did not is said. */
function joined(contexts: readonly string[]): string {
  const fitting = contexts.slice(0, Math.floor(maxContextChars / maxAnswerChars))
  const left = contexts.length - fitting.length
  return [...fitting, ...(left > 0 ? [`[${left} more hooks had something to say]`] : [])].join('\n\n')
}

function diagnosticsOf({ handler, skill, ending }: EndedHook): Diagnostic[] {
  const tell = (code: string, severity: Diagnostic['severity'], message: string): Diagnostic => ({
    code,
    severity,
    message: `The ${nameOfHandler(handler, skill)}: ${message}`,
    path: skill.path,
  })
  if (ending.reason === 'answered') return ending.answer.notes.map(note => tell('HOOK_NOTE', 'note', note))
  return [tell(ending.reason === 'failed' ? 'HOOK_FAILED' : 'HOOK_NO_ANSWER', 'warning', ending.message)]
}
