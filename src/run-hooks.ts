// The hooks of a session as one run sees them: registered by the skills that it invokes, fired at its events, told and audited as its own.

import type { Diagnostic } from './errors.ts'
import { SkillcellError } from './errors.ts'
import type { RunEventBody } from './events.ts'
import type { HookEvent } from './hooks/event.ts'
import type { HookEventName } from './hooks/hook.ts'
import type { HookOutcome } from './hooks/merge.ts'
import { passed } from './hooks/merge.ts'
import { readHooks } from './hooks/read-hooks.ts'
import type { SessionHooks } from './hooks/session-hooks.ts'
import { checkRule } from './policy/rule.ts'
import type { RunAudit } from './run-audit.ts'
import type { LoadedSkill, Skill } from './skills/skill.ts'
import type { GrantedTools } from './tool-gate.ts'

export interface RunHooks {
  /** The hooks of a skill that is being invoked; tells it that the session has begun. What it says is context for the model. */
  register(loaded: LoadedSkill, granted: GrantedTools, signal: AbortSignal): Promise<string | undefined>
  has(event: HookEventName): boolean
  /**
   * Tells all that the event is for.
   * @throws {SkillcellError} HOOK_STOPPED when one wants the run to end; the reason of `signal`
   */
  fire(event: HookEvent, signal: AbortSignal): Promise<HookOutcome>
}

/** The hooks of a session, and the skills that brought them, by path: their commands run with the rights of their skill. */
export interface HookedSession {
  readonly hooks: SessionHooks
  readonly skills: Map<string, { readonly loaded: LoadedSkill; readonly granted: GrantedTools }>
}

export interface RunHooksOptions {
  readonly session: HookedSession
  readonly runId: string
  readonly audit: Pick<RunAudit, 'finishedTool'>
  readonly emit: (event: RunEventBody) => void
  /** Whether the hooks of a skill may see what other runs of the session do: those of a source that is trusted with its grants. */
  readonly isTrusted: (skill: Skill) => boolean
}

export function createRunHooks({ session: { hooks, skills }, runId, audit, emit, isTrusted }: RunHooksOptions): RunHooks {
  const tell = (diagnostics: readonly Diagnostic[]): void => {
    for (const diagnostic of diagnostics) emit({ type: 'diagnostic', diagnostic })
  }
  const fire = async (event: HookEvent, signal: AbortSignal): Promise<HookOutcome> => {
    if (!hooks.has(event.name)) return passed
    const outcome = await hooks.fire({ ...event, runId }, signal, (message, { path }) =>
      tell([{ code: 'HOOK_STATUS', severity: 'note', message, path }]),
    )
    for (const { skill, type, what, ended } of outcome.runs)
      audit.finishedTool(skill, { tool: 'Hook', ...(type === 'command' ? { command: what } : { url: what }) }, ended !== 'answered', 0)
    tell(outcome.diagnostics)
    tell(outcome.messages.map(message => ({ code: 'HOOK_MESSAGE', severity: 'note', message })))
    if (outcome.stop) throw new SkillcellError('HOOK_STOPPED', `A hook of "${outcome.stop.skill}" ended the run: ${outcome.stop.reason}`)
    return outcome
  }
  return {
    register: async (loaded, granted, signal) => {
      const { skill } = loaded
      // Skills of MCP servers have none (SPEC R10.3).
      if (skill.hooks === undefined || skill.source === 'mcp') return undefined
      const { handlers } = readHooks(skill.hooks, { checkRule })
      const { id, source, path } = skill
      skills.set(path, { loaded, granted })
      hooks.register({ id, source, path }, handlers, isTrusted(skill) ? {} : { runId })
      return (await fire({ name: 'SessionStart', source: 'startup' }, signal)).additionalContext
    },
    has: event => hooks.has(event),
    fire,
  }
}
