// Which of several files has a name. A pure function of what was found: sort, then choose; nothing depends on the order
// in which the disk gave it (SPEC R1.1, R1.4, R1.5).

import type { Diagnostic } from '../errors.ts'
import type { SourceName } from '../options.ts'
import { compareBytes } from './names.ts'

export interface Candidate {
  readonly id: string
  readonly alias?: string
  readonly kind: 'skill' | 'command' | 'agent'
  readonly source: SourceName
  readonly rank: number
  readonly path: string
  readonly realPath: string
  readonly isNamedByFolder: boolean
  /** Why it cannot be used: then it has a name and is not listed. */
  readonly error?: Error
}

export interface Resolution<T extends Candidate> {
  /** In the order of the list: by id, the one that has the name first. */
  readonly entries: readonly { readonly candidate: T; readonly shadowedBy?: string; readonly aliases: readonly string[] }[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Gives every name to one candidate. The same real file counts once. */
export function resolvePrecedence<T extends Candidate>(candidates: readonly T[], precedence: readonly SourceName[]): Resolution<T> {
  const diagnostics: Diagnostic[] = []
  const unique = new Map<string, T>()
  for (const candidate of [...candidates].sort(bySource(precedence))) {
    const first = unique.get(candidate.realPath)
    if (first === undefined) unique.set(candidate.realPath, candidate)
    else if (first.source === candidate.source && first.rank === candidate.rank && first.id !== candidate.id) {
      const known = first.error === undefined ? `is listed as "${first.id}"` : `cannot be used, see ${first.path}`
      const message = `Left out "${candidate.path}": it is a link to ${candidate.realPath}, which ${known}`
      diagnostics.push({ code: 'SKILL_SAME_FILE', severity: 'note', message, path: candidate.path })
    }
  }
  const winners = new Map<string, T>()
  for (const candidate of unique.values()) {
    const winner = winners.get(candidate.id)
    if (winner === undefined) winners.set(candidate.id, candidate)
    else if (winner.source === candidate.source) {
      const message = `Rename "${candidate.path}": ${winner.path} has the name "${candidate.id}" already and is used`
      diagnostics.push({ code: 'SKILL_SHADOWED', severity: 'warning', message, path: candidate.path })
    }
  }
  const aliases = new Map<string, T>()
  for (const candidate of winners.values()) {
    if (candidate.alias !== undefined && !winners.has(candidate.alias) && !aliases.has(candidate.alias))
      aliases.set(candidate.alias, candidate)
  }
  const entries = [...unique.values()].map((candidate, order) => ({ candidate, order, winner: winners.get(candidate.id) }))
  entries.sort((a, b) => compareBytes(a.candidate.id, b.candidate.id) || a.order - b.order)
  return {
    diagnostics,
    entries: entries.map(({ candidate, winner }) => ({
      candidate,
      aliases: candidate.alias !== undefined && aliases.get(candidate.alias) === candidate ? [candidate.alias] : [],
      ...(winner === undefined || winner === candidate ? {} : { shadowedBy: winner.path }),
    })),
  }
}

const kindRanks = { skill: 0, command: 1, agent: 2 }

function bySource(precedence: readonly SourceName[]): (a: Candidate, b: Candidate) => number {
  const rankOf = (source: SourceName): number => {
    const rank = precedence.indexOf(source)
    // A source that the option does not name comes last: leaving it out must not make it the highest.
    return rank === -1 ? precedence.length : rank
  }
  return (a, b) =>
    rankOf(a.source) - rankOf(b.source) ||
    compareBytes(a.source, b.source) ||
    kindRanks[a.kind] - kindRanks[b.kind] ||
    a.rank - b.rank ||
    Number(b.isNamedByFolder) - Number(a.isNamedByFolder) ||
    Number(a.path !== a.realPath) - Number(b.path !== b.realPath) ||
    compareBytes(a.path, b.path)
}
