// skillcell run: one invocation as a stream of events; with --json each is a line, else the result goes to stdout and the rest to stderr.

import { resolve } from 'node:path'
import { errorCodes } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { createLiveView, type LiveView } from './live-view.ts'
import { diagnosticLine, note, noteFailure, oneLine, printJson, printText, styled } from './output.ts'

interface RunFlags {
  readonly session?: string
  readonly deadlineMs?: number
  readonly model?: string
  readonly record?: string
}

export function run(context: CommandContext, text: string, { session, deadlineMs, model, record }: RunFlags): Promise<number> {
  return withRuntime(context, async runtime => {
    const running = runtime.run(text, {
      ...(session !== undefined && { sessionId: session }),
      ...(model !== undefined && { model }),
      ...(record !== undefined && { record: resolve(record) }),
      deadlineMs,
      signal: context.signal,
    })
    const view = createLiveView()
    let last: RunEvent | undefined
    context.lastWords(() => {
      // A reader that does not read would hold us here.
      if (last?.type === 'run.finished' || process.stdout.writableNeedDrain) return
      const event = interruptedRun(running.id, (last?.sequence ?? -1) + 1)
      if (context.json) printJson(event)
      else tell(event, view)
    })
    for await (const event of running) {
      last = event
      await (context.json ? printJson(event) : tell(event, view))
    }
    const { error } = await running.result
    return error ? errorCodes[error.code].exitCode : 0
  })
}

/** What a run would have told in the end: whoever reads the events waits for one of these. */
function interruptedRun(runId: string, sequence: number): RunEvent {
  const error = { code: 'ABORTED', message: 'Interrupted twice: the run was left before it had ended' } as const
  return { type: 'run.finished', reason: 'aborted', error, runId, sequence, at: Date.now() }
}

function tell(event: RunEvent, view: LiveView): Promise<void> | undefined {
  view.tell(event)
  if (event.type === 'diagnostic') view.note(diagnosticLine(event.diagnostic))
  if (event.type === 'command.started') view.note(styled('dim', `$ ${oneLine(event.command)}`, process.stderr))
  if (event.type === 'command.finished' && event.status !== 'ok')
    view.note(
      styled('yellow', `  ${event.status}, exit code ${event.exitCode}${event.note ? `: ${oneLine(event.note)}` : ''}`, process.stderr),
    )
  if (event.type === 'command.finished')
    for (const fact of event.notEnforced ?? []) view.note(styled('yellow', `  not enforced: ${oneLine(fact)}`, process.stderr))
  if (event.type !== 'run.finished') return undefined
  view.end()
  if (event.error) noteFailure(event.error.code, event.error.message)
  if (!event.result) return undefined
  const { agent, prompt } = event.result
  if (!agent) return printText(prompt)
  if (agent.ended !== 'completed') note(styled('yellow', `The agent was ended: ${endings[agent.ended]}`, process.stderr))
  return printText(`${agent.text}\n\n${agent.summary}`)
}

const endings = {
  'max-turns': 'it has used up its turns (limits.maxAgentTurns)',
  'max-tokens': 'it has used up its tokens (limits.maxAgentTokens)',
  'max-output-tokens': 'a turn was longer than it may be (limits.maxAgentOutputTokens)',
  refusal: 'the model refused to go on',
} as const
