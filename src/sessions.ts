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
  /** The same for as long as a run needs it: what is leased is not forgotten, however long it takes. */
  lease(id: string): { readonly session: Session; giveBack(): void }
  /** Ends all; resolves when the last hook has ended, of sessions that were forgotten before too. */
  endAll(): Promise<void>
}

export function createSessions(idleMs: number, { catalog, options }: Pick<CatalogRoom, 'catalog' | 'options'>): Sessions {
  // In order of last use: the idle ones are the first.
  const sessions = new Map<string, Held>()
  const ending = new Set<Promise<void>>()
  const open = (): Session => {
    const activation = createActivation(options)
    return { answeredSkills: new Set(), activation, catalog: createSessionCatalog(catalog, options, activation) }
  }
  const end = ({ hooked }: Session): void => {
    if (!hooked) return
    // What a hook says at the end, nobody is there to hear; that it ran stands in the audit.
    const ended = hooked.hooks
      .end('other')
      .then(() => {})
      .catch(() => {})
      .finally(() => ending.delete(ended))
    ending.add(ended)
  }
  const use = (id: string): Held => {
    const now = Date.now()
    for (const [known, held] of sessions) {
      if (now - held.usedAtMs < idleMs) break
      if (held.leases > 0) continue
      sessions.delete(known)
      end(held.session)
    }
    const held = sessions.get(id) ?? { session: open(), usedAtMs: now, leases: 0 }
    held.usedAtMs = now
    sessions.delete(id)
    sessions.set(id, held)
    return held
  }
  return {
    of: id => use(id).session,
    lease: id => {
      const held = use(id)
      held.leases += 1
      return {
        session: held.session,
        giveBack: () => {
          held.leases -= 1
          // Its idle time begins now.
          if (sessions.get(id) === held) use(id)
        },
      }
    },
    endAll: async () => {
      for (const { session } of sessions.values()) end(session)
      sessions.clear()
      await Promise.all(ending)
    },
  }
}

interface Held {
  readonly session: Session
  usedAtMs: number
  leases: number
}
