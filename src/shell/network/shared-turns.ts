// The same between processes: each says in a file of its own, in the state folder, which turns it has and wants, and looks at those of others
// (SPEC R17.4). Promises: no two that collide run at one time, since each writes before it looks; who came first goes first; what a killed process
// left counts for nothing. Costs one look at a folder for commands in a row where nobody else is. Leaves to others: turns of one process.
// Where the folder cannot be written, nothing of this holds.

import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeFolders } from '../../private-folder.ts'
import { isLeft, ownName, ownPrefix } from '../owned-names.ts'
import type { Turn } from './workspace-turns.ts'

export interface SharedTurns {
  /** Resolves when no other process stands in the way; rejects on abort. To be left with `leave`. */
  enter(turn: Turn, signal?: AbortSignal): Promise<void> | undefined
  leave(turn: Turn): void
}

interface Said {
  readonly turn: Turn
  readonly running: boolean
  /** When the first of those that wait came, in microseconds of the system's clock. */
  readonly wanted?: number
}

interface Own {
  readonly turn: Turn
  running: number
  /** Whether the file says that it runs. */
  said: boolean
  readonly wanted: Set<number>
}

const lookEveryMs = 25
// A turn that has ended is said to run a little longer, since the next command most often has the same.
const lingerMs = 10
// Beyond this a change of a folder has another time on any disk.
const settledMs = 3_000
// A process of another container cannot be looked up: it says again that it lives.
const sayEveryMs = 5_000
const maxSilenceMs = 20_000

const desks = new Map<string, SharedTurns>()
const openFiles = new Set<string>()
let removesAtExit = false

/** @param collide whether two turns must not be at one time */
export function sharedTurns(stateDirectory: string, collide: (one: Turn, other: Turn) => boolean): SharedTurns {
  const desk = desks.get(stateDirectory) ?? openDesk(join(stateDirectory, 'turns'), collide, () => desks.delete(stateDirectory))
  desks.set(stateDirectory, desk)
  return desk
}

