// Plugin folders → the files in them. A plugin is a manifest and what it names; nothing outside of its folder, by real path,
// belongs to it, and two plugins never share a name (SPEC R1.1, R17.14).

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isSystemError, messageOf } from '../errors.ts'
import { isInside } from '../inside.ts'
import { isRecord } from '../is-record.ts'
import {
  addSkill,
  type Findings,
  findAgents,
  findCommands,
  findSkills,
  listFolder,
  type Place,
  skillFileIn,
  watchPath,
} from './discover.ts'
import { isValidName, slugName } from './names.ts'
import { readText, reasonOf } from './read-file.ts'

const manifestPaths = ['.claude-plugin/plugin.json', '.wave-plugin/plugin.json', '.skillcell-plugin/plugin.json']
const skillKeys = ['skills', 'skillsPath', 'skillsPaths']
const maxManifestBytes = 1024 * 1024

/** Adds what plugins hold, in the order given. */
export function findInPlugins(folders: readonly string[], findings: Findings): void {
  const byName = new Map<string, string>()
  const seen = new Set<string>()
  for (const folder of folders) {
    const root = resolve(folder)
    const plugin = openPlugin(root, findings)
    if (plugin === undefined || seen.has(plugin.realRoot)) continue
    seen.add(plugin.realRoot)
    const other = byName.get(plugin.name)
    if (other !== undefined) {
      tell(findings, 'PLUGIN_DUPLICATE', root, `Refused the plugin "${plugin.name}" in ${root}: ${other} has that name already`)
      continue
    }
    byName.set(plugin.name, root)
    addPlugin(plugin, { source: 'plugin', rank: byName.size, plugin }, findings)
  }
}

interface Plugin {
  readonly name: string
  readonly root: string
  readonly realRoot: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly manifestPath?: string
}

function openPlugin(root: string, { diagnostics, watched }: Findings): Plugin | undefined {
  const refuse = (message: string): undefined => {
    diagnostics.push({ code: 'PLUGIN_INVALID', severity: 'error', message, path: root })
    return undefined
  }
  for (const path of ['', ...manifestPaths]) watchPath(join(root, path), watched)
  let realRoot: string
  try {
    realRoot = realpathSync.native(root)
    if (!statSync(realRoot).isDirectory()) return refuse(`Cannot use the plugin "${root}": it is no folder`)
  } catch (error) {
    return refuse(`Cannot use the plugin "${root}": ${reasonOf(error)}`)
  }
  let found: { manifest: Readonly<Record<string, unknown>>; manifestPath?: string }
  try {
    found = readManifest(root, realRoot)
  } catch (error) {
    return refuse(`Cannot read the manifest of the plugin "${root}": ${messageOf(error)}`)
  }
  const written = found.manifest.name
  if (written !== undefined && typeof written !== 'string')
    return refuse(`Refused the plugin "${root}": its "name" is ${typeOf(written)}, and a text is wanted`)
  const name = written ?? basename(root)
  if (!isValidName(name)) {
    // A folder may have any name, and a plugin without a manifest has no other.
    if (written === undefined) return { ...found, name: slugName(name), root, realRoot }
    return refuse(
      `Refused the plugin "${root}": its name "${name}" is not valid; lower-case letters, digits and single hyphens are, 64 at most`,
    )
  }
  return { ...found, name, root, realRoot }
}

function readManifest(root: string, realRoot: string): { manifest: Readonly<Record<string, unknown>>; manifestPath?: string } {
  for (const name of manifestPaths) {
    const manifestPath = join(root, name)
    if (statSync(manifestPath, { throwIfNoEntry: false }) === undefined) continue
    const file = readText(manifestPath, { maxBytes: maxManifestBytes })
    if (!isInside(file.realPath, realRoot)) throw new Error(`it is a link to ${file.realPath}, outside of the plugin`)
    const manifest: unknown = JSON.parse(file.text.replace(/^\uFEFF/, ''))
    if (!isRecord(manifest)) throw new Error(`it is ${typeOf(manifest)}, and a map is wanted`)
    return { manifest, manifestPath }
  }
  return { manifest: {} }
}

/** A path that counts: one of a manifest, or a default folder, which may be missing. */
interface Entry {
  /** Absolute. */
  readonly path: string
  /** What named it. */
  readonly key?: string
}

function addPlugin(plugin: Plugin, place: Place, findings: Findings): void {
  const named = skillKeys.flatMap(key => entriesOf(plugin, key, findings))
  // The default folders count besides those that the manifest names.
  const entries = unique([{ path: join(plugin.root, 'skills') }, ...named])
  const paths = new Set(entries.map(({ path }) => path))
  for (const entry of entries) addSkillPath(entry, paths, plugin, place, findings)
  if (named.length === 0 && hasSkillFile(plugin.root)) {
    addSkill(plugin.root, plugin.realRoot, plugin.name, place, findings)
    tellNested(plugin.root, paths, plugin, findings)
  }
  for (const [kind, key] of [
    ['command', 'commands'],
    ['agent', 'agents'],
  ] as const) {
    for (const entry of unique([{ path: join(plugin.root, key) }, ...entriesOf(plugin, key, findings)]))
      if (check(entry, plugin, findings)) addMarkdown(kind, entry.path, place, findings)
  }
}

