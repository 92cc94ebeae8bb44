// Runs one command in a leased cell: lays out what it needs, watches its limits, and says how it ended.
// Promises like plain-process.ts; what cannot be ended in the grace ends with its cell.

import { copyFileSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SkillcellError } from '../errors.ts'
import { isInside } from '../inside.ts'
import type { Limits } from '../limits.ts'
import { makeFolders } from '../private-folder.ts'
import { removeName } from './capture.ts'
import type { Cell, CellAnswer } from './cell.ts'
import { type CommandText, readCommandText } from './command-text.ts'
import type { GroupCounts } from './control-group.ts'
import type { Environment } from './environment.ts'
import { prepareLaunch } from './launch.ts'
import { type OutputPipes, openOutputPipes, pipeNames } from './output-pipes.ts'
import type { Ending, PreparedCommand } from './prepared-command.ts'
import { send } from './process-group.ts'
import { descendantsOf } from './process-scan.ts'
import type { ProtectedLinks } from './protected-links.ts'
import { type HostRequest, inOwnGroup, quoted, requestText } from './shell-host.ts'
import { findSystemPrograms } from './system-programs.ts'
import { noteOf } from './usage.ts'
import { type StopReason, watchCommand } from './watch.ts'

/** @param links looked at just before */
export async function runInCell(command: PreparedCommand, cell: Cell, base: Environment, links: ProtectedLinks): Promise<Ending> {
  const { request, capture } = command
  const files = layOut(command, cell, base)
  let pipes: OutputPipes | undefined
  try {
    if (files.piped) pipes = openOutputPipes(cell.folder, capture)
    let answered = false
    const { group } = cell
    group?.begin()
    const answer = cell.ask(files.request).finally(() => {
      answered = true
    })
    let stopping: Promise<void> | undefined
    const watch = watchCommand({
      command,
      processes: () => group?.processes() ?? descendantsOf(cell.processId),
      ...(group === undefined ? {} : { counts: () => group.counts() }),
      forbidden: () => links.mend(),
      stop(reason) {
        stopping = stop(reason, cell, () => answered, command.limits.killGraceMs)
      },
    })
    const result = await answer
    const missing = await pipes?.finish()
    const counts = group?.counts()
    watch.checkSize()
    watch.release()
    await stopping
    links.mend()
    const ending = endingOf(result, watch.reason, request.cwd)
    return {
      ...ending,
      // Who reads an output has to know that it is not whole.
      ...(missing === undefined ? {} : { note: missing, exitCode: ending.exitCode || 1 }),
      ...watch.facts,
      ...countedBy(result),
      ...(counts && countedByKernel(counts, command.limits)),
    }
  } finally {
    pipes?.close()
    // What the cell shows goes before its next command comes, what it does not show a moment later.
    for (const path of files.shown) if (!removeName(path)) rmSync(path, { recursive: true, force: true })
    setImmediate(() => {
      for (const path of files.hidden) removeName(path)
    })
  }
}

