// Whose long commands have used more of the CPU lately than those of others yields to them: a fork bomb is not held up, but it holds nobody up
// either (SPEC R14.5). What short commands use does not count: their number is held in first-moments.ts, and they are those that hurry.
// The kernel shares time, not the wait for it: who wakes up for a millisecond waits for the end of the other's slice, at each step of a command.
// Promises: a tenant alone never yields; one that gets nothing, since others than our tenants want the CPU, is let go at the next look.

import type { TenantGroup } from './tenant-group.ts'

export type Yielder = Pick<TenantGroup, 'cpuSeconds' | 'yieldCpu'>

export interface Yielding {
  /** A command of the tenant begins; the answer is called when it has ended. */
  begin(tenant: Yielder): () => void
}

interface Usage {
  /** When its commands began. */
  readonly running: Set<{ readonly at: number }>
  lastEndAt: number
  seconds: number | undefined
  /** CPU seconds while it had a long command, of which those used `halfLifeMs` ago count half. */
  recent: number
  yields: boolean
  /** It yielded and got next to nothing. */
  isStarved: boolean
}

const lookEveryMs = 50

const halfLifeMs = 500

// A command that lasts longer sleeps or computes.
const longMs = 50

// Who has ended a command will often ask for the next one.
const lingerMs = 500

const minSeconds = 0.05

// Above the mean of all by so much. It has its share again when it is below it.
const factor = 1.2

// Of one processor.
const starvedShare = 0.05

export function createYielding(): Yielding {
  const usages = new Map<Yielder, Usage>()
  let timer: NodeJS.Timeout | undefined
  let lookedAt = 0

  const look = (): void => {
    const now = performance.now()
    const elapsedMs = now - lookedAt
    lookedAt = now
    for (const [tenant, usage] of usages) {
      const isGone = usage.running.size === 0 && now - usage.lastEndAt >= lingerMs
      if (isGone) usages.delete(tenant)
      const used = count(tenant, usage)
      usage.recent = usage.recent * 0.5 ** (elapsedMs / halfLifeMs) + (hasLong(usage, now) ? used : 0)
      usage.isStarved = usage.yields && used < (elapsedMs / 1_000) * starvedShare
      if (isGone) set(tenant, usage, false)
    }
    judge()
    if (usages.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }

  const judge = (): void => {
    const recent = [...usages.values()].map(usage => usage.recent)
    const mean = recent.reduce((sum, value) => sum + value, 0) / recent.length
    for (const [tenant, usage] of usages) {
      const least = usage.yields ? mean : Math.max(minSeconds, mean * factor)
      set(tenant, usage, usages.size > 1 && !usage.isStarved && usage.recent > least)
    }
  }

  return {
    begin(tenant) {
      let usage = usages.get(tenant)
      if (usage === undefined) {
        usage = { running: new Set(), lastEndAt: 0, seconds: tenant.cpuSeconds(), recent: 0, yields: false, isStarved: false }
        usages.set(tenant, usage)
        if (usages.size > 1) judge()
      }
      const own = usage
      const command = { at: performance.now() }
      own.running.add(command)
      if (timer === undefined) {
        lookedAt = performance.now()
        timer = setInterval(look, lookEveryMs).unref()
      }
      return () => {
        if (own.running.delete(command)) own.lastEndAt = performance.now()
      }
    },
  }
}

/** Of all tenants of this process. */
export const yielding: Yielding = createYielding()

function hasLong({ running }: Usage, now: number): boolean {
  // The oldest is the first.
  for (const { at } of running) return now - at >= longMs
  return false
}

function count(tenant: Yielder, usage: Usage): number {
  const seconds = tenant.cpuSeconds()
  if (seconds === undefined) return 0
  // Its group was not there before its first cell.
  const used = seconds - (usage.seconds ?? 0)
  usage.seconds = seconds
  return used
}

function set(tenant: Yielder, usage: Usage, yields: boolean): void {
  if (usage.yields === yields) return
  usage.yields = yields
  tenant.yieldCpu(yields)
}
