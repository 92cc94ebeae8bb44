// What is wrong with what a run was asked for, whoever asks: a library's caller has no types to hold him. Pure; a run never throws, so this
// becomes its last event.

import { SkillcellError } from './errors.ts'
import { isRecord } from './is-record.ts'
import { parseSlash } from './skills/slash.ts'

/** Undefined when the run can begin; a USAGE else. What the rooms check themselves (the session, the name) is left to them. */
export function runProblem(text: unknown, options: unknown): SkillcellError | undefined {
  const why = textProblem(text) ?? optionsProblem(options)
  return why === undefined ? undefined : new SkillcellError('USAGE', why)
}

function textProblem(text: unknown): string | undefined {
  if (typeof text !== 'string') return `Cannot run that: a run is \`/name arguments\`, and ${kindOf(text)} came`
  if (parseSlash(text)) return undefined
  const typed = `/${text.trim()}`
  // One word more than a name could be is a sentence; a control character in it is nothing to show.
  const offer = parseSlash(typed) && !/\p{Cc}/u.test(typed) && typed.length <= maxOfferChars ? `; did you mean \`${typed}\`?` : ''
  return `Cannot run that: a run is \`/name arguments\`${offer}`
}

const maxOfferChars = 100

function optionsProblem(options: unknown): string | undefined {
  if (options === undefined || options === null) return undefined
  if (!isRecord(options)) return `Cannot run that: its options are no object, but ${kindOf(options)}`
  const { deadlineMs, model, record, signal } = options
  if (deadlineMs !== undefined && !(typeof deadlineMs === 'number' && Number.isFinite(deadlineMs) && deadlineMs >= 1))
    return `Cannot use deadlineMs ${shown(deadlineMs)}: it is a number of milliseconds from 1`
  if (model !== undefined && !(typeof model === 'string' && model.trim() !== ''))
    return `Cannot use the model ${shown(model)}: it is anthropic:ID, openai:ID or script:FILE`
  if (record !== undefined && !(typeof record === 'string' && record !== ''))
    return `Cannot record to ${shown(record)}: it is the path of a file`
  if (signal !== undefined && !isSignal(signal)) return `Cannot use the signal: it is no AbortSignal, but ${kindOf(signal)}`
  return undefined
}

function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'addEventListener' in value && 'aborted' in value
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : typeof value === 'number' ? String(value) : kindOf(value)
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}