function endingOf(answer: CellAnswer, stopReason: StopReason | undefined, cwd: string): Ending {
  if (answer.type === 'no-folder') {
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot run the command in "${cwd}": the cell does not show that folder`)
  }
  if (answer.type === 'no-start')
    throw new SkillcellError(
      'SHELL_SPAWN_FAILED',
      `Cannot start the command in its cell (${answer.problem}); the next one gets a new cell, so try again`,
    )
  const code = answer.type === 'exited' ? answer.exitCode : 128 + constants.signals.SIGKILL
  if (stopReason === 'resource-limit') return { reason: 'killed', exitCode: 128 + constants.signals.SIGKILL, clean: true }
  if (stopReason !== undefined) {
    return { reason: stopReason, exitCode: stopReason === 'timed-out' ? 124 : code || 128 + constants.signals.SIGTERM, clean: true }
  }
  if (answer.type === 'died' && answer.interrupted) return { reason: 'killed', exitCode: 130, signal: 'SIGINT', clean: true }
  if (answer.type === 'died') return { reason: 'killed', exitCode: code, clean: true, note: 'The cell of the command ended before it did' }
  const signal = answer.signalled ? signalOf(code) : undefined
  return signal === undefined
    ? { reason: 'exited', exitCode: code, clean: true }
    : { reason: 'killed', exitCode: code, signal, clean: true }
}

function signalOf(exitCode: number): NodeJS.Signals | undefined {
  for (const [name, number] of Object.entries(constants.signals)) if (number === exitCode - 128) return name as NodeJS.Signals
  return undefined
}

/** The shell's own times are exact, and it has waited for all. */
function countedBy(answer: CellAnswer): Pick<Ending, 'cpuSeconds'> {
  return answer.type === 'exited' ? { cpuSeconds: answer.cpuSeconds } : {}
}

/** Exact, of all that was in the cell, also of what nobody waited for. */
function countedByKernel(counts: GroupCounts, limits: Limits): Pick<Ending, 'cpuSeconds' | 'peakMemoryBytes' | 'note'> {
  const note = noteOf(counts, limits)
  return {
    ...(counts.cpuSeconds === undefined ? {} : { cpuSeconds: counts.cpuSeconds }),
    ...(counts.peakMemoryBytes === undefined ? {} : { peakMemoryBytes: counts.peakMemoryBytes }),
    ...(note === undefined ? {} : { note }),
  }
}

async function stop(reason: StopReason, cell: Cell, answered: () => boolean, graceMs: number): Promise<void> {
  if (reason === 'timed-out' || reason === 'aborted') {
    const deadline = performance.now() + graceMs
    cell.allowGrace()
    for (const id of descendantsOf(cell.processId)) send(id, 'SIGTERM')
    while (!answered() && performance.now() < deadline) await setTimeout(10)
    // The TERM may have met the shell of the next command, and its end would be taken for that of the next.
    await cell.end()
  } else if (!answered()) await cell.end()
}

interface LaidOut {
  readonly request: string
  readonly hidden: readonly string[]
  readonly shown: readonly string[]
  readonly piped: boolean
}

/** Writes what the fork reads. Nothing of it is seen in the cell but the inputs, which are those of this command alone. */
function layOut(command: PreparedCommand, cell: Cell, base: Environment): LaidOut {
  const { request, environment, capture, folders } = command
  const id = basename(capture.prefix)
  const hidden: string[] = []
  const shown: string[] = []
  const argumentsFile = environment.ARGUMENTS_FILE
  if (argumentsFile !== undefined) shown.push(...showArguments(argumentsFile, folders.root, cell))
  if (request.stdin !== undefined) {
    writeFileSync(`${capture.prefix}.input`, request.stdin, { mode: 0o600, flag: 'wx' })
    hidden.push(`${capture.prefix}.input`)
  }
  const text = readCommandText(request)
  const places = findSystemPrograms(text.programs, environment.PATH ?? '')
  const piped = places === undefined || !text.hasPlainOutput
  const pipes = relative(folders.spill, cell.folder)
  const output = piped ? `${pipes}/${pipeNames.output}` : `${id}.output`
  const errors = piped ? `${pipes}/${pipeNames.errors}` : `${id}.errors`
  const asked = requestText(
    {
      cwd: request.cwd,
      output,
      errors: request.stderr === 'merged' ? output : errors,
      ...(request.stdin === undefined ? {} : { input: `${id}.input` }),
      ...(directly(command, text, places) ?? byShell(command, places !== undefined && text.looksForNoShell, cell, shown)),
    },
    base,
  )
  return { request: asked, hidden, shown, piped }
}

type Way = Pick<HostRequest, 'environment' | 'variables' | 'parameters' | 'text'>

function directly(
  { request: { variables, parameters }, environment }: PreparedCommand,
  { direct }: CommandText,
  places: ReadonlyMap<string, string> | undefined,
): Way | undefined {
  if (direct === undefined || places === undefined) return undefined
  if (!direct.variables.every(name => Object.hasOwn(environment, name) || Object.hasOwn(variables, name))) return undefined
  return { environment, variables, parameters, text: direct.render(name => places.get(name) ?? name) }
}

function byShell(
  { request, environment, program, folders, capture }: PreparedCommand,
  looksForNoShell: boolean,
  cell: Cell,
  shown: string[],
): Way {
  const id = basename(capture.prefix)
  const folder = { path: join(cell.folder, 'inputs', id), seenAs: join(folders.root, 'inputs', id) }
  shown.push(folder.path)
  const launch = prepareLaunch(request, environment, folder)
  const words = [program, ...launch.arguments].map(quoted).join(' ')
  const text = `exec ${looksForNoShell ? '' : `${inOwnGroup} `}${words}`
  return { environment: launch.environment, variables: {}, parameters: [], text }
}

/** The argument file lies at the same path inside; of the tenant's folder only this one file is seen (SPEC R16.9). */
function showArguments(path: string, root: string, cell: Cell): string[] {
  const shared = join(root, 'arguments')
  const way = relative(shared, path)
  if (way === '' || !isInside(path, shared)) return []
  const place = join(cell.folder, 'arguments', way)
  // Its folder is there but for the first time; of a file on another disk a link cannot be made.
  for (const show of [linkSync, linkSync, copyFileSync]) {
    try {
      show(path, place)
      break
    } catch (error) {
      if (show === copyFileSync) throw error
      makeFolders(dirname(place))
    }
  }
  return [place]
}
