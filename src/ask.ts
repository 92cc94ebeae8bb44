// Asking a person: what they are shown and what they may answer (SPEC R16.5). Whoever answers too late has said no.

import { untilAborted } from './until-aborted.ts'

/** What a command needs a person's word for. */
export interface AskRequest {
  /** The command as its author wrote it. */
  readonly command: string
  /** Its simple commands that no rule covers. */
  readonly simpleCommands: readonly string[]
  /** One rule for each of them, at most five: what "always" would save. */
  readonly proposedRules: readonly string[]
  /** Which skill asks, and where it lies. */
  readonly source: string
  /** Why it is asked. */
  readonly reason: string
  /** Aborted when the run ends or the time to answer is over. */
  readonly signal: AbortSignal
}

export interface AskAnswer {
  readonly answer: 'once' | 'always' | 'deny'
  /** With `always`, instead of the proposed rules; with `deny` on a skill, rules to deny from now on. */
  readonly rules?: readonly string[]
}

export type OnAsk = (request: AskRequest) => Promise<AskAnswer> | AskAnswer

/** `unasked`: the question could not be put, since who should have asked failed. */
export type Answered = AskAnswer | { readonly answer: 'timed-out' | 'unasked' }

/** Asks, and takes no answer within `timeoutMs` for a no. A fault of the one who is asked is a no too: it never falls open. */
export async function askInTime(
  onAsk: OnAsk,
  request: Omit<AskRequest, 'signal'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answered> {
  const time = AbortSignal.timeout(timeoutMs)
  const both = AbortSignal.any([signal, time])
  try {
    return checked(await untilAborted(Promise.resolve(onAsk({ ...request, signal: both })), both))
  } catch {
    signal.throwIfAborted()
    return { answer: time.aborted ? 'timed-out' : 'unasked' }
  }
}

function checked(answer: Answered): Answered {
  const known: readonly string[] = ['once', 'always', 'deny', 'timed-out']
  return known.includes(answer?.answer) ? answer : { answer: 'deny' }
}
