// The skills of a catalog as `list` tells them: to whom, with or without the shadowed ones, and how much of each a model sees.

import { type ListEntry, toListEntry } from './skills/list-entry.ts'
import { type ListedSkill, listingForModel } from './skills/listing.ts'
import type { Skill } from './skills/skill.ts'

export interface ListOptions {
  /** Shadowed skills too. */
  readonly all?: boolean
  /** Only what a user may type, or only what a model is shown, as it is shown. */
  readonly for?: 'user' | 'model'
  /** As a session sees them: with the skills that its files have woken. */
  readonly sessionId?: string
}

export interface ListedEntries {
  readonly skills: readonly ListEntry[]
  /** The text for the model, for a list that is for one. */
  readonly listing?: string
}

export function entriesOf(
  skills: readonly Skill[],
  { all = false, for: whom }: ListOptions,
  budgetChars: number,
  isActive?: (skill: Skill) => boolean,
): ListedEntries {
  const listing = listingForModel(skills, budgetChars, isActive)
  if (whom === 'model') return { skills: listing.entries.map(asShown), listing: listing.text }
  const shown = new Map(listing.entries.map(entry => [entry.skill, entry.shown]))
  const wanted = skills.filter(skill => (all || skill.shadowedBy === undefined) && (whom === undefined || skill.userInvocable))
  return { skills: wanted.map(skill => toListEntry(skill, shown.get(skill))) }
}

function asShown({ skill, shown, description, whenToUse }: ListedSkill): ListEntry {
  const entry = toListEntry(skill, shown)
  if (shown === 'full') return entry
  const { whenToUse: _, ...rest } = entry
  return { ...rest, description, ...(whenToUse !== undefined && { whenToUse }) }
}
