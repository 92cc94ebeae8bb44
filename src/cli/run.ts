// skillcell run: one invocation as a stream of events; with --json each is a line, else the prompt goes to stdout and the rest to stderr.

import { errorCodes } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { diagnosticLine, note, noteFailure, oneLine, printJson, printText, styled } from './output.ts'

interface RunFlags {
  readonly session?: string
  readonly deadlineMs?: number
}

export function run(context: CommandContext, text: string, { session, deadlineMs }: RunFlags): Promise<number> {
  return withRuntime(context, async runtime => {
    const running = runtime.run(text, { ...(session !== undefined && { sessionId: session }), deadlineMs, signal: context.signal })
    for await (const event of running) await (context.json ? printJson(event) : tell(event))
    const { error } = await running.result
    return error ? errorCodes[error.code].exitCode : 0
  })
}

function tell(event: RunEvent): Promise<void> | undefined {
  if (event.type === 'diagnostic') note(diagnosticLine(event.diagnostic))
  if (event.type === 'command.started') note(styled('dim', `$ ${oneLine(event.command)}`, process.stderr))
  if (event.type === 'command.finished' && event.status !== 'ok')
    note(styled('yellow', `  ${event.status}, exit code ${event.exitCode}${event.note ? `: ${oneLine(event.note)}` : ''}`, process.stderr))
  if (event.type !== 'run.finished') return undefined
  if (event.error) noteFailure(event.error.code, event.error.message)
  return event.result ? printText(event.result.prompt) : undefined
}
