// Starts a program that speaks over its input and output, such as a server of the Model Context Protocol (SPEC R6.1). It leads a group of
// its own, gets an allowlist of variables plus those that the configuration names, and no shell reads its command line. It is not
// confined: whoever configures it trusts it. Ended by closing its input, then TERM, then KILL to all that it started; killed with us, or
// found at the next start.

import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { messageOf, SkillcellError } from '../errors.ts'
import { dyingWithUs, endWithUs, forget } from './end-with-us.ts'
import { baseEnvironment, commandEnvironment, markName } from './environment.ts'
import { endLeftProcesses, ownName } from './owned-names.ts'
import { processGroup } from './process-group.ts'

export interface TransportProcessRequest {
  readonly command: string
  readonly args: readonly string[]
  /** Added to the allowlist as they are: whoever names them wants them so. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Aborting ends it. */
  readonly signal?: AbortSignal
  /** From the end of its input to TERM, and from TERM to KILL. Default 2,000. */
  readonly graceMs?: number
  /** Where the allowlisted variables come from. Default `process.env`. */
  readonly host?: NodeJS.ProcessEnv
}

export interface TransportProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when it has ended by itself or was ended; never rejects. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Ends it and all that it started; resolves when nothing of it is left. May be called again. */
  kill(): Promise<void>
}

const defaultGraceMs = 2_000

/** @throws {SkillcellError} SHELL_SPAWN_FAILED that names the program */
export async function startTransportProcess(request: TransportProcessRequest): Promise<TransportProcess> {
  const { command, args, env, cwd, signal, graceMs = defaultGraceMs, host = process.env } = request
  signal?.throwIfAborted()
  endLeft()
  const mark = ownName()
  const environment = { ...baseEnvironment(host, tmpdir()), ...env, ...markOf(host, mark) }
  const child = await start(command, args, cwd, environment)
  const { stdin, stdout, stderr, leader } = child
  const startedAt = performance.now()
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve => {
    child.process.once('exit', (code, name) => resolve({ code, signal: name }))
  })
  // A pipe whose other end is gone must not end our process.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)
  const group = processGroup({ leader, mark, captures: `/dev/null/${mark}` }, startedAt)
  let ending: Promise<void> | undefined
  const end = async (): Promise<void> => {
    const hasExited = (): boolean => child.process.exitCode !== null || child.process.signalCode !== null
    const isGone = async (): Promise<boolean> => {
      const waiting = new AbortController()
      await Promise.race([exited, setTimeout(graceMs, undefined, { signal: waiting.signal }).catch(() => undefined)])
      waiting.abort()
      return hasExited()
    }
    stdin.end()
    if (!(await isGone())) {
      group.signal('SIGTERM')
      if (!(await isGone())) child.process.kill('SIGKILL')
    }
    await group.end()
    await exited
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
  }
  const kill = (): Promise<void> => {
    ending ??= end()
    return ending
  }
  const abort = (): void => void kill()
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  endWithUs(leader)
  void exited.then(() => {
    signal?.removeEventListener('abort', abort)
    forget(leader)
    // What it started and left behind goes with it.
    void kill()
  })
  return { stdin, stdout, stderr, exited, kill }
}

let isSwept = false

/** Once: servers of processes of ours that were killed. */
function endLeft(): void {
  if (isSwept || process.platform !== 'linux') return
  isSwept = true
  endLeftProcesses(markName)
}

interface Started {
  readonly process: ChildProcess
  readonly leader: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

async function start(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Started> {
  try {
    checkProgram(command, cwd, env.PATH ?? '')
    const [first = command, ...rest] = [...dyingWithUs, command, ...args]
    const child = spawn(first, rest, { cwd, env, stdio: 'pipe', detached: true })
    child.on('error', () => undefined)
    const { pid, stdin, stdout, stderr } = child
    if (pid !== undefined) return { process: child, leader: pid, stdin, stdout, stderr }
    throw await new Promise(resolve => child.once('error', resolve))
  } catch (cause) {
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot start "${command}" in "${cwd}": ${messageOf(cause)}`, { cause })
  }
}

/** What goes before it would start in any case: that there is nothing to start has to be seen first. */
function checkProgram(command: string, cwd: string, path: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error('there is no such folder')
  if (command.includes('\0')) throw new Error('its name holds a NUL')
  const places = command.includes('/') ? [resolve(cwd, command)] : path.split(':').map(folder => resolve(cwd, folder, command))
  if (!places.some(isProgram)) throw new Error(command.includes('/') ? 'it is no program that may be run' : `no such program is in ${path}`)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The variable by which its children are found, of the same form as that of commands. */
function markOf(host: NodeJS.ProcessEnv, mark: string): Readonly<Record<string, string>> {
  return commandEnvironment(
    host.SKILLCELL_COMMAND === undefined ? {} : { SKILLCELL_COMMAND: host.SKILLCELL_COMMAND },
    { environment: {}, variables: {} },
    mark,
  )
}