/** The first of a path: what is named as well as by default may be missing. */
function unique(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map([...entries].reverse().map(entry => [entry.path, entry])).values()].reverse()
}

/** An entry may be a folder of skills, the folder of one skill, or a SKILL.md. */
function addSkillPath(entry: Entry, paths: ReadonlySet<string>, plugin: Plugin, place: Place, findings: Findings): void {
  const { path, key } = entry
  const realPath = check(entry, plugin, findings)
  if (realPath === undefined) return
  if (basename(path).toLowerCase() === 'skill.md') {
    addSkill(dirname(path), dirname(realPath), nameOfFolder(dirname(path), plugin), place, findings)
  } else if (key !== undefined && hasSkillFile(path)) {
    addSkill(path, realPath, nameOfFolder(path, plugin), place, findings)
    // The whole plugin is a folder of skills as well; what lies in a skill is part of it unless it is named.
    if (path === plugin.root) findSkills(path, place, findings)
    else tellNested(path, paths, plugin, findings)
  } else findSkills(path, place, findings)
}

/** Folders of a skill that hold a SKILL.md of their own and are loaded by nothing. */
function tellNested(folder: string, paths: ReadonlySet<string>, plugin: Plugin, findings: Findings): void {
  for (const entry of listFolder(folder, findings)?.entries ?? []) {
    const path = join(folder, entry.name)
    if (!entry.isDirectory() || paths.has(path)) continue
    watchPath(path, findings.watched)
    if (!hasSkillFile(path)) continue
    const named = `./${relative(plugin.root, path)}`
    const message = `Left out the skill in "${path}": it lies in the folder of another skill; write "${named}" in "skills" of the manifest to load it`
    tell(findings, 'PLUGIN_NESTED', path, message)
  }
}

function addMarkdown(kind: 'command' | 'agent', path: string, place: Place, findings: Findings): void {
  if (!path.toLowerCase().endsWith('.md')) {
    if (kind === 'command') findCommands(path, place, findings)
    else findAgents(path, place, findings)
    return
  }
  const localName = basename(path).replace(/\.md$/i, '')
  const baseDir = dirname(path)
  findings.files.push({ ...place, kind, path, baseDir, expectedRealPath: join(realpathSync.native(baseDir), basename(path)), localName })
}

function nameOfFolder(folder: string, plugin: Plugin): string {
  return folder === plugin.root ? plugin.name : basename(folder)
}

/** The real path of something inside the plugin; undefined, and told, when it is missing or outside. */
function check({ path, key }: Entry, plugin: Plugin, findings: Findings): string | undefined {
  watchPath(path, findings.watched)
  const named = key === undefined ? 'by default' : `by "${key}" of ${plugin.manifestPath}`
  const place = key === undefined ? path : (plugin.manifestPath ?? path)
  try {
    const realPath = realpathSync.native(path)
    if (isInside(realPath, plugin.realRoot)) return realPath
    const where = realPath === path ? 'it lies' : `it lies in ${realPath},`
    tell(
      findings,
      'PLUGIN_OUTSIDE',
      place,
      `Refused "${path}", which the plugin "${plugin.name}" takes ${named}: ${where} outside of the plugin`,
    )
  } catch (error) {
    if (key !== undefined || !isSystemError(error, 'ENOENT'))
      tell(findings, 'PLUGIN_PATH', place, `Cannot find "${path}", which the plugin "${plugin.name}" takes ${named}: ${reasonOf(error)}`)
  }
  return undefined
}

function entriesOf(plugin: Plugin, key: string, findings: Findings): readonly Entry[] {
  const value = Object.hasOwn(plugin.manifest, key) ? plugin.manifest[key] : undefined
  if (value === undefined || value === null) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap(item => {
    if (typeof item === 'string' && item !== '') {
      const path = item.replace(/^\$\{(?:CLAUDE|WAVE|SKILLCELL)_PLUGIN_ROOT\}\/?/, './')
      return [{ path: resolve(plugin.root, path), key }]
    }
    const message = `Ignored an entry of "${key}" in the manifest of "${plugin.name}": it is ${typeOf(item)}, and a path is wanted`
    tell(findings, 'PLUGIN_MANIFEST', plugin.manifestPath ?? plugin.root, message)
    return []
  })
}

function hasSkillFile(folder: string): boolean {
  try {
    return skillFileIn(folder) !== undefined
  } catch {
    return false
  }
}

function tell(findings: Findings, code: string, path: string, message: string): void {
  findings.diagnostics.push({ code, severity: 'warning', message, path })
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return value === '' ? 'empty' : `a ${typeof value === 'object' ? 'map' : typeof value}`
}
