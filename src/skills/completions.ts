// What a user may type after `/` (SPEC R9.3): the data of a completion list. Pure.

import { compareBytes } from './names.ts'
import type { Skill } from './skill.ts'

export interface Completion {
  /** What to put in, with the slash. */
  readonly text: string
  /** What stands behind it as a hint, such as `[file]`. */
  readonly hint?: string
  readonly description: string
  readonly source: Skill['source']
  /** The id, when `text` is another name of it. */
  readonly aliasOf?: string
}

/** For a text such as `/rev`, best first: names that begin so, then parts behind a colon, then names that hold it. Empty once arguments begin. */
export function completionsFor(skills: readonly Skill[], typed: string, most: number = 50): readonly Completion[] {
  const match = /^\s*\/(\S*)$/.exec(typed)
  if (match === null) return []
  const wanted = (match[1] ?? '').toLowerCase()
  const offered = skills
    .filter(skill => skill.kind !== 'agent' && skill.shadowedBy === undefined && skill.userInvocable)
    .flatMap(skill => [completionOf(skill, skill.id), ...skill.aliases.map(alias => completionOf(skill, alias))])
  return offered
    .map(completion => ({ completion, rank: rankOf(completion.text.slice(1).toLowerCase(), wanted, completion.aliasOf !== undefined) }))
    .filter(({ rank }) => rank < notOffered)
    .sort((a, b) => a.rank - b.rank || compareBytes(a.completion.text, b.completion.text))
    .slice(0, most)
    .map(({ completion }) => completion)
}

const notOffered = 8

function completionOf({ id, argumentHint, description, source }: Skill, name: string): Completion {
  return {
    text: `/${name}`,
    ...(argumentHint !== undefined && { hint: argumentHint }),
    description,
    source,
    ...(name !== id && { aliasOf: id }),
  }
}

/** A name of its own goes before another name that matches as well. */
function rankOf(name: string, wanted: string, isAlias: boolean): number {
  const last = name.slice(name.lastIndexOf(':') + 1)
  const kind = name === wanted ? 0 : name.startsWith(wanted) ? 1 : last.startsWith(wanted) ? 2 : name.includes(wanted) ? 3 : 4
  return 2 * kind + (isAlias ? 1 : 0)
}
