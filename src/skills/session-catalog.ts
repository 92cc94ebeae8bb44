// The skills of one session: those of the workspace and those of nested folders that its files have woken (SPEC R10.2). A nested
// skill whose name is taken is called `dir:name`; the first one of a name keeps it, so that no name changes in a session.

import { SkillcellError } from '../errors.ts'
import type { Activation, NestedFolder } from './activation.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { findSkills } from './discover.ts'
import { compareBytes } from './names.ts'
import type { Skill } from './skill.ts'
import { type CatalogOptions, createSnapshots, type Snapshot } from './snapshot.ts'

/** `catalog` is that of all sessions, made of `options`. */
export function createSessionCatalog(catalog: Catalog, options: CatalogOptions, activation: Activation): Catalog {
  // No link of a nested folder leads out of the workspace, and heads of it are not kept: the next session may not touch it.
  const { cacheFolder: _, ...confined } = { ...options, bundled: [], remote: undefined, isConfined: true }
  const nestedCatalog = createCatalog(confined)
  const snapshots = new Map<string, () => Snapshot>()
  const names = new Map<string, string>()
  const snapshotOf = (nested: NestedFolder): Snapshot => {
    const take =
      snapshots.get(nested.name) ??
      createSnapshots(confined, findings => {
        nested.homes.forEach((home, rank) => {
          findSkills(`${nested.folder}/${home}/skills`, { source: 'project', rank }, findings)
        })
      })
    snapshots.set(nested.name, take)
    return take()
  }

  const listAll = async (): Promise<Awaited<ReturnType<Catalog['list']>> & { readonly nested: ReadonlyMap<string, Skill> }> => {
    const base = await catalog.list()
    if (activation.nested.length === 0) return { ...withMore(base, activation.diagnostics), nested: new Map() }
    const known = new Set(base.skills.map(skill => skill.realPath))
    const taken = new Set(base.skills.flatMap(skill => (skill.shadowedBy === undefined ? [skill.id, ...skill.aliases] : [])))
    const nested = new Map<string, Skill>()
    const diagnostics = [...activation.diagnostics]
    for (const folder of activation.nested) {
      const snapshot = snapshotOf(folder)
      diagnostics.push(...snapshot.diagnostics)
      for (const skill of snapshot.byId.values()) {
        // A link to a skill of the workspace is that skill (SPEC R1.5).
        if (known.has(skill.realPath)) continue
        known.add(skill.realPath)
        const before = names.get(skill.realPath)
        const isFree = (name: string): boolean => !taken.has(name) && !nested.has(name)
        // A name of the workspace that came later goes before; one that was given in this session stays.
        const id = before !== undefined && isFree(before) ? before : isFree(skill.id) ? skill.id : `${prefixOf(folder)}:${skill.id}`
        names.set(skill.realPath, id)
        nested.set(id, { ...skill, id, aliases: skill.aliases.filter(isFree) })
      }
    }
    const skills = [...base.skills, ...nested.values()].sort((a, b) => compareBytes(a.id, b.id))
    return { ...withMore({ ...base, skills }, diagnostics), nested }
  }

  return {
    list: async () => {
      const { nested: _nested, ...list } = await listAll()
      return list
    },
    find: async name => {
      const { nested } = await listAll()
      const found = nested.get(name)
      if (found !== undefined) return found
      try {
        return await catalog.find(name)
      } catch (error) {
        const byAlias = [...nested.values()].find(skill => skill.aliases.includes(name))
        if (byAlias !== undefined && error instanceof SkillcellError && error.code === 'SKILL_NOT_FOUND') return byAlias
        throw error
      }
    },
    load: (skill, invoked) => {
      const isNested = names.get(skill.realPath) === skill.id
      return (isNested ? nestedCatalog : catalog).load(skill, invoked)
    },
  }
}

function withMore<List extends { readonly diagnostics: readonly unknown[] }>(list: List, more: List['diagnostics']): List {
  return more.length === 0 ? list : { ...list, diagnostics: [...list.diagnostics, ...more] }
}

/** A typed name ends at a blank, and its last colon parts folder and skill. */
function prefixOf({ name }: NestedFolder): string {
  return name.replace(/[\s\p{Cc}:]+/gu, '-')
}
