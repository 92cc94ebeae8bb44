// Which files below a path are skills, commands or agents, for `validate`. Walks each real folder once; a link loop ends by itself.

import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Diagnostic } from '../errors.ts'
import { compareBytes } from './names.ts'
import { readText, reasonOf } from './read-file.ts'
import { splitFrontmatter } from './split.ts'

export interface SkillPath {
  readonly path: string
  readonly kind: 'skill' | 'command' | 'agent'
}

const maxFolders = 20_000
const maxPageBytes = 16 * 1024 * 1024
const neverWalked: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** A file is taken as it is; of a folder every SKILL.md, and every `.md` below `commands/` or in `agents/`. Throws when `path` cannot be read. */
export function findSkillFiles(path: string): { files: readonly SkillPath[]; diagnostics: readonly Diagnostic[] } {
  if (!statSync(path).isDirectory()) return { files: [{ path, kind: kindOfFile(path) }], diagnostics: [] }
  const files: SkillPath[] = []
  const diagnostics: Diagnostic[] = []
  const visited = new Set<string>()
  const tell = (at: string, error: unknown) =>
    diagnostics.push({ code: 'PATH_UNREADABLE', severity: 'warning', message: `Cannot read "${at}": ${reasonOf(error)}`, path: at })
  const walk = (folder: string, kind: SkillPath['kind'] | undefined, isRoot: boolean): void => {
    let entries: Dirent[]
    try {
      const realPath = realpathSync.native(folder)
      if (visited.has(realPath) || visited.size >= maxFolders) return
      visited.add(realPath)
      entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareBytes(a.name, b.name))
    } catch (error) {
      if (isRoot) throw error
      tell(folder, error)
      return
    }
    const skillFile = entries.find(entry => entry.name === 'SKILL.md') ?? entries.find(entry => entry.name.toLowerCase() === 'skill.md')
    const isPlugin = entries.some(entry => entry.name.endsWith('-plugin') && entry.isDirectory())
    if (skillFile !== undefined) files.push({ path: `${folder}/${skillFile.name}`, kind: 'skill' })
    // The commands/ and agents/ of a skill are its own pages, those of a plugin are not.
    const isInsideSkill = kind === 'skill' || (skillFile !== undefined && !isPlugin)
    for (const entry of entries) {
      const at = `${folder}/${entry.name}`
      if (neverWalked.has(entry.name) || entry === skillFile) continue
      if (isFolder(entry, at, tell)) walk(at, isInsideSkill ? 'skill' : kindOfFolder(entry.name, kind), false)
      else if (!isInsideSkill && /\.md$/i.test(entry.name) && !/^readme\.md$/i.test(entry.name)) {
        const own = kind === 'command' || kind === 'agent' ? kind : kindOfHead(at)
        if (own !== undefined) files.push({ path: at, kind: own })
      }
    }
  }
  walk(path, kindOfFolder(basename(path), undefined), true)
  return { files, diagnostics }
}

function kindOfFolder(name: string, above: SkillPath['kind'] | undefined): SkillPath['kind'] | undefined {
  if (name === 'commands') return 'command'
  if (name === 'agents') return 'agent'
  return above
}

function kindOfFile(path: string): SkillPath['kind'] {
  if (/^skill\.md$/i.test(basename(path))) return 'skill'
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const kind = kindOfFolder(basename(folder), undefined)
    if (kind !== undefined) return kind
  }
  return 'command'
}

/** Elsewhere in a tree a page counts when its frontmatter is one of a command or agent. */
function kindOfHead(path: string): SkillPath['kind'] | undefined {
  try {
    const file = readText(path, { maxBytes: maxPageBytes, isEnough: () => true })
    const block = splitFrontmatter(file.text, { complete: file.isComplete })?.block ?? ''
    if (!/^description[ \t]*:/m.test(block)) return undefined
    if (/^(?:argument-hint|allowed-tools|disable-model-invocation)[ \t]*:/m.test(block)) return 'command'
    return /^(?:tools|model|mode|subtask)[ \t]*:/m.test(block) ? 'agent' : undefined
  } catch {
    // A page that cannot be read is no skill; only what looks like one is told.
    return undefined
  }
}

function isFolder(entry: Dirent, path: string, tell: (path: string, error: unknown) => void): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    tell(path, error)
    return false
  }
}
