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
    for await (const event of running) await (context.json ? printJson(event) : tell(event, view))
    const { error } = await running.result
    return error ? errorCodes[error.code].exitCode : 0
  })
}

function tell(event: RunEvent, view: LiveView): Promise<void> | undefined {
  view.tell(event)
  if (event.type === 'diagnostic') view.note(diagnosticLine(event.diagnostic))
  if (event.type === 'command.started') view.note(styled('dim', `$ ${oneLine(event.command)}`, process.stderr))
  if (event.type === 'command.finished' && event.status !== 'ok')
    view.note(
      styled('yellow', `  ${event.status}, exit code ${event.exitCode}${event.note ? `: ${oneLine(event.note)}` : ''}`, process.stderr),
    )
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
