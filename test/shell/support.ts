// What the tests of this room share: a broker with its own state, a request with defaults, and a look at processes.

import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type LimitName, resolveLimits } from '../../src/limits.ts'
import type { SandboxMode } from '../../src/options.ts'
import { type Broker, createBroker } from '../../src/shell/broker.ts'
import type { CommandRequest, CommandResult } from '../../src/shell/command.ts'
import { protectedPaths } from '../../src/shell/placeholders.ts'
import { makeHostProgram, sandboxProblem } from '../../src/shell/sandbox.ts'

/** The suite runs with each: what a command may do to us does not depend on what confines it. */
export const sandboxes: readonly ('off' | 'required')[] = sandboxProblem() === undefined ? ['off', 'required'] : ['off']

export const programs = fileURLToPath(new URL('../fixtures/programs', import.meta.url))

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-shell-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestBroker {
  readonly broker: Broker
  /** Workspace of the commands. */
  readonly cwd: string
  readonly state: string
  run(script: string, request?: Partial<CommandRequest>): Promise<CommandResult>
}

export interface TestOptions {
  readonly sandbox?: SandboxMode
  readonly limits?: Partial<Record<LimitName, number>>
  readonly env?: NodeJS.ProcessEnv
  /** Path of the shell that is to host the commands of its cells. Default: what this machine has. */
  readonly host?: string
}

/** The shells that may host commands, as far as they are here. */
export const hosts: readonly string[] = ['/bin/dash', '/bin/bash'].filter(path => existsSync(path))

export function testBroker(options: TestOptions = {}): TestBroker {
  const cwd = temporaryFolder()
  const state = temporaryFolder()
  const limits = resolveLimits({ killGraceMs: 300, ...options.limits }, 'skillcell')
  const broker = createBroker({ sandbox: options.sandbox ?? 'off', stateDirectory: state, limits, env: options.env ?? process.env })
  onTestFinished(() => broker.close())
  const run: TestBroker['run'] = (script, request) => broker.run(commandRequest(script, { cwd, ...request }))
  if (options.host === undefined) return { broker, cwd, state, run }
  const { host } = options
  let swapped: Promise<void> | undefined
  // The first cell has laid out what later ones start with.
  const swap = async () => {
    await run('true', { trust: 'before' })
    const [own = ''] = readdirSync(join(state, 'cells'))
    rmSync(join(state, 'cells', own, 'host'))
    makeHostProgram(join(state, 'cells', own, 'host'), host)
  }
  return {
    broker,
    cwd,
    state,
    async run(script, request) {
      swapped ??= swap()
      await swapped
      return await run(script, request)
    },
  }
}

export function commandRequest(script: string, request: Partial<CommandRequest> & { cwd: string }): CommandRequest {
  return {
    script,
    shell: 'bash',
    parameters: [],
    variables: {},
    environment: {},
    timeoutMs: 20_000,
    stderr: 'apart',
    readable: [programs],
    ...request,
  }
}

/** What lies in a workspace, but for what stands in for missing protected paths while a cell is warm. */
export function entriesOf(workspace: string): string[] {
  const standIns = protectedPaths(workspace).map(path => basename(path))
  return readdirSync(workspace)
    .filter(name => !(standIns.includes(name) && isEmptyFolder(join(workspace, name))))
    .sort()
}

function isEmptyFolder(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0
}

/** Live processes whose command line holds a text. One that ended and was not waited for is none. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').filter(id => {
    try {
      return /^\d+$/.test(id) && holds(readFileSync(`/proc/${id}/cmdline`, 'utf8'), text) && !isZombie(id)
    } catch {
      return false
    }
  })
}

/** A warm cell names its workspace; it is no leftover of a command. */
function holds(commandLine: string, text: string): boolean {
  return commandLine.includes(text) && !commandLine.startsWith('bwrap\0')
}

export function isZombie(id: string): boolean {
  return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${id}/stat`, 'latin1'))
}

/** Resolves once the condition holds. The limit ends a hang; it is no measure. */
export async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; looks < 2_000; looks++) {
    if (condition()) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error('Waited ten seconds for a condition that did not come')
}
