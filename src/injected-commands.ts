// Runs the commands of a skill once all of them are decided: in document order, their answers kept in place (SPEC R4.2, R4.4).
// Promises: each is recorded and told when it has ended; the first fault stops what has not begun. Leaves to others: decisions, and the prompt.

import { setMaxListeners } from 'node:events'
import type { DialectOf } from './dialect.ts'
import { SkillcellError } from './errors.ts'
import type { CommandReport, RunEventBody } from './events.ts'
import type { CommandOutcome, PlannedCommand } from './expansion/plan.ts'
import { endsTheInvocation } from './failing-command.ts'
import type { Limits } from './limits.ts'
import { askedCommand, type RunAudit } from './run-audit.ts'
import type { CommandRequest, CommandResult } from './shell/command.ts'
import type { Skill } from './skills/skill.ts'
import { createTurns } from './turns.ts'

export interface CommandRooms {
  readonly workspace: string
  readonly dialectOf: DialectOf
  readonly limits: Limits
  readonly audit: Pick<RunAudit, 'finishedCommand'>
  readonly runCommand: (request: CommandRequest) => Promise<CommandResult>
}

export interface CommandContext {
  readonly rooms: CommandRooms
  readonly signal: AbortSignal
  readonly emit: (event: RunEventBody) => void
}

export interface CommandsDone {
  readonly outcomes: readonly CommandOutcome[]
  readonly reports: readonly CommandReport[]
}

/**
 * In document order; more than one at a time only where the option says so. Answers keep their places. One after the other, the next begins as
 * soon as the one before has ended, while its output is still read and recorded: what is told of them keeps the order.
 */
export async function runCommands(commands: readonly PlannedCommand[], skill: Skill, context: CommandContext): Promise<CommandsDone> {
  const { injectionConcurrency } = context.rooms.limits
  const takeTurn = createTurns(injectionConcurrency)
  let told: Promise<unknown> = Promise.resolve()
  // The first fault stops what has not begun: nothing more runs for an invocation that has failed.
  const stop = new AbortController()
  // Each command that waits for its turn listens.
  setMaxListeners(0, stop.signal)
  const follow = (): void => stop.abort(context.signal.reason)
  if (context.signal.aborted) follow()
  context.signal.addEventListener('abort', follow, { once: true })
  try {
    const runs = commands.map(async (command, index) => {
      const giveBack = await takeTurn(stop.signal)
      try {
        stop.signal.throwIfAborted()
        const run = runOne(command, index, skill, { ...context, signal: stop.signal }, { before: told, mayGoOn: giveBack })
        if (injectionConcurrency === 1) told = run.catch(() => {})
        return await run
      } catch (error) {
        stop.abort(error)
        throw error
      } finally {
        giveBack()
      }
    })
    const settled = await Promise.allSettled(runs)
    stop.signal.throwIfAborted()
    const done = settled.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    return { outcomes: done.map(each => each.outcome), reports: done.map(each => each.report) }
  } finally {
    context.signal.removeEventListener('abort', follow)
  }
}

interface Turn {
  /** Resolves when all is told of the commands that ran before. */
  readonly before: Promise<unknown>
  /** To be called once it has ended in a way that lets the next one run. */
  readonly mayGoOn: () => void
}

async function runOne(
  command: PlannedCommand,
  index: number,
  skill: Skill,
  { rooms, signal, emit }: CommandContext,
  { before, mayGoOn }: Turn,
): Promise<{ readonly outcome: CommandOutcome; readonly report: CommandReport }> {
  const dialect = rooms.dialectOf(skill.source)
  const running = rooms.runCommand({
    script: command.script,
    shell: skill.shell === 'sh' ? 'sh' : 'bash',
    parameters: command.parameters,
    variables: command.variables,
    environment: command.environment,
    cwd: rooms.workspace,
    timeoutMs: dialect.commandTimeoutMs,
    signal,
    stderr: dialect.stderr,
    trim: dialect.outputTrim,
    // A cell serves one trust only: skills of another source never see what it left (SPEC R17.1).
    trust: skill.source,
    onEnded(exitCode) {
      if (exitCode === 0 || !endsTheInvocation(dialect, command.script, exitCode)) mayGoOn()
    },
  })
  // Its fault is told below, when it is its turn.
  running.catch(() => {})
  await before
  emit({ type: 'command.started', index, command: command.source })
  const result = await running
  rooms.audit.finishedCommand(skill.id, askedCommand(command), result)
  const report = reportOf(command, result)
  emit({ type: 'command.finished', index, ...report })
  signal.throwIfAborted()
  if (report.status !== 'ok' && endsTheInvocation(dialect, command.script, result.exitCode))
    throw new SkillcellError(
      'COMMAND_FAILED',
      `Shell command failed for pattern "${command.source}": exit code ${result.exitCode}: ${result.output}`,
      {
        details: { pattern: command.source, exitCode: result.exitCode },
      },
    )
  const { status, exitCode } = report
  if (status === 'ok') return { report, outcome: { status, output: result.output } }
  // The reader of the prompt should see which limit ended it (SPEC R4.4).
  const output = [result.output, result.note].filter(part => part !== undefined && part !== '').join('\n')
  return { report, outcome: { status, exitCode, output } }
}

function reportOf(command: PlannedCommand, result: CommandResult): CommandReport {
  const succeeded = result.reason === 'exited' && result.exitCode === 0
  return {
    command: command.source,
    status: succeeded ? 'ok' : result.reason === 'timed-out' ? 'timed-out' : 'failed',
    exitCode: result.exitCode,
    durationMs: Math.round(result.durationMs),
    outputChars: result.outputChars,
    truncated: result.truncated,
    ...(result.spillPath !== undefined && { spillPath: result.spillPath }),
    sandbox: result.sandbox,
    ...(result.note !== undefined && { note: result.note }),
    ...(result.cpuSeconds !== undefined && { cpuSeconds: result.cpuSeconds }),
    ...(result.peakMemoryBytes !== undefined && { peakMemoryBytes: result.peakMemoryBytes }),
    ...(result.notEnforced !== undefined && { notEnforced: result.notEnforced }),
  }
}
