// The only place where rooms are wired together. A runtime belongs to one workspace and one policy; a room is loaded when it is first
// needed, so that listing skills starts no thread and no process. After close() nothing of it holds the process.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { argumentsText, createArgumentFiles } from './argument-file.ts'
import { type CatalogRoom, openCatalog } from './catalog-setup.ts'
import { SkillcellError } from './errors.ts'
import type { ExpansionResult } from './events.ts'
import { createLateRooms } from './late-rooms.ts'
import type { RuntimeOptions } from './options.ts'
import { loadPolicy } from './policy/load.ts'
import { openSavedRules } from './policy/saved-rules.ts'
import { policySources } from './policy-setup.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createRunId, type Run, startRun } from './run.ts'
import { runProblem } from './run-problem.ts'
import { createRunWork, type RunRequest, type RunWork, type SharedRooms } from './run-work.ts'
import { createSessions } from './sessions.ts'
import { prepareSetup, type Setup, sandboxOf } from './setup.ts'
import { parseSlash } from './skills/slash.ts'

export interface ExpandOptions {
  /** Bytes are kept as they are in the argument file; as text they are UTF-8. */
  readonly args?: string | Uint8Array
  /** 1–128 of letters, digits, `.`, `_`, `-`. Generated unless given. */
  readonly sessionId?: string
  /** Who invokes: a typed name is the user's own word. Default: user. */
  readonly as?: 'user' | 'model'
  readonly signal?: AbortSignal
}

export interface RunOptions {
  readonly sessionId?: string
  readonly signal?: AbortSignal
  /** Wall time of the whole run in ms, from 1; then it ends as `timed-out`. Default: none. */
  readonly deadlineMs?: number
  /** Instead of the model of the options: `anthropic:ID`, `openai:ID` or `script:FILE`. With one, an inline skill is run as a turn. */
  readonly model?: string
  /** A file that takes the conversation at the end of the run, for `script:FILE` to play again. */
  readonly record?: string
}

export interface Runtime extends Questions {
  /**
   * Expands a skill: runs its injected commands and gives the prompt. The argument file lives until close().
   * @throws {SkillcellError} of any code but USAGE of the command line; the abort reason of `signal` is an ABORTED.
   */
  expand(name: string, options?: ExpandOptions): Promise<ExpansionResult>
  /** Runs `/name text`. Never throws: what goes wrong is the last event, and `result` resolves with it. */
  run(text: string, options?: RunOptions): Run
  /** Ends what runs, waits for it, and releases threads, processes and files. May be called again. */
  close(): Promise<void>
}

/** @throws {SkillcellError} CONFIG_INVALID, POLICY_INVALID or SANDBOX_UNAVAILABLE: a runtime that cannot keep its word does not start. */
export async function createRuntime(given: RuntimeOptions = {}): Promise<Runtime> {
  const setup = await prepareSetup(given, process.env)
  const { limits, state } = setup
  const policy = await loadPolicy(policySources(setup))
  const sources = await openCatalog(setup, process.env)
  const sandbox = sandboxOf(setup.sandbox, policy.scalars.sandbox)
  const rooms = createLateRooms({ limits, state, sandbox, network: setup.network, networkHosts: setup.networkHosts })
  // Refuses now, not at the first command.
  if (sandbox === 'required') await rooms.broker()
  const savedRules = openSavedRules(join(state, 'rules'), setup.realWorkspace)
  const files = createArgumentFiles(join(state, 'arguments'))
  const active = new Map<Run, AbortController>()
  const sessions = createSessions(limits.sessionIdleMs, sources)
  const shared: SharedRooms = { setup, policy, rooms, savedRules, files, sessions }
  let closing: Promise<void> | undefined

  const start = (request: Omit<RunRequest, 'runId'>, options: RunOptions, problem?: SkillcellError): Run => {
    const id = createRunId()
    const controller = new AbortController()
    const follow = (): void => controller.abort(options.signal?.reason)
    if (closing) controller.abort(new SkillcellError('CLOSED', 'Cannot start a run: the runtime is closing'))
    else if (options.signal?.aborted) follow()
    options.signal?.addEventListener('abort', follow, { once: true })
    const work = createRunWork({ ...request, runId: id }, shared)
    const perform = request.record === undefined ? work.perform : recorded(work.perform, request.record, request.model, setup)
    const run = startRun({
      id,
      skill: request.name,
      argumentChars: argumentsText(request.args).length,
      trigger: request.trigger,
      signal: controller.signal,
      deadlineMs: options.deadlineMs,
      abandonAfterMs: limits.killGraceMs + abandonGraceMs,
      work: problem ? () => Promise.reject(problem) : perform,
      record: async ({ reason, error }) => work.audit?.finished(request.name, reason, error),
      release: async () => {
        options.signal?.removeEventListener('abort', follow)
        await work.release()
        active.delete(run)
      },
    })
    active.set(run, controller)
    return run
  }

  return {
    ...createQuestions({ sources, policy, savedRules, setup, sessions }),
    expand: async (name, { args = '', sessionId = randomUUID(), as = 'user', signal } = {}) => {
      const request = { name, args, sessionId, as, trigger: as === 'user' ? ('user-slash' as const) : ('model' as const), expandOnly: true }
      const { result, error } = await start(request, { signal }).result
      if (result) return result
      throw new SkillcellError(error?.code ?? 'INTERNAL', error?.message ?? 'The run ended without a result', { details: error?.details })
    },
    run: (text, given) => {
      const problem = runProblem(text, given)
      const options = problem ? {} : (given ?? {})
      const slash = problem ? undefined : parseSlash(text)
      const request: Omit<RunRequest, 'runId'> = {
        name: slash?.name ?? '',
        args: slash?.args ?? '',
        sessionId: options.sessionId ?? randomUUID(),
        as: 'user',
        trigger: 'user-slash',
        expandOnly: false,
        ...(options.model !== undefined && { model: options.model }),
        ...(options.record !== undefined && { record: options.record }),
      }
      return start(request, options, problem)
    },
    close: () => {
      closing ??= closeAll(active, shared, sources)
      return closing
    },
  }
}

/** A recording that could not be kept is told before anything runs, one that nobody needed afterwards. */
function recorded(perform: RunWork['perform'], file: string, model: string | undefined, { models }: Setup): RunWork['perform'] {
  return async (signal, emit) => {
    const [{ checkRecording }, { scriptFileOf }] = await Promise.all([import('./fork/recording.ts'), import('./fork/connect-model.ts')])
    const name = model ?? models.name
    checkRecording(file, name === undefined ? undefined : scriptFileOf(name, models.aliases))
    const result = await perform(signal, emit)
    const message = `Nothing was recorded to "${file}": no model worked for this skill; a fork does, or give --model`
    if (!result.agent) emit({ type: 'diagnostic', diagnostic: { code: 'RECORD_UNUSED', severity: 'warning', message } })
    return result
  }
}

// What a step may need beyond the kill grace to end by itself: reading the output, removing files.
const abandonGraceMs = 5_000

async function closeAll(active: Map<Run, AbortController>, { rooms, files, sessions }: SharedRooms, sources: CatalogRoom): Promise<void> {
  for (const controller of active.values()) controller.abort(new SkillcellError('ABORTED', 'The run was ended: the runtime is closing'))
  await Promise.all([...active.keys()].map(run => run.result))
  await sessions.endAll()
  await Promise.all([rooms.close(), sources.close()])
  await files.removeAll()
}
