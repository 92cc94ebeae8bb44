// Opens the hooks of a session when a skill first brings some, and gives a run its view of them.

import type { RunEventBody } from './events.ts'
import { createHookRooms } from './hook-rooms.ts'
import type { HookSkill } from './hooks/hook.ts'
import type { HookPlace } from './hooks/run-hooks.ts'
import { createSessionHooks } from './hooks/session-hooks.ts'
import { createRunAudit, type RunAudit } from './run-audit.ts'
import { createRunHooks, type HookedSession, type RunHooks } from './run-hooks.ts'
import type { SharedRooms } from './run-work.ts'
import type { Session } from './sessions.ts'
import { localTenant } from './state.ts'
import type { ToolGate } from './tool-gate.ts'

export interface HooksOpening {
  readonly session: Session
  readonly sessionId: string
  readonly runId: string
  readonly audit: RunAudit
  readonly openGate: (audit: RunAudit) => ToolGate
  readonly emit: (event: RunEventBody) => void
}

export async function openHooks(
  { session, sessionId, runId, audit, openGate, emit }: HooksOpening,
  shared: SharedRooms,
): Promise<RunHooks> {
  const { setup, policy, rooms } = shared
  if (!session.hooked) {
    const sessionAudit = createRunAudit(await rooms.audit(), undefined, { tenant: localTenant, as: 'user', sessionId })
    const skills: HookedSession['skills'] = new Map()
    const hookRooms = createHookRooms({
      setup,
      policy,
      rooms,
      gate: openGate(sessionAudit),
      sessionId,
      skillOf: skill => broughtBy(skill, skills),
    })
    const place: HookPlace = {
      sessionId,
      workspace: setup.workspace,
      maxTimeoutMs: ({ source }) => setup.dialectOf(source).commandTimeoutMs,
    }
    session.hooked ??= { hooks: createSessionHooks(place, hookRooms), skills }
  }
  return createRunHooks({
    session: session.hooked,
    runId,
    audit,
    emit,
    isTrusted: skill => policy.scalars.grants[skill.source] === 'full',
  })
}

function broughtBy(skill: HookSkill, skills: HookedSession['skills']): ReturnType<HookedSession['skills']['get']> & object {
  const found = skills.get(skill.path)
  if (found) return found
  throw new Error(`no skill of this session brought the hook of "${skill.id}"`)
}
