// The skills of a workspace, for whoever lists, invokes or shows them. Every call looks at the disk again, so an edit counts at
// once, and a broken one removes the skill instead of serving the old text (SPEC R1.7).

import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { type Diagnostic, SkillcellError } from '../errors.ts'
import { buildSkill } from './build-skill.ts'
import { givenText } from './bundled.ts'
import { type FoundFile, homeFolders } from './discover.ts'
import { compareBytes, nearNames } from './names.ts'
import { unreadable } from './read-file.ts'
import type { LoadInput } from './remote.ts'
import type { LoadedSkill, Skill } from './skill.ts'
import { invalidSkill, readGiven, readWhole } from './skill-file.ts'
import { type CatalogOptions, createSnapshots, outsideReason, type SkillList } from './snapshot.ts'

export interface Catalog {
  list(): Promise<SkillList>
  /** By id, then by alias. @throws {SkillcellError} SKILL_NOT_FOUND with near names; SKILL_INVALID or SKILL_UNREADABLE of a broken one. */
  find(name: string): Promise<Skill>
  /**
   * Reads the file again: what it says now counts. The text of a prompt of a server hangs on the arguments.
   * @throws {SkillcellError} SKILL_INVALID, SKILL_UNREADABLE; USAGE when an argument of such a prompt is missing
   */
  load(skill: Skill, input?: LoadInput): Promise<LoadedSkill & { readonly diagnostics: readonly Diagnostic[] }>
}

export function createCatalog(options: CatalogOptions): Catalog {
  const take = createSnapshots(options)
  return {
    async list() {
      const { skills, agents, diagnostics } = take()
      if (options.remote === undefined) return { skills, agents, diagnostics }
      const remote = await options.remote.list()
      // Their names are their own: `mcp__` begins no other.
      const all = [...skills, ...remote.skills].sort((a, b) => compareBytes(a.id, b.id))
      return { skills: all, agents, diagnostics: [...diagnostics, ...remote.diagnostics] }
    },
    async find(name) {
      if (options.remote !== undefined && name.startsWith('mcp__')) return options.remote.find(name)
      const { byId, byAlias, broken } = take()
      const found = byId.get(name)
      if (found !== undefined) return found
      const error = broken.get(name)
      if (error !== undefined) throw error
      const byOtherName = byAlias.get(name)
      if (byOtherName !== undefined) return byOtherName
      throw notFound(name, [...byId.keys(), ...byAlias.keys()], options)
    },
    async load(skill, invoked = { argumentsText: '' }) {
      if (options.remote !== undefined && skill.source === 'mcp') return { ...(await options.remote.load(skill, invoked)), diagnostics: [] }
      const found = placeOf(skill)
      const given = givenText(skill, options.bundled ?? [])
      const file = given === undefined ? readWhole(skill.path, options.limits) : readGiven(given, skill.path, options.limits)
      if (file.error !== undefined) throw invalidSkill(skill.path, file.error)
      const outside = outsideReason(found, file.realPath, options)
      if (outside !== undefined) throw unreadable(skill.path, outside)
      const { skill: fresh, diagnostics } = buildSkill(found, file, {
        path: skill.path,
        realPath: file.realPath,
        projectDir: options.workspace,
        checkHooks: options.checkHooks,
      })
      const current: Skill = { ...fresh, id: skill.id, aliases: skill.aliases, shadowedBy: skill.shadowedBy }
      return { skill: current, body: file.body, bodyLine: file.bodyLine, contentHash: file.contentHash, diagnostics }
    },
  }
}

/** Where a listed skill was found. */
function placeOf({ kind, source, path, baseDir, realPath, id, pluginRoot }: Skill): FoundFile {
  const colon = pluginRoot === undefined ? -1 : id.indexOf(':')
  const plugin =
    pluginRoot === undefined ? undefined : { name: id.slice(0, colon), root: pluginRoot, realRoot: realpathSync.native(pluginRoot) }
  const fileName = basename(path).replace(/\.md$/i, '')
  const folderName = baseDir === pluginRoot ? id.slice(0, colon) : basename(baseDir)
  const localName = kind === 'skill' ? folderName : kind === 'agent' ? fileName : id.slice(colon + 1)
  return { kind, source, rank: 0, path, baseDir, expectedRealPath: realPath, localName, plugin }
}

function notFound(name: string, names: readonly string[], { workspace, home, managedDir, plugins }: CatalogOptions): SkillcellError {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name
  const near = nearNames(name, names)
  const roots = [managedDir, workspace, home].filter(root => root !== undefined).map(root => `${root}/{${homeFolders.join(',')}}`)
  const hint = near.length > 0 ? `; near names: ${near.join(', ')}` : ''
  const message = `Unknown skill: ${shown}${hint}. Looked for skills/ and commands/ in ${[...roots, ...plugins].join(', ')}`
  return new SkillcellError('SKILL_NOT_FOUND', message, { details: { name: shown, near } })
}
