// Runs shell commands for all rooms; the one place where processes start (SPEC R6.1). What confines a command is chosen here, once.
// Promises: each call settles, however the command behaves; nothing of it is left running; memory stays bounded; output is kept.

import { randomUUID } from 'node:crypto'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { messageOf, SkillcellError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { ResolveHost } from '../network-address.ts'
import type { NetworkMode, SandboxMode } from '../options.ts'
import { type Captures, createCaptures } from './captures.ts'
import { createCellRunner } from './cell-runner.ts'
import type { CommandRequest, CommandResult } from './command.ts'
import { controlGroups } from './control-groups.ts'
import { baseEnvironment, commandEnvironment, type Environment, markName } from './environment.ts'
import { firstMoments } from './first-moments.ts'
import { createNetworkDoor, doorEnvironment, parseNetworkHosts } from './network/door.ts'
import { endLeftProcesses, ownName } from './owned-names.ts'
import { runPlain } from './plain-process.ts'
import type { CommandRunner, PreparedCommand } from './prepared-command.ts'
import { limitsNotEnforced, processWords, ulimitWords } from './resource-limits.ts'
import { commandResult } from './result.ts'
import { sandboxProblem } from './sandbox.ts'
import { createSetbacks, type Setbacks } from './setbacks.ts'
import { findShell } from './shells.ts'
import { openStateFolders, type StateFolders } from './state-folders.ts'
import type { TenantGroup } from './tenant-group.ts'
import { yielding } from './yielding.ts'

export interface BrokerOptions {
  readonly sandbox: SandboxMode
  /** Private state of the tenant; absolute. Made when the first command runs. */
  readonly stateDirectory: string
  readonly limits: Limits
  /** Where the allowlisted variables come from; normally `process.env`. */
  readonly env: NodeJS.ProcessEnv
  /** Name or path of bubblewrap. Default `bwrap`, looked for in the folders of the system. */
  readonly bubblewrap?: string
  /** What a cell reaches. Default: nothing. Without a sandbox commands have the network of the host. */
  readonly network?: NetworkMode
  /** For `allowlist`; entries as in RuntimeOptions. */
  readonly networkHosts?: readonly string[]
  /** Instead of the name servers of the system. */
  readonly resolveHost?: ResolveHost
}

export interface Broker {
  readonly sandbox: CommandResult['sandbox']
  /** Why there is no sandbox, for people. */
  readonly sandboxProblem?: string
  /**
   * Runs one shell command and resolves when it has ended, however it ended: a failure, a time-out, an abort are results.
   * Output over `maxOutputChars` (UTF-16 units) goes to `spillPath`; a preview of `previewChars` is kept.
   * Aborting sends TERM to all it started, KILL after `killGraceMs`.
   * @throws {SkillcellError} SHELL_SPAWN_FAILED, SHELL_UNAVAILABLE if it could not start; CLOSED after `close`.
   */
  run(request: CommandRequest): Promise<CommandResult>
  /** Ends what runs and waits for it; removes the temp of the commands. */
  close(): Promise<void>
}

/** @throws {SkillcellError} SANDBOX_UNAVAILABLE when one is required. */
export function createBroker(options: BrokerOptions): Broker {
  const problem = options.sandbox === 'off' ? 'it is switched off' : sandboxProblem(options.bubblewrap)
  if (options.sandbox === 'required' && problem !== undefined) {
    throw new SkillcellError('SANDBOX_UNAVAILABLE', `Cannot confine commands: ${problem}; or choose \`--sandbox auto\``)
  }
  const sandbox = problem === undefined ? 'bubblewrap' : 'none'
  let closed = false
  // Said once.
  const notEnforced = [
    ...networkNotEnforced(sandbox, options.network),
    ...limitsNotEnforced(sandbox, sandbox === 'none' ? new Set() : controlGroups().controllers),
  ]
  const running = new Map<AbortController, Promise<unknown>>()
  let place: Place | undefined
  return {
    sandbox,
    ...(problem === undefined ? {} : { sandboxProblem: problem }),
    async run(request) {
      if (closed) throw new SkillcellError('CLOSED', 'Cannot run a command: the broker is closed')
      place ??= openPlace(options, sandbox)
      const stop = new AbortController()
      const abort = () => stop.abort()
      request.signal?.addEventListener('abort', abort, { once: true })
      if (request.signal?.aborted) abort()
      const call = runOne({ ...request, signal: stop.signal }, options.limits, place)
      running.set(stop, call)
      try {
        const result = await call
        if (notEnforced.length === 0) return result
        return { ...result, notEnforced: notEnforced.splice(0) }
      } finally {
        running.delete(stop)
        request.signal?.removeEventListener('abort', abort)
      }
    },
    async close() {
      closed = true
      for (const stop of running.keys()) stop.abort()
      await Promise.allSettled(running.values())
      await place?.close()
    },
  }
}

interface Place {
  readonly folders: StateFolders
  readonly captures: Captures
  readonly environment: Environment
  readonly sandbox: CommandResult['sandbox']
  readonly runCommand: CommandRunner
  /** Of all its cells. */
  readonly group: TenantGroup | undefined
  readonly setbacks: Setbacks
  shellFor(name: CommandRequest['shell'], path: string): string
  close(): Promise<void>
}

function openPlace(
  { stateDirectory, limits, env, network = 'none', networkHosts = [], resolveHost, bubblewrap = 'bwrap' }: BrokerOptions,
  sandbox: CommandResult['sandbox'],
): Place {
  // A cell ends with its maker, a plain process does not.
  if (sandbox === 'none' && process.platform === 'linux') endLeftProcesses(markName)
  const folders = openStateFolders(stateDirectory, limits.spillMaxAgeMs)
  // In a cell every command has a /tmp that nobody else sees.
  // Nor is one of them told which process we are: all have the same mark, in the shell host already.
  const environment =
    sandbox === 'bubblewrap'
      ? commandEnvironment({ ...baseEnvironment(env, '/tmp'), ...doorEnvironment(network) }, noOwn, randomUUID())
      : baseEnvironment(env, folders.temporary)
  const hosts = parseNetworkHosts(networkHosts)
  const ulimits = [...ulimitWords(limits, 512), ...processWords(limits)]
  const group = sandbox === 'bubblewrap' ? controlGroups().openTenant() : undefined
  const cells =
    sandbox === 'bubblewrap'
      ? createCellRunner(folders, {
          home: env.HOME ?? homedir(),
          network,
          networkHosts,
          bubblewrap,
          environment,
          ulimits,
          // Its host takes some milliseconds for each.
          maxCommands: limits.maxCpuSeconds * 100,
          makeGroup: () => group?.create(limits),
          openDoor: () => (network === 'allowlist' ? createNetworkDoor({ hosts, limits, ...(resolveHost && { resolveHost }) }) : undefined),
        })
      : undefined
  const shells = new Map<string, string>()
  const captures = createCaptures(folders.spill)
  return {
    folders,
    captures,
    environment,
    // Looked for once: what lies in the folders of the system is not replaced under us.
    shellFor(name, path) {
      const key = `${name}:${path}`
      const found = shells.get(key) ?? findShell(name, path)
      shells.set(key, found)
      return found
    },
    sandbox,
    runCommand: cells?.run ?? runPlain,
    group,
    setbacks: createSetbacks(),
    async close() {
      await cells?.close()
      await group?.close()
      captures.close()
      for (const folder of [folders.temporary, folders.cells]) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

async function runOne(given: CommandRequest, limits: Limits, place: Place): Promise<CommandResult> {
  const { environment: base, sandbox, shellFor } = place
  const startedAt = performance.now()
  // A cell needs none of its own.
  const mark = sandbox === 'none' ? ownName() : ''
  const environment = commandEnvironment(base, given, mark)
  const program = shellFor(given.shell, environment.PATH ?? '')
  const request = { ...given, cwd: checkRequest(given) }
  const entering = enter(place, request.signal)
  // Most have nothing to wait for, not even a tick.
  const leave = entering instanceof Promise ? await entering : entering
  if (leave === undefined) return { ...abortedBeforeStart, sandbox }
  try {
    return await runEntered({ request, environment, program, mark, limits }, place, startedAt, leave)
  } finally {
    leave()
  }
}

async function runEntered(
  command: Omit<PreparedCommand, 'capture' | 'folders'>,
  { folders, captures, sandbox, runCommand, setbacks }: Place,
  startedAt: number,
  leave: () => void,
): Promise<CommandResult> {
  const { request, limits } = command
  const capture = prepared('open a capture file', () => captures.take(request.stderr))
  try {
    const ended = runCommand({ ...command, capture, folders })
    // Once it runs we have time. Without a cell it is the start of the process that costs.
    if (sandbox === 'bubblewrap') setImmediate().then(() => captures.prepare(request.stderr))
    const ending = await ended
    leave()
    if (ending.reason === 'output-limit' || (ending.reason === 'killed' && ending.note !== undefined)) setbacks.add()
    if (request.onEnded !== undefined) {
      request.onEnded(ending.exitCode)
      // What it lets begin comes first.
      await setImmediate()
    }
    return await commandResult({ request, ending, capture, limits, folder: folders.spill, startedAt, sandbox })
  } catch (cause) {
    if (cause instanceof SkillcellError) throw cause
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot run the command: ${messageOf(cause)}`, { cause })
  } finally {
    capture.close()
  }
}

/** Waits its turn beside other tenants; undefined when it was aborted before. To leave twice does no harm. */
function enter(place: Place, signal: AbortSignal | undefined): (() => void) | undefined | Promise<(() => void) | undefined> {
  const begin = (leave: () => void) => {
    const end = place.group && yielding.begin(place.group)
    return () => {
      leave()
      end?.()
    }
  }
  if (signal?.aborted) return undefined
  const setback = place.setbacks.wait(signal)
  const entered = setback === undefined ? firstMoments.enter(place, signal) : setback.then(() => firstMoments.enter(place, signal))
  return entered instanceof Promise ? entered.then(begin, () => undefined) : begin(entered)
}

function networkNotEnforced(sandbox: CommandResult['sandbox'], network: NetworkMode = 'none'): string[] {
  if (sandbox !== 'none' || network === 'host') return []
  const what = network === 'allowlist' ? 'networkHosts' : 'network: none'
  return [`${what} is not enforced without a cell: commands have the network of the host`]
}

const noOwn = { environment: {}, variables: {} }

const abortedBeforeStart: Omit<CommandResult, 'sandbox'> = {
  reason: 'aborted',
  exitCode: 130,
  output: '',
  outputChars: 0,
  outputBytes: 0,
  truncated: false,
  durationMs: 0,
  note: 'Ended by the caller before it started',
}

// spawn() tells a missing folder and a missing program by the same ENOENT, and an argument ends at a NUL.
/** Gives the real path of the folder: the one that bash would find. */
function checkRequest({ cwd, script, parameters, variables, environment }: CommandRequest): string {
  const texts = [script, ...parameters, ...Object.values(variables), ...Object.values(environment)]
  if (texts.some(text => text.includes('\0'))) {
    throw new SkillcellError('SHELL_SPAWN_FAILED', 'Cannot run the command: it or an argument holds a NUL, which no shell can take')
  }
  return prepared(`use "${cwd}" as its folder`, () => {
    if (!statSync(cwd).isDirectory()) throw new Error('it is not a folder')
    accessSync(cwd, constants.X_OK)
    return realpathSync.native(cwd)
  })
}

function prepared<Value>(what: string, act: () => Value): Value {
  try {
    return act()
  } catch (cause) {
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot run the command: could not ${what}: ${messageOf(cause)}`, { cause })
  }
}
