// What the files that a session touched have woken (SPEC R10.1, R10.2): skills whose `paths` match one of them, and skill folders
// between one of them and the workspace. What is awake stays so until the session ends. Whoever reads, writes or edits tells.

import { realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Diagnostic, isSystemError } from '../errors.ts'
import { isInside } from '../inside.ts'
import { homesOf } from './discover.ts'
import { createGitIgnored } from './git-ignored.ts'
import { compilePaths, type PathPatterns } from './path-patterns.ts'
import { reasonOf } from './read-file.ts'
import type { Skill } from './skill.ts'

/** A folder with homes of its own below the workspace. */
export interface NestedFolder {
  /** Absolute, real. */
  readonly folder: string
  /** From the workspace, with `/`: the part before the colon when a name is taken. */
  readonly name: string
  /** Those of the four that hold skills. */
  readonly homes: readonly string[]
}

export interface Activation {
  /** Tells of a file that was read, written or edited; what lies outside of the workspace wakes nothing. Says whether it was new. */
  touch(path: string): boolean
  /** Whether a model may see and call it: it has no `paths`, or one of the touched files matches. */
  isActive(skill: Pick<Skill, 'paths' | 'realPath'>): boolean
  /** In the order of their first touch. */
  readonly nested: readonly NestedFolder[]
  /** What was in the way, each once. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface ActivationOptions {
  /** Absolute. */
  readonly workspace: string
  readonly disableAgentSkillsDirectory: boolean
}

// A session that touches more has seen what there is to see: later files still wake, but are not kept for skills that come after them.
const maxTouched = 10_000
const maxNested = 256
const maxDepth = 64

export function createActivation({ workspace, disableAgentSkillsDirectory }: ActivationOptions): Activation {
  const realWorkspace = realpathSync.native(workspace)
  const homes = homesOf(disableAgentSkillsDirectory)
  const gitIgnored = createGitIgnored(realWorkspace)
  const touched = new Set<string>()
  const nested = new Map<string, NestedFolder>()
  const awake = new Set<string>()
  const compiled = new Map<string, PathPatterns>()
  const diagnostics: Diagnostic[] = []
  const told = new Set<string>()
  const tell = (code: string, path: string, message: string): void => {
    if (told.has(message) || diagnostics.length >= maxNested) return
    told.add(message)
    diagnostics.push({ code, severity: 'warning', message, path })
  }

  const lookBeside = (relativePath: string): void => {
    const parts = relativePath.split('/').slice(0, -1)
    if (parts.length > maxDepth || parts.some(part => part === '.git' || part === 'node_modules')) return
    for (let depth = parts.length; depth > 0; depth--) {
      const name = parts.slice(0, depth).join('/')
      const folder = join(realWorkspace, name)
      if (nested.has(name)) continue
      const found = homes.filter(home => isSkillFolder(join(folder, home, 'skills')))
      if (found.length === 0 || gitIgnored.isIgnored(folder)) continue
      const open = found.filter(home => !gitIgnored.isIgnored(join(folder, home, 'skills')))
      if (open.length === 0) continue
      if (nested.size < maxNested) nested.set(name, { folder, name, homes: open })
      else tell('NESTED_LIMIT', folder, `Left out the skills of "${folder}": a session loads at most ${maxNested} nested folders`)
    }
  }
  const isSkillFolder = (path: string): boolean => {
    try {
      if (!statSync(path).isDirectory()) return false
      const realPath = realpathSync.native(path)
      if (isInside(realPath, realWorkspace)) return true
      tell('NESTED_OUTSIDE', path, `Refused the skills in "${path}": they lie in ${realPath}, outside of the workspace`)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) tell('PATH_UNREADABLE', path, `Cannot read "${path}": ${reasonOf(error)}`)
    }
    return false
  }

  return {
    diagnostics,
    get nested() {
      return [...nested.values()]
    },
    touch: path => {
      const relativePath = insideOf(path, workspace, realWorkspace)
      if (relativePath === undefined) return false
      lookBeside(relativePath)
      if (touched.has(relativePath)) return false
      if (touched.size >= maxTouched) touched.delete(touched.values().next().value ?? '')
      touched.add(relativePath)
      for (const [key, patterns] of compiled) if (patterns.matches(relativePath)) awake.add(key)
      return true
    },
    isActive: ({ paths, realPath }) => {
      if (paths.length === 0) return true
      // The patterns belong to the identity: an edit of them is another wish.
      const key = JSON.stringify([realPath, paths])
      if (awake.has(key)) return true
      if (compiled.has(key)) return false
      const patterns = compilePaths(paths)
      for (const problem of patterns.problems) tell('PATHS_INVALID', realPath, `${problem} (\`paths\` of ${realPath})`)
      compiled.set(key, patterns)
      for (const each of touched) if (patterns.matches(each)) awake.add(key)
      return awake.has(key)
    },
  }
}

/** Relative to the workspace, with `/`; undefined when it lies elsewhere. The path may be gone by now, or not be there yet. */
function insideOf(path: string, workspace: string, realWorkspace: string): string | undefined {
  const absolute = resolve(workspace, path)
  // Links on the way count as what they lead to.
  const real = realPathToBe(absolute)
  const found = real ?? absolute
  return isInside(found, realWorkspace) ? relative(realWorkspace, found) || undefined : undefined
}

function realPathToBe(path: string): string | undefined {
  const rest: string[] = []
  for (let each = path; ; each = dirname(each)) {
    try {
      return join(realpathSync.native(each), ...rest)
    } catch {
      if (dirname(each) === each) return undefined
      rest.unshift(each.slice(dirname(each).length).replace(/^\//, ''))
    }
  }
}
