// The listing that a model reads, inside a budget: all full, else bundled ones full and the rest share what is left, else names
// only. A name is never dropped (SPEC R9.2). Descriptions are text of strangers: escaped, without control characters.

import { cutText } from '../cut-text.ts'
import type { Shown } from './list-entry.ts'
import type { Skill } from './skill.ts'

export interface ListedSkill {
  readonly skill: Skill
  readonly shown: Shown
  /** As shown; empty when only the name is. Not escaped. */
  readonly description: string
  readonly whenToUse?: string
}

export interface ModelListing {
  readonly entries: readonly ListedSkill[]
  /** What goes to the model; empty when there is nothing to list. */
  readonly text: string
}

// Under this many characters a description says nothing.
const leastChars = 20
// Of one description with its `when_to_use`, whatever the budget.
const mostChars = 1536
const whenLabel = '\n  When to use: '

/** Before anything has touched a file: a skill with `paths` waits (SPEC R10.1). */
const waitsForNothing = (skill: Skill): boolean => skill.paths.length === 0

/** Lists the skills that a model may call. `budgetChars` counts UTF-16 units of `text`; `isActive` is that of a session. */
export function listingForModel(
  skills: readonly Skill[],
  budgetChars: number,
  isActive: (skill: Skill) => boolean = waitsForNothing,
): ModelListing {
  const listed = skills.filter(skill => skill.kind !== 'agent' && skill.shadowedBy === undefined && skill.modelInvocable && isActive(skill))
  if (listed.length === 0) return { entries: [], text: '' }
  // Of thousands the names alone are too long: then no description is looked at.
  if (namesLength(listed) > budgetChars) return listingOf(listed.map(nameOnly))
  const full = listed.map(skill => cutEntry(skill, mostChars))
  const fullLength = namesLength(listed) + full.reduce((sum, entry) => sum + costOf(entry), 0)
  if (fullLength <= budgetChars) return listingOf(full)
  const isKept = (entry: ListedSkill): boolean => entry.skill.source === 'bundled'
  const fixed = namesLength(listed) + full.reduce((sum, entry) => sum + (isKept(entry) ? costOf(entry) : 0), 0)
  const others = full.filter(entry => !isKept(entry))
  // A description costs the two characters before it too.
  const share = shareOf(
    others.map(entry => costOf(entry)),
    budgetChars - fixed,
  )
  // Bundled ones keep theirs while they fit; names never go.
  const isOver = fixed > budgetChars
  const entries = full.map(entry => {
    if (isKept(entry)) return isOver ? nameOnly(entry.skill) : entry
    if (isOver || share < leastChars + 2) return nameOnly(entry.skill)
    return costOf(entry) <= share ? entry : cutEntry(entry.skill, share - 2)
  })
  return listingOf(entries)
}

/** Most who ask want to know how much is shown, and never read the text. */
function listingOf(entries: readonly ListedSkill[]): ModelListing {
  let text: string | undefined
  return {
    entries,
    get text() {
      text ??= textOf(entries)
      return text
    },
  }
}

/** Of the text without any description: what is added to it is the sum of `costOf()`. */
function namesLength(skills: readonly Skill[]): number {
  let users = 0
  let automatic = 0
  for (const { userInvocable, id } of skills) {
    // The mark of a bullet, the stars, the name, and the line end before it.
    if (userInvocable) users += escapeName(id).length + '\n- **/**'.length
    else automatic += escapeName(id).length + '\n- ****'.length
  }
  return (
    title.length +
    (users === 0 ? 0 : between.length + userHeading.length + users) +
    (automatic === 0 ? 0 : between.length + automaticHeading.length + automatic) +
    between.length +
    lastLine.length
  )
}

/** What each may cost at most so that all together stay within `total`: those that need less leave theirs to the rest. */
function shareOf(costs: readonly number[], total: number): number {
  let left = total
  const sorted = [...costs].sort((a, b) => a - b)
  for (const [index, cost] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (cost > share) return share
    left -= cost
  }
  return Number.POSITIVE_INFINITY
}

function costOf({ description, whenToUse }: ListedSkill): number {
  const when = whenToUse === undefined ? 0 : whenLabel.length + escapeText(whenToUse).length
  return (description === '' ? 0 : 2 + escapeText(description).length) + when
}

function nameOnly(skill: Skill): ListedSkill {
  return { skill, shown: 'name', description: '' }
}

function cutEntry(skill: Skill, maxChars: number): ListedSkill {
  const description = cleanLine(skill.description)
  const whenToUse = skill.whenToUse === undefined ? undefined : cleanLine(skill.whenToUse)
  const shownDescription = cutEscaped(description, maxChars)
  const left = maxChars - escapeText(shownDescription).length - whenLabel.length
  const shownWhen =
    whenToUse !== undefined && (escapeText(whenToUse).length <= left || left >= leastChars) ? cutEscaped(whenToUse, left) : undefined
  const isFull = shownDescription === description && shownWhen === whenToUse
  return {
    skill,
    shown: isFull ? 'full' : 'short',
    description: shownDescription,
    ...(shownWhen === undefined ? {} : { whenToUse: shownWhen }),
  }
}

/** The longest beginning whose escaped form has at most `maxChars` characters, an ellipsis included. */
function cutEscaped(text: string, maxChars: number): string {
  if (escapeText(text).length <= maxChars) return text
  let kept = cutText(text, Math.max(0, maxChars - 1))
  while (kept !== '' && escapeText(kept).length > maxChars - 1)
    kept = cutText(kept, kept.length - Math.max(1, Math.floor((escapeText(kept).length - maxChars) / 6)))
  return `${kept.trimEnd()}…`
}

const title = '# Available Skills'
const userHeading = 'User-invocable skills (user types /<name> to invoke):'
const automaticHeading = 'Auto-invocable skills (use the skill tool when appropriate):'
const lastLine = 'To invoke a skill programmatically, use the `skill` tool.'
const between = '\n\n'

function textOf(entries: readonly ListedSkill[]): string {
  const users = entries.filter(entry => entry.skill.userInvocable)
  const automatic = entries.filter(entry => !entry.skill.userInvocable)
  return [title, ...group(userHeading, users, '/'), ...group(automaticHeading, automatic, ''), lastLine].join(between)
}

function group(heading: string, entries: readonly ListedSkill[], mark: string): readonly string[] {
  if (entries.length === 0) return []
  const lines = entries.map(({ skill, description, whenToUse }) => {
    const text = description === '' ? '' : `: ${escapeText(description)}`
    return `- **${mark}${escapeName(skill.id)}**${text}${whenToUse === undefined ? '' : whenLabel + escapeText(whenToUse)}`
  })
  return [`${heading}\n${lines.join('\n')}`]
}

// Direction marks and tag characters show a reader something else than the model reads.
const hidden =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{e0000}-\u{e007f}]+/gu

// Words with single blanks between them: nothing to change.
const isOneLine = /^[!-~]+(?: [!-~]+)*$/

/** One line of what a reader sees: no control, direction or hidden characters. */
export function cleanLine(text: string): string {
  if (isOneLine.test(text)) return text
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(hidden, '')
    .trim()
}

// What a name is made of, wherever it comes from; in another text it would be a sign of markup.
const isPlainName = /^[\w.:/-]+$/

/** Names are checked where they are made. One that was not must not write lines of its own here. */
function escapeName(name: string): string {
  return isPlainName.test(name) ? name : escapeText(cleanLine(name)).replace(/[*`[\]\\]/g, '\\$&')
}

function escapeText(text: string): string {
  // Most texts hold none of the three, and this is asked several times of each.
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
