// How a hook ended → what it said, or why it said nothing. Two kinds of silence, and the difference decides what a guard does: a hook that
// `failed` ended by itself and said no more than a status (other hosts let the act go on, and so it is here); one with `no-answer` never came
// to its end or cannot be read, so nobody knows what it would have forbidden.

import { capped, type HookAnswer, readAnswer } from './answer.ts'
import { type HookEventName, hookEvents } from './hook.ts'

export type HookEnding =
  | { readonly reason: 'answered'; readonly answer: HookAnswer }
  | { readonly reason: 'failed' | 'no-answer'; readonly message: string }

/** What is wanted of a result of the shell broker. */
export interface HookCommandResult {
  readonly reason: 'exited' | 'timed-out' | 'aborted' | 'killed' | 'output-limit'
  readonly exitCode: number
  /** stdout of exit 0; stdout, then stderr, of anything else. */
  readonly output: string
  readonly truncated: boolean
  readonly note?: string
}

export interface HookResponse {
  readonly status: number
  readonly body: string
}

const maxBodyChars = 1024 * 1024

const silent: HookAnswer = { decision: 'pass', notes: [] }

export function endingOfCommand(event: HookEventName, { reason, exitCode, output, truncated, note }: HookCommandResult): HookEnding {
  if (reason !== 'exited' || exitCode >= 128) {
    const how = note ?? (reason === 'exited' ? `a signal ended it (exit code ${exitCode})` : reason)
    return { reason: 'no-answer', message: `it did not come to its end: ${how}` }
  }
  if (exitCode === 0) return endingOfText(event, output, truncated)
  const { json, rest } = splitObject(output)
  const read = json === undefined ? undefined : readAnswer(event, json)
  const answer = read && 'decision' in read ? read : undefined
  if (exitCode === 2) {
    // It forbids, whatever else it says.
    const { updatedInput: _, ...said } = answer ?? silent
    const why = rest.trim() || said.reason || 'it gave no reason'
    const notes = hookEvents[event].block === 'report' ? [...said.notes, `it ended with exit code 2: ${firstLine(why)}`] : said.notes
    return { reason: 'answered', answer: { ...said, decision: 'block', reason: capped(why), notes } }
  }
  if (answer) return { reason: 'answered', answer }
  return { reason: 'failed', message: `it ended with exit code ${exitCode}${output.trim() === '' ? '' : `: ${firstLine(output)}`}` }
}

export function endingOfResponse(event: HookEventName, { status, body }: HookResponse): HookEnding {
  if (status < 200 || status > 299) return { reason: 'failed', message: `it answered with the status ${status}` }
  const given = body.trim()
  if (given === '') return { reason: 'answered', answer: silent }
  if (given.length > maxBodyChars)
    return { reason: 'no-answer', message: `its answer has ${given.length} characters, and ${maxBodyChars} are read` }
  if (!given.startsWith('{')) return { reason: 'failed', message: `its answer is no JSON object: ${firstLine(given)}` }
  return endingOfText(event, given, false)
}

function endingOfText(event: HookEventName, output: string, truncated: boolean): HookEnding {
  const given = output.trim()
  if (given.startsWith('{')) {
    if (truncated) return { reason: 'no-answer', message: 'its answer is too long to be read' }
    const answer = readAnswer(event, given)
    return 'problem' in answer ? { reason: 'no-answer', message: answer.problem } : { reason: 'answered', answer }
  }
  const isContext = hookEvents[event].textIsContext && given !== ''
  return { reason: 'answered', answer: isContext ? { ...silent, additionalContext: capped(given) } : silent }
}

/** The JSON object that an output begins with, and what follows it: the rest of stdout, then stderr. Linear. */
function splitObject(output: string): { readonly json?: string; readonly rest: string } {
  const start = output.length - output.trimStart().length
  if (output.charAt(start) !== '{') return { rest: output }
  let depth = 0
  let isText = false
  for (let at = start; at < output.length; at++) {
    const sign = output.charAt(at)
    if (isText) {
      if (sign === '\\') at++
      else if (sign === '"') isText = false
    } else if (sign === '"') isText = true
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    if (depth === 0) return { json: output.slice(start, at + 1), rest: output.slice(at + 1) }
  }
  return { rest: output }
}

function firstLine(value: string): string {
  return value.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}
