// The rooms that own threads and processes, opened when first needed and closed together.

import { join } from 'node:path'
import type { Audit } from './audit/audit.ts'
import type { Limits } from './limits.ts'
import type { NetworkMode, SandboxMode } from './options.ts'
import type { AgentPool } from './pool/agent-pool.ts'
import type { ExpansionPool } from './pool/expansion-pool.ts'
import type { Broker } from './shell/broker.ts'
import { localTenant } from './state.ts'

export interface LateRooms {
  pool(): Promise<ExpansionPool>
  broker(): Promise<Broker>
  audit(): Promise<Audit>
  agents(): Promise<AgentPool>
  close(): Promise<void>
}

export interface LateRoomsOptions {
  readonly limits: Limits
  readonly state: string
  readonly sandbox: SandboxMode
  readonly network: NetworkMode
  readonly networkHosts?: readonly string[]
}

export function createLateRooms(options: LateRoomsOptions): LateRooms {
  const { limits, state } = options
  let pool: Promise<ExpansionPool> | undefined
  let broker: Promise<Broker> | undefined
  let audit: Promise<Audit> | undefined
  let agents: Promise<AgentPool> | undefined
  return {
    pool: () => {
      pool ??= openPool(limits)
      return pool
    },
    broker: () => {
      broker ??= openBroker(options)
      return broker
    },
    audit: () => {
      audit ??= openAudit(state)
      return audit
    },
    agents: () => {
      agents ??= openAgents(limits)
      return agents
    },
    // A room that failed to open has nothing to close.
    close: async () => {
      await Promise.allSettled([pool?.then(room => room.close()), broker?.then(room => room.close()), agents?.then(room => room.close())])
      await audit?.then(room => room.close()).catch(() => {})
    },
  }
}

async function openPool(limits: Limits): Promise<ExpansionPool> {
  const { createExpansionPool } = await import('./pool/expansion-pool.ts')
  return createExpansionPool({ threads: limits.expansionThreads, timeoutMs: limits.expansionTimeoutMs, heapMb: limits.expansionHeapMb })
}

async function openAgents(limits: Limits): Promise<AgentPool> {
  const { createAgentPool } = await import('./pool/agent-pool.ts')
  return createAgentPool({ threads: limits.agentThreads, heapMb: limits.agentHeapMb })
}

async function openAudit(state: string): Promise<Audit> {
  const { createAudit } = await import('./audit/audit.ts')
  return createAudit({ directory: join(state, 'audit'), tenant: localTenant })
}

async function openBroker({ state, ...same }: LateRoomsOptions): Promise<Broker> {
  const { createBroker } = await import('./shell/broker.ts')
  return createBroker({ ...same, stateDirectory: state, env: process.env })
}
