// One cell: a bubblewrap with a shell host in it, which runs one command at a time. Ends with us, whatever ends us.
// Promises: after `end` nothing of it is left; a request always gets an answer, `died` if need be. Leaves to others: limits, captures, which cell.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { messageOf, SkillcellError } from '../errors.ts'
import { makeFolders } from '../private-folder.ts'
import { firstDocument, readLines, secondsIn } from './cell-lines.ts'
import { type CellProfile, cellArguments, hostPath } from './confinement.ts'
import type { ControlGroup } from './control-group.ts'
import type { Environment } from './environment.ts'
import type { NetworkDoor } from './network/door.ts'
import { pipeNames } from './output-pipes.ts'
import { openRequestFile, type RequestFile } from './request-file.ts'
import { seccompFilter } from './seccomp.ts'
import { hostScript } from './shell-host.ts'
import { findShell } from './shells.ts'

export type CellAnswer =
  | { readonly type: 'exited'; readonly exitCode: number; readonly signalled: boolean; readonly cpuSeconds: number }
  | { readonly type: 'no-folder' }
  /** What its shell said of it. */
  | { readonly type: 'no-start'; readonly problem: string }
  /** `interrupted`: its host ended by itself, which a bash does with a command that ended by INT only. */
  | { readonly type: 'died'; readonly interrupted: boolean }

export interface Cell {
  readonly folder: string
  /** Process id of the shell host, seen from outside. */
  readonly processId: number
  readonly alive: boolean
  /** What counts and holds it, where that is had. */
  readonly group?: ControlGroup
  /** Its way out, where it has one. */
  readonly door?: NetworkDoor
  /** Runs a request text of shell-host.ts; resolves when the command has ended and nothing of it is left. */
  ask(request: string): Promise<CellAnswer>
  /** Before a TERM: what is left when the shell ends is not killed at once. Whoever says so ends the cell when the grace is over. */
  allowGrace(): void
  /** KILL to everything in it; resolves when it is gone. */
  end(): Promise<void>
}

export interface CellOptions {
  readonly profile: CellProfile
  /** Its own; made here, removed when it ends. */
  readonly folder: string
  /** Name or path of the program. */
  readonly bubblewrap: string
  /** Where requests and captures lie. */
  readonly captureFolder: string
  /** What every command gets; nothing secret. */
  readonly environment: Environment
  /** Words for `ulimit` like `-n=1024`. */
  readonly ulimits: readonly string[]
  /** After so many it takes no more: the host's own CPU time is limited like that of a command. */
  readonly maxCommands: number
  /** A group for this cell alone, which ends with it. */
  readonly makeGroup?: () => ControlGroup | undefined
  /** A way out for this cell alone, which ends with it. */
  readonly openDoor?: () => NetworkDoor | undefined
}

// Enters its groups before bubblewrap starts, so that nothing of the cell is ever outside of them. We cannot make a pipe with a name ourselves.
// Closes what our own process was started with by accident; of a POSIX shell one could not ask that, beyond 9.
const enterScript = [
  'for name in /proc/self/fd/*; do name=${name##*/}; [[ $name != [0-9][0-9]* ]] || eval "exec $name>&-"; done',
  'mkfifo -m 600 "$1" "$2" || exit; shift 2; while [[ $1 != -- ]]; do echo 0 >"$1" || exit; shift; done; shift; exec "$@"',
].join('; ')

const startMs = 20_000

