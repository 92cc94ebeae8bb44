// The rooms that own threads and processes, opened when first needed and closed together.

import type { Limits, SandboxMode } from './options.ts'
import type { ExpansionPool } from './pool/expansion-pool.ts'
import type { Broker } from './shell/broker.ts'

export interface LateRooms {
  pool(): Promise<ExpansionPool>
  broker(): Promise<Broker>
  close(): Promise<void>
}

export interface LateRoomsOptions {
  readonly limits: Limits
  readonly state: string
  readonly sandbox: SandboxMode
}

export function createLateRooms({ limits, state, sandbox }: LateRoomsOptions): LateRooms {
  let pool: Promise<ExpansionPool> | undefined
  let broker: Promise<Broker> | undefined
  return {
    pool: () => {
      pool ??= openPool(limits)
      return pool
    },
    broker: () => {
      broker ??= openBroker(limits, state, sandbox)
      return broker
    },
    // A room that failed to open has nothing to close.
    close: async () => {
      await Promise.allSettled([pool?.then(room => room.close()), broker?.then(room => room.close())])
    },
  }
}

async function openPool(limits: Limits): Promise<ExpansionPool> {
  const { createExpansionPool } = await import('./pool/expansion-pool.ts')
  return createExpansionPool({ threads: limits.expansionThreads, timeoutMs: limits.expansionTimeoutMs, heapMb: limits.expansionHeapMb })
}

async function openBroker(limits: Limits, stateDirectory: string, sandbox: SandboxMode): Promise<Broker> {
  const { createBroker } = await import('./shell/broker.ts')
  return createBroker({ sandbox, stateDirectory, limits, env: process.env })
}
