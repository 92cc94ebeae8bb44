// Finds what a command left running, by /proc: its process group and session, children of those, and what carries its mark or its capture.
// Zombies do not count. Knows nothing where there is no /proc; the process group is all there is then.
// Not found: a process that left session and group, cleared its environment and closed its output. Only a PID space of its own holds that one.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface Trace {
  /** Process id of the shell, which leads its group and session. */
  readonly leader: number
  /** Random; in the environment of all that the command started. */
  readonly mark: string
  /** Folder and beginning of the names of the capture files. */
  readonly captures: string
  /** Only processes that started after the leader are looked at while ids cannot have wrapped around. */
  readonly recent: boolean
  /** What was found before, as `id:start`: a process that is just dying has no environment and no files any more. Added to. */
  readonly known: Set<string>
}

interface ProcessState {
  readonly id: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** `id:start`, which no other process ever has. */
  readonly key: string
}

/** Live processes of the command but for the leader itself. */
export function findProcesses(trace: Trace): number[] {
  const found = new Set<number>([trace.leader])
  const others: ProcessState[] = []
  for (const id of candidates(trace)) {
    const state = readState(id)
    if (state === undefined) continue
    const own = trace.known.has(state.key) || state.group === trace.leader || state.session === trace.leader || isMarked(id, trace)
    if (!own) others.push(state)
    else {
      found.add(id)
      trace.known.add(state.key)
    }
  }
  // Children of what was found belong to it too, and theirs.
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const { id, parent, key } of others) {
      if (!found.has(parent)) continue
      found.add(id)
      trace.known.add(key)
    }
  }
  found.delete(trace.leader)
  return [...found]
}

/** All live processes below one, from one look. */
export function descendantsOf(ancestor: number): number[] {
  const found = new Set([ancestor])
  const states = processIds().flatMap(id => readState(id) ?? [])
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const { id, parent } of states) if (found.has(parent)) found.add(id)
  }
  found.delete(ancestor)
  return [...found]
}

function processIds(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(id => Number.isInteger(id) && id > 1)
}

function candidates({ leader, recent }: Trace): number[] {
  try {
    const last = recent ? Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1)) : 0
    // The common case: the shell was the last process of the system to start, so nothing can be left.
    if (last === leader) return []
    const ids = processIds().filter(id => id !== leader && id !== process.pid)
    return last > leader ? ids.filter(id => id > leader) : ids
  } catch {
    return []
  }
}

function readState(id: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The name stands in brackets and may itself hold brackets and blanks.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent, group, session] = fields
    if (state === 'Z' || state === 'X') return undefined
    return { id, parent: Number(parent), group: Number(group), session: Number(session), key: `${id}:${fields[19]}` }
  } catch {
    return undefined
  }
}

function isMarked(id: number, { mark, captures }: Trace): boolean {
  try {
    if (readFileSync(`/proc/${id}/environ`).includes(mark)) return true
    return [1, 2].some(descriptor => readlinkSync(`/proc/${id}/fd/${descriptor}`).startsWith(captures))
  } catch {
    return false
  }
}
