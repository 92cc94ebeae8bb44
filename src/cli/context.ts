// What a command works with: its flags, a signal that an interrupt aborts, and a runtime that is closed whatever happens.

import { errorCodes, SkillcellError } from '../errors.ts'
import type { RuntimeOptions } from '../options.ts'
import type { Runtime } from '../runtime.ts'
import { askPerson } from './ask-person.ts'
import { noteDiagnostics } from './output.ts'

export interface CommandContext {
  readonly json: boolean
  /** False with --no-input. */
  readonly input: boolean
  /** As given on the command line; the configuration is read below them. */
  readonly flags: RuntimeOptions
  readonly signal: AbortSignal
  /** What a second interrupt still does before the process ends: synchronous, and quick. The last one that was given counts. */
  readonly lastWords: (say: () => void) => void
}

/** Gives the exit code of `work`. The runtime is closed whatever happens. `work` heeds the signal itself, or is left with untilAborted(). */
export async function withRuntime(
  { flags, json, input }: CommandContext,
  work: (runtime: Runtime, options: RuntimeOptions) => Promise<number>,
): Promise<number> {
  const { readConfiguration } = await import('../config.ts')
  const { options } = await readConfiguration(flags, process.env)
  const { createRuntime } = await import('../runtime.ts')
  const onAsk = askPerson(input && !json)
  const runtime = await createRuntime({ ...options, ...(onAsk && { onAsk }) })
  noteDiagnostics(runtime.diagnostics)
  try {
    return await work(runtime, options)
  } finally {
    await runtime.close()
  }
}

/** SIGINT, SIGTERM and SIGHUP abort once; a second one ends the process, after its last words. */
export function watchInterrupts(): Pick<CommandContext, 'signal' | 'lastWords'> & { stop(): void } {
  const controller = new AbortController()
  let say = (): void => {}
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const interrupt = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      say()
      process.exit(errorCodes.ABORTED.exitCode)
    }
    controller.abort(new SkillcellError('ABORTED', `Interrupted by ${name}`))
  }
  for (const name of signals) process.on(name, interrupt)
  readerGone = () => controller.abort(new ReaderGone())
  if (!watchesReader) for (const stream of [process.stdout, process.stderr]) stream.on('error', onStreamError)
  watchesReader = true
  return {
    signal: controller.signal,
    lastWords: given => {
      say = given
    },
    stop: () => {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

// A reader that goes away (`skillcell list | head -1`) ends the work quietly. The listener stays: the last lines may still be on their way.
let readerGone = (): void => {}
let watchesReader = false

function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') {
    readerGone()
    return
  }
  // What was asked for could not be told: a full disk behind the output.
  process.stderr.write(`INTERNAL: Cannot write the output: ${error.message}\n`)
  process.exit(1)
}

export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}
