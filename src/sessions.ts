// What a session remembers (SPEC R16.3): skills that a person said yes to, the hooks of the skills that were invoked. One that nobody uses
// is forgotten, and its hooks are told that it has ended.

import type { CatalogRoom } from './catalog-setup.ts'
import type { HookedSession } from './run-hooks.ts'
import { type Activation, createActivation } from './skills/activation.ts'
import type { Catalog } from './skills/catalog.ts'
import { createSessionCatalog } from './skills/session-catalog.ts'

export interface Session {
  /** Skills that a person allowed for the session (SPEC R5.9). */
  readonly answeredSkills: Set<string>
  /** What the files it has touched have woken (SPEC R10.1, R10.2). */
  readonly activation: Activation
  /** The skills there are in it: those of the workspace and those of folders that were touched. */
  readonly catalog: Catalog
  /** Opened when the first run of the session needs them. */
  hooked?: HookedSession
}

export interface Sessions {
  /** The session of an id, opened when it is not there. Using it keeps it. */
  of(id: string): Session
  /** Ends all; resolves when the last hook has ended. */
  endAll(): Promise<void>
}

/** A hook at the end of a session has 1.5 s unless it asks for more, and never more than this. */
const endTimeoutMs = 60_000

export function createSessions(idleMs: number, { catalog, options }: Pick<CatalogRoom, 'catalog' | 'options'>): Sessions {
  // In order of last use: the idle ones are the first.
  const sessions = new Map<string, { readonly session: Session; usedAtMs: number }>()
  const open = (): Session => {
    const activation = createActivation(options)
    return {
      answeredSkills: new Set(),
      activation,
      catalog: createSessionCatalog(catalog, options, activation),
    }
  }
  const end = async ({ hooked }: Session): Promise<void> => {
    // What a hook says at the end, nobody is there to hear; that it ran stands in the audit.
    await hooked?.hooks.end('other', AbortSignal.timeout(endTimeoutMs)).catch(() => {})
  }
  return {
    of: id => {
      const now = Date.now()
      for (const [known, { session, usedAtMs }] of sessions) {
        if (now - usedAtMs < idleMs) break
        sessions.delete(known)
        void end(session)
      }
      const session = sessions.get(id)?.session ?? open()
      sessions.delete(id)
      sessions.set(id, { session, usedAtMs: now })
      return session
    },
    endAll: async () => {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(({ session }) => end(session)))
    },
  }
}
