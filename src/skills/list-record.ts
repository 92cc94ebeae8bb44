// A snapshot as it is kept on the disk, and back, for lists without a broken skill and without a link on the way to any file: of
// those a stamp tells all. Columns instead of a record for each skill, and what skills have in common once: of thousands,
// reading the text is most of the work.

import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Diagnostic } from '../errors.ts'
import type { Watched } from './discover.ts'
import type { Skill } from './skill.ts'
import type { Snapshot } from './snapshot.ts'

export interface ListRecord {
  /** Those of `skills`, then those of `agents`, then all else that the list hangs on. */
  readonly paths: readonly string[]
  /** One column for each part of a stamp, in the order of `paths`. */
  readonly devices: readonly number[]
  readonly inodes: readonly number[]
  readonly sizes: readonly number[]
  readonly modified: readonly number[]
  readonly changed: readonly number[]
  /** Where nothing was. */
  readonly absent: readonly string[]
  readonly skills: SkillColumns
  readonly agents: SkillColumns
  /** What is not as usual, for each kind of skill there is. */
  readonly templates: readonly Partial<Skill>[]
  readonly diagnostics: readonly Diagnostic[]
}

interface SkillColumns {
  readonly ids: readonly string[]
  /** 0 when it is the id, null when there is none. */
  readonly displayNames: readonly (string | 0 | null)[]
  readonly descriptions: readonly string[]
  /** Indexes into `templates`. */
  readonly kinds: readonly number[]
}

/** A record that gives the same snapshot back; undefined when one file is newer than `newestMs`, or stamps do not tell all. */
export function toListRecord(snapshot: Snapshot, watched: Watched, newestMs: number): ListRecord | undefined {
  if (snapshot.broken.size > 0) return undefined
  const skills = [...snapshot.skills, ...snapshot.agents]
  if (!skills.every(skill => skill.realPath === skill.path && skill.baseDir === dirname(skill.path) && isOfJson(skill))) return undefined
  const ofSkills = new Set(skills.map(skill => skill.path))
  const present = new Map([...watched].flatMap(([path, stamp]) => (stamp === undefined ? [] : [[path, stamp] as const])))
  const paths = [...ofSkills, ...[...present.keys()].filter(path => !ofSkills.has(path))]
  const stamps = paths.flatMap(path => present.get(path) ?? [])
  if (stamps.length !== paths.length || ofSkills.size !== skills.length) return undefined
  if (stamps.some(stamp => stamp.changedMs >= newestMs)) return undefined
  const templates = new Map<string, number>()
  const columnsOf = (list: readonly Skill[]): SkillColumns => ({
    ids: list.map(skill => skill.id),
    displayNames: list.map(({ id, displayName }) => (displayName === id ? 0 : (displayName ?? null))),
    descriptions: list.map(skill => skill.description),
    kinds: list.map(skill => indexOf(JSON.stringify(templateOf(skill)), templates)),
  })
  const [ofList, ofAgents] = [columnsOf(snapshot.skills), columnsOf(snapshot.agents)]
  return {
    paths,
    devices: stamps.map(stamp => stamp.device),
    inodes: stamps.map(stamp => stamp.inode),
    sizes: stamps.map(stamp => stamp.size),
    modified: stamps.map(stamp => stamp.modifiedMs),
    changed: stamps.map(stamp => stamp.changedMs),
    absent: [...watched].flatMap(([path, stamp]) => (stamp === undefined ? [path] : [])),
    skills: ofList,
    agents: ofAgents,
    templates: [...templates.keys()].map(text => JSON.parse(text)),
    diagnostics: snapshot.diagnostics,
  }
}

export function fromListRecord({ paths, skills, agents, templates, diagnostics }: ListRecord): Snapshot {
  const whole = templates.map((template): Skill => ({ ...usual, ...template }))
  const build = ({ ids, displayNames, descriptions, kinds }: SkillColumns, offset: number): readonly Skill[] =>
    ids.map((id, index) => {
      const path = paths[offset + index] ?? ''
      const name = displayNames[index]
      return {
        ...(whole[kinds[index] ?? 0] ?? usual),
        id,
        displayName: name === 0 ? id : (name ?? undefined),
        path,
        realPath: path,
        baseDir: path.slice(0, path.lastIndexOf('/')),
        description: descriptions[index] ?? '',
      }
    })
  const list = build(skills, 0)
  const byId = new Map<string, Skill>()
  const byAlias = new Map<string, Skill>()
  for (const skill of list) {
    if (skill.shadowedBy !== undefined) continue
    byId.set(skill.id, skill)
    for (const alias of skill.aliases) byAlias.set(alias, skill)
  }
  return { skills: list, agents: build(agents, list.length), diagnostics, byId, byAlias, broken: new Map() }
}

function templateOf({ id: _, displayName, path, realPath, baseDir, description, ...rest }: Skill): Partial<Skill> {
  const ofUsual = new Map<string, unknown>(Object.entries(usual))
  return Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => value !== ofUsual.get(name) && !(isEmpty(value) && isEmpty(ofUsual.get(name)))),
  )
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0
}

/** False when JSON has no words for what the author wrote (`.inf`, `-0`). All other fields are made of texts. */
function isOfJson({ hooks, extra }: Skill): boolean {
  if (hooks === undefined && Object.keys(extra).length === 0) return true
  const free = { ...(hooks !== undefined && { hooks }), extra }
  return isDeepStrictEqual(JSON.parse(JSON.stringify(free)), free)
}

function indexOf(text: string, known: Map<string, number>): number {
  const index = known.get(text) ?? known.size
  known.set(text, index)
  return index
}

// Every field, in the order of buildSkill(), so that all skills have one shape.
const usual: Skill = {
  id: '',
  kind: 'skill',
  displayName: undefined,
  aliases: [],
  source: 'project',
  path: '',
  realPath: '',
  baseDir: '',
  pluginRoot: undefined,
  description: '',
  whenToUse: undefined,
  argumentHint: undefined,
  argumentNames: [],
  argumentsBase: undefined,
  context: 'inline',
  agent: undefined,
  model: undefined,
  effort: undefined,
  shell: 'bash',
  allowedTools: [],
  disallowedTools: [],
  paths: [],
  hooks: undefined,
  userInvocable: true,
  modelInvocable: true,
  commandsEnabled: true,
  extra: {},
}