/** @throws {SkillcellError} SHELL_SPAWN_FAILED with what bubblewrap said. */
export async function startCell({
  profile,
  folder,
  captureFolder,
  bubblewrap,
  environment,
  ulimits,
  maxCommands,
  makeGroup,
  openDoor,
}: CellOptions): Promise<Cell> {
  for (const path of [folder, ...profile.inputs.map(([source]) => source)]) makeFolders(path)
  const errorFile = join(folder, 'errors')
  const descriptors: number[] = []
  const open = (path: string, flags: string | number) => {
    const descriptor = openSync(path, flags, 0o600)
    descriptors.push(descriptor)
    return descriptor
  }
  const requestFile = openRequestFile(captureFolder)
  const group = makeGroup?.()
  const door = openDoor?.()
  try {
    const filter = seccompFilter(process.arch)
    if (filter === undefined) throw new Error(`there is no system call filter for ${process.arch}`)
    writeFileSync(join(folder, 'filter'), filter, { mode: 0o600 })
    const pipes = Object.values(pipeNames).map(name => join(folder, name))
    const child = spawn(
      findShell('bash', '/usr/bin'),
      [
        ...['--norc', '--noprofile', '-c', enterScript, 'bash', ...pipes, ...(group?.doors ?? []), '--', bubblewrap],
        ...cellArguments(profile),
        // In the host already, so that a fork has not to load its locale.
        ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
        ...[
          '--json-status-fd',
          '4',
          '--seccomp',
          '6',
          '--',
          hostPath,
          '-c',
          `${door?.prologue ?? ''}${hostScript}`,
          'sh',
          ulimits.join(' '),
          // The kernel counts it for a group, exactly and for nothing.
          group?.counts().cpuSeconds === undefined ? 'times' : '',
          requestFile.name,
        ],
      ],
      {
        // Finding 6: the environment of bubblewrap itself can be read inside.
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        stdio: [
          'ignore',
          'ignore',
          open(errorFile, 'ax'),
          'pipe',
          'pipe',
          open(captureFolder, constants.O_RDONLY | constants.O_DIRECTORY),
          open(join(folder, 'filter'), 'r'),
          ...(door === undefined ? [] : ['ipc' as const]),
        ],
      },
    )
    door?.attach(child)
    return await connect({ child, folder, requestFile, maxCommands, ...(group && { group }), ...(door && { door }) })
  } catch (cause) {
    const said = readTail(errorFile)
    requestFile.close()
    await group?.close()
    rmSync(folder, { recursive: true, force: true })
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot start a cell: ${[messageOf(cause), said].filter(Boolean).join(': ')}`, { cause })
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

interface Started extends Pick<Cell, 'folder' | 'group' | 'door'>, Pick<CellOptions, 'maxCommands'> {
  readonly child: ChildProcess
  readonly requestFile: RequestFile
}

async function connect({ child, folder, requestFile, maxCommands, group, door }: Started): Promise<Cell> {
  const control = child.stdio[3]
  const status = child.stdio[4]
  let failure: unknown
  child.once('error', error => {
    failure = error
  })
  let waiting: ((line: string | undefined) => void) | undefined
  const lines: string[] = []
  let alive = true
  const give = (line: string | undefined) => {
    const receive = waiting
    waiting = undefined
    if (receive !== undefined) receive(line)
    else if (line !== undefined) lines.push(line)
  }
  const gone = new Promise<void>(resolve => {
    const finish = () => {
      alive = false
      give(undefined)
      requestFile.close()
      rmSync(folder, { recursive: true, force: true })
      resolve(group?.close())
    }
    child.once('exit', finish)
    if (child.pid === undefined) child.once('error', finish)
  })
  const next = () =>
    new Promise<string | undefined>(resolve => {
      if (!alive) return resolve(undefined)
      const line = lines.shift()
      if (line !== undefined) resolve(line)
      else waiting = resolve
    })
  if (!(control instanceof Socket) || status === null || status === undefined) throw new Error('bubblewrap did not get its descriptors')
  // Its end is seen by its exit; a write that comes too late is no error of ours.
  control.on('error', () => undefined)
  readLines(control, give)
  const report = firstDocument(status as Readable)

  const timer = setTimeout(() => child.kill('SIGKILL'), startMs)
  const first = await next()
  clearTimeout(timer)
  if (first !== 'ready') {
    child.kill('SIGKILL')
    await gone
    throw failure ?? new Error('bubblewrap did not start')
  }
  const { 'child-pid': processId, 'pid-namespace': space } = JSON.parse(await report) as Record<string, unknown>
  // SPEC R17.3: the kernel's word that the host has a PID space of its own.
  if (typeof processId !== 'number' || typeof space !== 'number' || `pid:[${space}]` === readlinkSync('/proc/self/ns/pid')) {
    child.kill('SIGKILL')
    await gone
    throw new Error('bubblewrap gave it no process ids of its own')
  }
  const hold = (held: boolean) => {
    for (const handle of [child, control, status as Socket]) held ? handle.ref() : handle.unref()
  }
  hold(false)
  let secondsBefore = 0
  let asked = 0
  let hasGrace = false

  return {
    folder,
    processId,
    ...(group === undefined ? {} : { group }),
    ...(door === undefined ? {} : { door }),
    get alive() {
      // A line that nobody asked for: the waiting shell was killed from outside, and a next answer could be taken for another's.
      return alive && lines.length === 0 && asked < maxCommands
    },
    async ask(request) {
      requestFile.write(request)
      hold(true)
      asked += 1
      try {
        control.write('\n')
        let seconds = 0
        let folderMissing = false
        let startFailed = false
        let said: string | undefined
        let looks = 0
        hasGrace = false
        for (;;) {
          const line = await next()
          if (line === undefined) return { type: 'died', interrupted: child.exitCode === 130 }
          const [what, code] = line.split(' ')
          if (what === 'folder') folderMissing = true
          else if (what === 'start') startFailed = true
          else if (what === 'left') {
            looks += 1
            await wait(looks <= 5 ? 1 : 10)
            control.write(looks <= 15 || hasGrace ? '\n' : 'kill\n')
          } else if (/^\d+m\d/.test(line)) seconds = secondsIn(line)
          // What a shell tells of a command that ended by a signal, in the user's language, or of what it cannot do.
          else if (what !== 'ended') said = line
          else if (folderMissing) return { type: 'no-folder' }
          else if (startFailed) {
            // Its request file may be gone.
            asked = maxCommands
            return { type: 'no-start', problem: said ?? 'its shell ended' }
          } else {
            const cpuSeconds = Math.max(0, seconds - secondsBefore)
            secondsBefore = seconds
            return { type: 'exited', exitCode: Number(code), signalled: said !== undefined, cpuSeconds }
          }
        }
      } finally {
        hold(false)
      }
    },
    allowGrace() {
      hasGrace = true
    },
    async end() {
      if (!alive) return
      hold(true)
      // The host first: the kernel ends and reaps all of its PID space before it goes itself, and only then does bubblewrap end.
      try {
        process.kill(processId, 'SIGKILL')
      } catch {
        child.kill('SIGKILL')
      }
      await gone
    },
  }
}

function readTail(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().slice(-500)
  } catch {
    return ''
  }
}
