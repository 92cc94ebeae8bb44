import { expect, test, vi } from 'vitest'
import { createSessions } from '../../src/sessions.ts'
import { createCatalog } from '../../src/skills/catalog.ts'
import type { CatalogOptions } from '../../src/skills/snapshot.ts'
import { createWorkspace, limits } from '../skills/workspace.ts'

function sessionsOf(idleMs: number): ReturnType<typeof createSessions> {
  const { project: workspace, home } = createWorkspace()
  const options: CatalogOptions = { workspace, home, plugins: [], precedence: ['project'], disableAgentSkillsDirectory: false, limits }
  return createSessions(idleMs, { catalog: createCatalog(options), options })
}

test('a session that nobody uses is forgotten, one that a run leases is not', () => {
  vi.useFakeTimers()
  try {
    const sessions = sessionsOf(100)
    const { session: leased, giveBack } = sessions.lease('leased')
    const idle = sessions.of('idle')
    vi.advanceTimersByTime(1_000)
    sessions.of('other')
    expect(sessions.of('leased')).toBe(leased)
    expect(sessions.of('idle')).not.toBe(idle)
    giveBack()
    vi.advanceTimersByTime(99)
    expect(sessions.of('leased')).toBe(leased)
    vi.advanceTimersByTime(100)
    expect(sessions.of('leased')).not.toBe(leased)
  } finally {
    vi.useRealTimers()
  }
})

test('endAll() waits for the hooks of sessions that were forgotten before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const sessions = sessionsOf(100)
  let end: (value: never) => void = () => {}
  const ended: Promise<never> = new Promise(resolve => {
    end = resolve
  })
  sessions.of('old').hooked = { hooks: { register: () => [], has: () => false, fire: () => ended, end: () => ended }, skills: new Map() }
  vi.advanceTimersByTime(1_000)
  sessions.of('new')
  vi.useRealTimers()
  let isOver = false
  const all = sessions.endAll().then(() => {
    isOver = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isOver).toBe(false)
  end(undefined as never)
  await all
})
