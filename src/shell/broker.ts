// Runs shell commands for all rooms; the one place where processes start (SPEC R6.1). What confines a command is chosen here, once.
// Promises: each call settles, however the command behaves; nothing of it is left running; memory stays bounded; output is kept.

import { randomUUID } from 'node:crypto'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { messageOf, SkillcellError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { ResolveHost } from '../network-address.ts'
import type { NetworkMode, SandboxMode } from '../options.ts'
import { type Captures, createCaptures } from './captures.ts'
import { createCellRunner } from './cell-runner.ts'
import type { CommandRequest, CommandResult } from './command.ts'
import { controlGroups } from './control-groups.ts'
import { baseEnvironment, commandEnvironment, type Environment, markName } from './environment.ts'
import { createNetworkDoor, doorEnvironment, parseNetworkHosts } from './network/door.ts'
import { endLeftProcesses, ownName } from './owned-names.ts'
import { runPlain } from './plain-process.ts'
import type { CommandRunner } from './prepared-command.ts'
import { limitsNotEnforced, processWords, ulimitWords } from './resource-limits.ts'
import { commandResult } from './result.ts'
import { sandboxProblem } from './sandbox.ts'
import { findShell } from './shells.ts'
import { openStateFolders, type StateFolders } from './state-folders.ts'

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
  const ulimits = [...ulimitWords(limits, 1024), ...processWords(limits)]
  const cells =
    sandbox === 'bubblewrap'
      ? createCellRunner(folders, {
          home: env.HOME ?? homedir(),
          network,
          networkHosts,
          bubblewrap,
          environment,
          ulimits,
          makeGroup: () => controlGroups().create(limits),
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
    async close() {
      await cells?.close()
      captures.close()
      for (const folder of [folders.temporary, folders.cells]) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

async function runOne(
  given: CommandRequest,
  limits: Limits,
  { folders, captures, environment: base, sandbox, runCommand, shellFor }: Place,
): Promise<CommandResult> {
  const startedAt = performance.now()
  // A cell needs none of its own.
  const mark = sandbox === 'none' ? ownName() : ''
  const environment = commandEnvironment(base, given, mark)
  const program = shellFor(given.shell, environment.PATH ?? '')
  const request = { ...given, cwd: checkRequest(given) }
  if (request.signal?.aborted) return { ...abortedBeforeStart, sandbox }
  const capture = prepared('open a capture file', () => captures.take(request.stderr))
  try {
    const ended = runCommand({ request, environment, program, mark, capture, folders, limits })
    // Once it runs we have time. Without a cell it is the start of the process that costs.
    if (sandbox === 'bubblewrap') setImmediate(() => captures.prepare(request.stderr))
    const ending = await ended
    return await commandResult({ request, ending, capture, limits, folder: folders.spill, startedAt, sandbox })
  } catch (cause) {
    if (cause instanceof SkillcellError) throw cause
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot run the command: ${messageOf(cause)}`, { cause })
  } finally {
    capture.close()
  }
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
