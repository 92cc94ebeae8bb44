// The only place where rooms are wired together. A runtime belongs to one workspace and one policy; a room is loaded when it is first
// needed, so that listing skills starts no thread and no process. After close() nothing of it holds the process.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type ArgumentFiles, argumentsText, createArgumentFiles } from './argument-file.ts'
import { SkillcellError } from './errors.ts'
import type { ExpansionResult, RunTrigger } from './events.ts'
import type { Invocation } from './invocation.ts'
import { createLateRooms, type LateRooms } from './late-rooms.ts'
import type { RuntimeOptions } from './options.ts'
import { loadPolicy } from './policy/load.ts'
import { openSavedRules } from './policy/saved-rules.ts'
import { policySources } from './policy-setup.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createRunId, type Run, startRun } from './run.ts'
import { createRunAudit, type RunAudit } from './run-audit.ts'
import { checkSession, prepareSetup, sandboxOf, shellProblem } from './setup.ts'
import { createCatalog } from './skills/catalog.ts'
import { headCacheFolder } from './skills/head-cache.ts'
import { parseSlash } from './skills/slash.ts'
import { localTenant } from './state.ts'

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
  /** Wall time of the whole run in ms; then it ends as `timed-out`. Default: none. */
  readonly deadlineMs?: number
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
  const { workspace, home, managedDir, dialect, limits, state } = setup
  const policy = await loadPolicy(policySources(setup))
  const catalog = createCatalog({
    workspace,
    home,
    managedDir,
    plugins: setup.plugins,
    precedence: setup.precedence,
    disableAgentSkillsDirectory: setup.disableAgentSkillsDirectory,
    limits,
    cacheFolder: headCacheFolder(home, process.env),
  })
  const sandbox = sandboxOf(setup.sandbox, policy.scalars.sandbox)
  const rooms = createLateRooms({ limits, state, sandbox, network: setup.network, networkHosts: setup.networkHosts })
  // Refuses now, not at the first command.
  if (sandbox === 'required') await rooms.broker()
  const savedRules = openSavedRules(join(state, 'rules'), setup.realWorkspace)
  const files = createArgumentFiles(join(state, 'arguments'))
  const active = new Map<Run, AbortController>()
  // What a person said yes to, by session. Sessions get an idle limit with the server; here they end with the runtime.
  const answered = new Map<string, Set<string>>()
  const answeredIn = (sessionId: string): Set<string> => {
    const known = answered.get(sessionId) ?? new Set<string>()
    answered.set(sessionId, known)
    return known
  }
  let closing: Promise<void> | undefined

  const start = (invocation: Omit<Invocation, 'runId'>, trigger: RunTrigger, keepFile: boolean, options: RunOptions): Run => {
    const id = createRunId()
    const controller = new AbortController()
    let audit: RunAudit | undefined
    const follow = (): void => controller.abort(options.signal?.reason)
    if (closing) controller.abort(new SkillcellError('CLOSED', 'Cannot start a run: the runtime is closing'))
    else if (options.signal?.aborted) follow()
    options.signal?.addEventListener('abort', follow, { once: true })
    const run = startRun({
      id,
      skill: invocation.name,
      argumentChars: argumentsText(invocation.args).length,
      trigger,
      signal: controller.signal,
      deadlineMs: options.deadlineMs,
      abandonAfterMs: limits.killGraceMs + abandonGraceMs,
      work: async (signal, emit) => {
        if (invocation.name === '') throw new SkillcellError('USAGE', 'Cannot run that: a run is `/name arguments`')
        checkSession(invocation.sessionId)
        void files.sweep()
        // The thread starts while the files are read; a thread that cannot start is told when the plan needs it.
        const pool = rooms.pool()
        pool.catch(() => {})
        const [{ performInvocation }, { createToolGate }] = await Promise.all([import('./invocation.ts'), import('./tool-gate.ts')])
        audit = createRunAudit(await rooms.audit(), id, { tenant: localTenant, as: invocation.as, sessionId: invocation.sessionId })
        audit.started(invocation.name, trigger, argumentsText(invocation.args))
        return performInvocation(
          { ...invocation, runId: id },
          {
            workspace,
            dialect,
            limits,
            gate: createToolGate({
              policy,
              setup,
              savedRules,
              audit,
              answeredSkills: answeredIn(invocation.sessionId),
              ...(setup.onAsk && { onAsk: setup.onAsk }),
            }),
            audit,
            find: catalog.find,
            load: catalog.load,
            plan: async (request, planSignal) => (await pool).plan(request, planSignal),
            runCommand: async request => (await rooms.broker()).run(request),
            argumentsFile: files.pathOf(id),
            writeArgumentsFile: content => files.write(id, content),
            shellProblem,
            inlineOnly: !keepFile,
          },
          signal,
          emit,
        )
      },
      record: async ({ reason, error }) => audit?.finished(invocation.name, reason, error),
      release: async () => {
        options.signal?.removeEventListener('abort', follow)
        // One that stays behind goes with close(), or at the next start.
        if (!keepFile) await files.remove(id).catch(() => {})
        active.delete(run)
      },
    })
    active.set(run, controller)
    return run
  }

  return {
    ...createQuestions({ catalog, policy, savedRules, setup }),
    expand: async (name, { args = '', sessionId = randomUUID(), as = 'user', signal } = {}) => {
      const { result, error } = await start({ name, args, sessionId, as }, as === 'user' ? 'user-slash' : 'model', true, { signal }).result
      if (result) return result
      throw new SkillcellError(error?.code ?? 'INTERNAL', error?.message ?? 'The run ended without a result', { details: error?.details })
    },
    run: (text, options = {}) => {
      const slash = parseSlash(text)
      const invocation = {
        name: slash?.name ?? '',
        args: slash?.args ?? '',
        sessionId: options.sessionId ?? randomUUID(),
        as: 'user' as const,
      }
      return start(invocation, 'user-slash', false, options)
    },
    close: () => {
      closing ??= closeAll(active, rooms, files)
      return closing
    },
  }
}

// What a step may need beyond the kill grace to end by itself: reading the output, removing files.
const abandonGraceMs = 5_000

async function closeAll(active: Map<Run, AbortController>, rooms: LateRooms, files: ArgumentFiles): Promise<void> {
  for (const controller of active.values()) controller.abort(new SkillcellError('ABORTED', 'The run was ended: the runtime is closing'))
  await Promise.all([...active.keys()].map(run => run.result))
  await rooms.close()
  await files.removeAll()
}