function openDesk(folder: string, collide: (one: Turn, other: Turn) => boolean, closed: () => void): SharedTurns {
  const name = ownName()
  const path = join(folder, name)
  const turns = new Map<string, Own>()
  const entered = new Map<Turn, Own>()
  let file: number | undefined
  let written = 0
  let lingering: NodeJS.Timeout | undefined
  const open = (): number => {
    makeFolders(folder)
    const descriptor = openSync(path, 'wx', 0o600)
    openFiles.add(path)
    if (!removesAtExit) process.once('exit', () => openFiles.forEach(remove))
    removesAtExit = true
    let wasIdle = false
    const timer = setInterval(() => {
      if (turns.size > 0) keepOn(say)
      else if (wasIdle) {
        clearInterval(timer)
        closed()
        if (file !== undefined) closeSync(file)
        file = undefined
        openFiles.delete(path)
        remove(path)
      }
      wasIdle = turns.size === 0
    }, sayEveryMs).unref()
    return descriptor
  }
  const say = () => {
    file ??= open()
    // Somebody emptied the state folder.
    if (fstatSync(file).nlink === 0) {
      closeSync(file)
      file = openAgain(path)
    }
    const said = [...turns.values()].map((own): Said => {
      const { turn, running, wanted } = own
      own.said = running > 0
      return { turn, running: own.said, ...(wanted.size > 0 ? { wanted: Math.min(...wanted) } : {}) }
    })
    written += 1
    // A reader that meets half of it sees two numbers.
    const bytes = Buffer.from(`${JSON.stringify({ begin: written, said, end: written })}\n`)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, done)
  }
  const others = otherFiles(folder, name)
  const isBlocked = (turn: Turn, came: number) =>
    others().some(other => {
      const isFirst = (wanted: number | undefined) => wanted !== undefined && (wanted < came || (wanted === came && other < name))
      const said = readSaid(join(folder, other))
      const isInTheWay = said?.some(each => (each.running || isFirst(each.wanted)) && collide(each.turn, turn)) ?? true
      return isInTheWay && isAlive(folder, other)
    })
  const ownOf = (turn: Turn): Own => {
    const key = JSON.stringify([turn.profile, turn.workspace, ...turn.readable])
    const { profile, workspace, readable } = turn
    const own = turns.get(key) ?? { turn: { profile, workspace, readable }, running: 0, said: false, wanted: new Set() }
    turns.set(key, own)
    return own
  }
  const forgetIdle = () => {
    lingering = undefined
    for (const [key, { running, wanted }] of turns) if (running === 0 && wanted.size === 0) turns.delete(key)
    say()
  }
  /** Says that it runs, then looks; takes it back where somebody is in the way. */
  const tries = (own: Own, came: number): boolean => {
    let enters = false
    own.running += 1
    try {
      if (!own.said) say()
      enters = !isBlocked(own.turn, came)
      return enters
    } finally {
      if (!enters) {
        own.running -= 1
        own.wanted.add(came)
        keepOn(say)
      }
    }
  }
  const waitFor = async (turn: Turn, own: Own, came: number, signal: AbortSignal | undefined) => {
    try {
      for (;;) {
        await wait(lookEveryMs, undefined, signal === undefined ? {} : { signal })
        // One that waits says so all the time, and does not scare others away with a turn that it has not got.
        if (!isBlocked(own.turn, came) && tries(own, came)) return
      }
    } catch {
      // The folder cannot be used any more: then only turns of this process count.
      if (!signal?.aborted) own.running += 1
      else {
        entered.delete(turn)
        throw signal.reason
      }
    } finally {
      own.wanted.delete(came)
      keepOn(forgetIdle)
    }
  }
  return {
    enter(turn, signal) {
      const own = ownOf(turn)
      const came = Number(process.hrtime.bigint() / 1_000n)
      entered.set(turn, own)
      try {
        return tries(own, came) ? undefined : waitFor(turn, own, came, signal)
      } catch {
        own.wanted.delete(came)
        own.running += 1
        return undefined
      }
    },
    leave(turn) {
      const own = entered.get(turn)
      entered.delete(turn)
      if (own === undefined) return
      own.running -= 1
      if (own.running === 0 && lingering === undefined) lingering = setTimeout(keepOn, lingerMs, forgetIdle).unref()
    },
  }
}

function keepOn(act: () => void): void {
  try {
    act()
  } catch {
    // The folder cannot be written any more.
  }
}

function openAgain(path: string): number {
  makeFolders(dirname(path))
  return openSync(path, 'w', 0o600)
}

function remove(path: string): void {
  rmSync(path, { force: true })
}

/** Names of the files of other processes; listed again only when the folder has changed. */
function otherFiles(folder: string, own: string): () => readonly string[] {
  let state = ''
  let names: readonly string[] = []
  return () => {
    const { dev, ino, mtimeMs, ctimeMs } = statSync(folder)
    const now = `${dev}:${ino}:${mtimeMs}:${ctimeMs}`
    if (now === state) return names
    names = readdirSync(folder).filter(name => name !== own && !removeLeft(folder, name))
    state = Date.now() - Math.max(mtimeMs, ctimeMs) > settledMs ? now : ''
    return names
  }
}

function removeLeft(folder: string, name: string): boolean {
  if (!isLeft(name)) return false
  remove(join(folder, name))
  return true
}

function isAlive(folder: string, name: string): boolean {
  const status = lstatSync(join(folder, name), { throwIfNoEntry: false })
  if (status === undefined || removeLeft(folder, name)) return false
  const space = (text: string) => text.split('-')[1]
  return space(name) === space(ownPrefix()) || Date.now() - status.mtimeMs < maxSilenceMs
}

/** Undefined for what says nothing that can be read. */
function readSaid(path: string): readonly Said[] | undefined {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      const [line = ''] = readFileSync(path, 'utf8').split('\n', 1)
      if (line === '') return []
      const { begin, said, end } = JSON.parse(line) as { begin: number; said: readonly Said[]; end: number }
      if (begin === end) return said
    } catch (error) {
      // Its process has ended, or is writing.
      if (!(error instanceof SyntaxError)) return []
    }
  }
  return undefined
}
