// The skills of one session: those of the workspace and those of nested folders that its files have woken (SPEC R10.2). A nested
// skill whose name is taken is called `dir:name`. A name belongs to one file until the session ends: what a person or a rule allowed by
// it is never another text. How such a name is made is nested-name.ts's.

import { type Diagnostic, SkillcellError } from '../errors.ts'
import type { Activation, NestedFolder } from './activation.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { findSkills } from './discover.ts'
import { compareBytes } from './names.ts'
import { nestedName } from './nested-name.ts'
import type { Skill } from './skill.ts'
import { type CatalogOptions, createSnapshots, type Snapshot } from './snapshot.ts'

/** `catalog` is that of all sessions, made of `options`. */
export function createSessionCatalog(catalog: Catalog, options: CatalogOptions, activation: Activation): Catalog {
  // No link of a nested folder leads out of the workspace, and heads of it are not kept: the next session may not touch it.
  const { cacheFolder: _, ...confined } = { ...options, bundled: [], remote: undefined, isConfined: true }
  const nestedCatalog = createCatalog(confined)
  const snapshots = new Map<string, () => Snapshot>()
  /** By real path, and who has a name: both only grow. */
  const names = new Map<string, string>()
  const owners = new Map<string, Skill>()
  /** All that skills of the workspace were called while the session lasted. */
  const ofWorkspace = new Set<string>()
  const ofPlugins = new Set<string>()
  let lastSeen: readonly Skill[] | undefined
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
  const rememberNames = (skills: readonly Skill[]): void => {
    if (skills === lastSeen) return
    lastSeen = skills
    for (const { id, aliases, shadowedBy, pluginRoot } of skills) {
      if (shadowedBy !== undefined) continue
      for (const name of [id, ...aliases]) ofWorkspace.add(name)
      if (pluginRoot !== undefined) ofPlugins.add(id.slice(0, id.indexOf(':')))
    }
  }
  const isTaken = (name: string): boolean => owners.has(name) || ofWorkspace.has(name)

  const listAll = async (): Promise<Awaited<ReturnType<Catalog['list']>> & { readonly nested: ReadonlyMap<string, Skill> }> => {
    const base = await catalog.list()
    rememberNames(base.skills)
    const nested = new Map<string, Skill>()
    if (activation.nested.length === 0) return { ...withMore(base, activation.diagnostics), nested }
    const known = new Set(base.skills.map(skill => skill.realPath))
    const diagnostics = [...activation.diagnostics]
    for (const folder of activation.nested) {
      const snapshot = snapshotOf(folder)
      diagnostics.push(...snapshot.diagnostics)
      for (const skill of snapshot.byId.values()) {
        // A link to a skill of the workspace is that skill (SPEC R1.5).
        if (known.has(skill.realPath)) continue
        known.add(skill.realPath)
        const id = names.get(skill.realPath) ?? (isTaken(skill.id) ? nestedName(folder.name, skill.id, isTaken, ofPlugins) : skill.id)
        names.set(skill.realPath, id)
        owners.set(id, skill)
        nested.set(id, { ...skill, id, aliases: skill.aliases.filter(name => !isTaken(name)) })
      }
    }
    const own = base.skills.map(skill => {
      const owner = skill.shadowedBy === undefined ? owners.get(skill.id) : undefined
      if (owner === undefined || owner.realPath === skill.realPath) return skill
      diagnostics.push(cameLater(skill, owner))
      return { ...skill, aliases: [], shadowedBy: owner.path }
    })
    const skills = [...nested.values(), ...own].sort((a, b) => compareBytes(a.id, b.id))
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
      const owner = owners.get(name)
      try {
        const own = await catalog.find(name)
        if (owner === undefined || owner.realPath === own.realPath) return own
        throw new SkillcellError('SKILL_NOT_FOUND', `Unknown skill: ${name}. In this session that is ${owner.path}, which is gone`)
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

function cameLater({ id, path }: Skill, owner: Skill): Diagnostic {
  const message = `Left out "${path}" until the session ends: it came when ${owner.path} had the name "${id}" already`
  return { code: 'SKILL_SHADOWED', severity: 'warning', message, path }
}

function withMore<List extends { readonly diagnostics: readonly unknown[] }>(list: List, more: List['diagnostics']): List {
  return more.length === 0 ? list : { ...list, diagnostics: [...list.diagnostics, ...more] }
}
