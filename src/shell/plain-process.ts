// Runs one command as a plain process group: no sandbox. Settles on the exit of the shell, never on the end of its output.
// Promises: TERM, then KILL after the grace, on time-out and abort; what is left after a normal end is killed at once (SPEC R17.3).

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { messageOf, SkillcellError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { readCommandText } from './command-text.ts'
import { dyingWithUs, endWithUs, forget } from './end-with-us.ts'
import { type Launch, prepareLaunch } from './launch.ts'
import { openPlainPipes, type PlainPipes } from './plain-pipes.ts'
import type { CommandRunner, Ending, PreparedCommand } from './prepared-command.ts'
import { type ProcessGroup, processGroup } from './process-group.ts'
import { ulimitWords } from './resource-limits.ts'
import { findSystemPrograms } from './system-programs.ts'
import { type StopReason, watchCommand } from './watch.ts'

// What the shell started may be about to end: `exec > >(tee f)` still copies the last line when the shell is gone.
const drainMs = 150

export const runPlain: CommandRunner = async command => {
  const { request, environment, folders, capture } = command
  const inputs = join(folders.inputs, basename(capture.prefix))
  let stdin: number | undefined
  let pipes: PlainPipes | undefined
  try {
    const launch = prepareLaunch(request, environment, { path: inputs, seenAs: inputs })
    // Files cost less, where nothing opens them again.
    const { hasPlainOutput, programs } = readCommandText(request)
    if (!hasPlainOutput || findSystemPrograms(programs, environment.PATH ?? '') === undefined)
      pipes = await openPlainPipes(folders.cells, capture)
    if (request.stdin !== undefined) stdin = openText(`${inputs}.stdin`, request.stdin)
    return await runGroup(command, launch, { stdin, pipes })
  } finally {
    pipes?.close()
    if (stdin !== undefined) closeSync(stdin)
    rmSync(inputs, { recursive: true, force: true })
  }
}

/** A descriptor that gives the text and has no name. */
function openText(path: string, text: string): number {
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  try {
    return openSync(path, 'r')
  } finally {
    rmSync(path)
  }
}

interface Streams {
  readonly stdin: number | undefined
  /** For its output; else the files themselves. */
  readonly pipes: PlainPipes | undefined
}

async function runGroup(command: PreparedCommand, launch: Launch, streams: Streams): Promise<Ending> {
  const { capture } = command
  const startedAt = performance.now()
  const { child, leader } = await start(command, launch, streams)
  streams.pipes?.handOver()
  // Through the event loop: Node 20 tells exits in a row, and a next command started from within starves timers and everybody else.
  const exited = new Promise<void>(resolve => child.once('exit', () => setImmediate(resolve)))
  const group = processGroup({ leader, mark: command.mark, captures: capture.prefix }, startedAt)
  endWithUs(leader)
  let stopping: Promise<void> | undefined
  const watch = watchCommand({
    command,
    processes: () => [leader, ...group.survivors()],
    stop(reason) {
      stopping = stop(reason, child, group, command.limits.killGraceMs)
    },
  })
  await exited
  if (watch.reason === undefined && group.survivors().length > 0) await group.drained(drainMs)
  watch.checkSize()
  watch.release()
  await stopping
  const clean = await group.end()
  forget(leader)
  const missing = await streams.pipes?.finish()
  // What came through the pipes by now counts, too.
  watch.checkSize()
  const ending = endingOf(child, watch.reason, clean)
  // Who reads an output has to know that it is not whole.
  return { ...ending, ...(missing === undefined ? {} : { note: missing, exitCode: ending.exitCode || 1 }), ...watch.facts }
}

function limitScript(limits: Limits): string {
  const words = ulimitWords(limits, 512).map(word => `ulimit ${word.replace('=', ' ')} 2>/dev/null`)
  return `${words.join('; ')}; exec "$0" "$@"`
}

function endingOf({ exitCode, signalCode }: ChildProcess, stopReason: StopReason | undefined, clean: boolean): Ending {
  const code = exitCode ?? 128 + (signalCode === null ? 0 : constants.signals[signalCode])
  const signal = signalCode === null ? {} : { signal: signalCode }
  if (stopReason === undefined) return { reason: signalCode === null ? 'exited' : 'killed', exitCode: code, ...signal, clean }
  if (stopReason === 'resource-limit') return { reason: 'killed', exitCode: code || 128 + constants.signals.SIGKILL, ...signal, clean }
  // A command that was stopped has failed, also one that answered TERM with exit 0.
  return { reason: stopReason, exitCode: stopReason === 'timed-out' ? 124 : code || 128 + constants.signals.SIGTERM, ...signal, clean }
}

async function start(
  { request, program, capture, limits }: PreparedCommand,
  launch: Launch,
  { stdin, pipes }: Streams,
): Promise<{ child: ChildProcess; leader: number }> {
  try {
    // The limits are those of the process that becomes the shell, before it reads anything.
    const shell = ['/bin/sh', '-c', limitScript(limits), program, ...launch.arguments]
    const [first = '/bin/sh', ...rest] = dyingWithUs.concat(shell)
    const child = spawn(first, rest, {
      cwd: request.cwd,
      env: launch.environment,
      stdio: [stdin ?? 'ignore', pipes?.stdout ?? capture.stdout, pipes?.stderr ?? capture.stderr],
      detached: true,
    })
    // kill() reports a failure as an event; without a listener that would end our process.
    child.on('error', () => undefined)
    if (child.pid !== undefined) return { child, leader: child.pid }
    throw await new Promise(resolve => child.once('error', resolve))
  } catch (cause) {
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot start "${program}": ${messageOf(cause)}`, { cause })
  }
}

async function stop(reason: StopReason, child: ChildProcess, group: ProcessGroup, graceMs: number): Promise<void> {
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  // A flood is ended at once: it would fill the grace with more of it.
  if (reason === 'timed-out' || reason === 'aborted') {
    const deadline = performance.now() + graceMs
    group.signal('SIGTERM')
    while (performance.now() < deadline && !(hasExited() && group.survivors().length === 0)) await setTimeout(10)
  }
  if (!hasExited()) child.kill('SIGKILL')
  await group.end()
}
