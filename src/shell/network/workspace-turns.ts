// Commands of two network profiles never run in one workspace at one time: through a socket in it they could hand each other descriptors,
// and with them the network (SPEC R17.4). Counts for all brokers of the process, and for other processes with the same state folder
// (shared-turns.ts). A warm cell without a command has no process that could.

import { isInside } from '../../inside.ts'
import { type SharedTurns, sharedTurns } from './shared-turns.ts'

export interface Turn {
  /** What both must share to run side by side. */
  readonly profile: string
  /** Real path. */
  readonly workspace: string
  /** What it sees beside it. A socket can be connected to in a folder that is read-only. */
  readonly readable: readonly string[]
  /** Where processes of this user meet; without it only this process counts. */
  readonly stateDirectory?: string
}

interface Waiting {
  readonly turn: Turn
  readonly start: () => void
}

const running = new Set<Turn>()
const waiting: Waiting[] = []

/** Resolves when the command may run; the function ends its turn. Whoever waits is not passed by those that come later. Rejects on abort. */
export async function enterWorkspace(turn: Turn, signal?: AbortSignal): Promise<() => void> {
  signal?.throwIfAborted()
  if (!blocked(turn, waiting.length)) running.add(turn)
  else await wait(turn, signal)
  const end = () => {
    running.delete(turn)
    startNext()
  }
  let shared: SharedTurns | undefined
  try {
    shared = await enterShared(turn, signal)
  } catch (error) {
    end()
    throw error
  }
  return () => {
    try {
      shared?.leave(turn)
    } finally {
      end()
    }
  }
}

async function enterShared(turn: Turn, signal: AbortSignal | undefined): Promise<SharedTurns | undefined> {
  if (turn.stateDirectory === undefined) return undefined
  const shared = sharedTurns(turn.stateDirectory, collide)
  await shared.enter(turn, signal)
  return shared
}

function wait(turn: Turn, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      const index = waiting.indexOf(entry)
      if (index >= 0) waiting.splice(index, 1)
      signal?.removeEventListener('abort', abort)
    }
    const abort = () => {
      leave()
      reject(signal?.reason)
      // Somebody may have waited behind it only.
      startNext()
    }
    const entry = {
      turn,
      start() {
        leave()
        running.add(turn)
        resolve()
      },
    }
    waiting.push(entry)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function startNext(): void {
  for (let index = 0; index < waiting.length; ) {
    const entry = waiting[index]
    if (entry === undefined) return
    if (blocked(entry.turn, index)) index += 1
    else entry.start()
  }
}

/** By what runs, or by one of the first `before` that wait. */
function blocked(turn: Turn, before: number): boolean {
  const others = [...running, ...waiting.slice(0, before).map(entry => entry.turn)]
  return others.some(other => collide(other, turn))
}

function collide(one: Turn, other: Turn): boolean {
  return one.profile !== other.profile && (reaches(one, other) || reaches(other, one))
}

/** Whether what one may write is seen by the other. */
function reaches({ workspace }: Turn, { workspace: ofOther, readable }: Turn): boolean {
  return [ofOther, ...readable].some(folder => isInside(folder, workspace) || isInside(workspace, folder))
}
