// Skills that a program brings along: those of skillcell and those that its host adds (SPEC R1.1). A folder is read like any other;
// a text is no file, so it has no folder of its own: it is listed as a command, whose prompt names none.

import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { messageOf } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { readPlainFile } from '../plain-file.ts'
import type { BundledSkill, IsEnabled } from '../source-options.ts'
import { addSkill, type Findings, findSkills, skillFileIn, stampAt, watchPath } from './discover.ts'
import { compareBytes } from './names.ts'
import { type FileStamp, isSameStamp, reasonOf } from './read-file.ts'
import type { Skill } from './skill.ts'

/** One that is to be found, or why it cannot be told whether. */
export interface EnabledSkill {
  readonly bundled: BundledSkill
  readonly index: number
  readonly problem?: string
}

/** Nothing can ever lie here: what is no file must not show anybody a folder. */
export const noFolder = '/dev/null/skillcell'

/** The skills that come with skillcell, by name. */
export function ownSkills(folder: string = join(packageRoot, 'src', 'bundled')): readonly BundledSkill[] {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  return names.sort(compareBytes).map(name => {
    const isEnabled = Object.hasOwn(conditions, name) ? conditions[name] : undefined
    return { folder: join(folder, name), ...(isEnabled && { isEnabled }) }
  })
}

/** As options give them: a text is the path of a folder. */
export function bundledFrom(given: readonly (string | BundledSkill)[]): readonly BundledSkill[] {
  return given.map(each => {
    if (typeof each === 'string') return { folder: resolve(each) }
    return 'folder' in each ? { ...each, folder: resolve(each.folder) } : each
  })
}

/** Those whose condition holds now, and those whose condition fails, with why. */
export function enabledSkills(bundled: readonly BundledSkill[], workspace: string): readonly EnabledSkill[] {
  return bundled.flatMap((each, index): readonly EnabledSkill[] => {
    try {
      return each.isEnabled === undefined || each.isEnabled(workspace) ? [{ bundled: each, index }] : []
    } catch (error) {
      return [{ bundled: each, index, problem: messageOf(error) }]
    }
  })
}

/** Adds them to what was found. */
export function findBundled(enabled: readonly EnabledSkill[], findings: Findings): void {
  for (const { bundled, index, problem } of enabled) {
    const path = 'folder' in bundled ? bundled.folder : pathOfText(bundled.name)
    if (problem !== undefined) tell(findings, path, `Left out the bundled skill "${path}": its condition failed: ${problem}`)
    else if (!('folder' in bundled)) addText(bundled.name, bundled.content, index, findings)
    else addFolder(bundled.folder, index, findings)
  }
}

/** The text of a skill that is no file. */
export function givenText({ source, path }: Pick<Skill, 'source' | 'path'>, bundled: readonly BundledSkill[]): string | undefined {
  if (source !== 'bundled') return undefined
  for (const each of bundled) if ('content' in each && pathOfText(each.name) === path) return each.content
  return undefined
}

function addText(name: string, text: string, rank: number, findings: Findings): void {
  const path = pathOfText(name)
  const before = findings.files.some(found => found.text !== undefined && found.path === path)
  if (before) tell(findings, path, `Left out a bundled skill: another one before it is named "${name}"`)
  else
    findings.files.push({
      kind: 'command',
      source: 'bundled',
      rank,
      path,
      baseDir: `${noFolder}/${name}`,
      expectedRealPath: path,
      localName: name,
      text,
    })
}

function addFolder(folder: string, rank: number, findings: Findings): void {
  watchPath(folder, findings.watched)
  const place = { source: 'bundled', rank } as const
  try {
    if (!statSync(folder).isDirectory()) throw new Error('it is no folder')
    if (skillFileIn(folder) === undefined) findSkills(folder, place, findings)
    else addSkill(folder, realpathSync.native(folder), basename(folder), place, findings)
  } catch (error) {
    tell(findings, folder, `Cannot use the folder "${folder}" of bundled skills: ${reasonOf(error)}`)
  }
}

function pathOfText(name: string): string {
  return `bundled:${name}`
}

function tell(findings: Findings, path: string, message: string): void {
  findings.diagnostics.push({ code: 'BUNDLED_INVALID', severity: 'warning', message, path })
}

// Where a project names what it depends on, and how it names the library.
const dependencyFiles: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['package.json', /"@anthropic-ai\/(?:sdk|claude-agent-sdk|bedrock-sdk|vertex-sdk)"/],
  ['requirements.txt', /^\s*anthropic(?![\w-])/m],
  ['pyproject.toml', /["']anthropic(?![\w-])|^\s*anthropic\s*=/m],
  ['go.mod', /github\.com\/anthropics\/anthropic-sdk-go/],
  ['Gemfile', /^\s*gem\s+["']anthropic["']/m],
]

const conditions: Readonly<Record<string, IsEnabled>> = { 'claude-api': createDependencyCheck() }

/** Reads a file again only when it has changed: this is asked at every look at the skills. */
function createDependencyCheck(): IsEnabled {
  const known = new Map<string, { readonly stamp: FileStamp; readonly depends: boolean }>()
  return workspace =>
    dependencyFiles.some(([name, pattern]) => {
      const path = join(workspace, name)
      const stamp = stampAt(path)
      if (stamp === undefined) return false
      const before = known.get(path)
      if (before !== undefined && isSameStamp(before.stamp, stamp)) return before.depends
      const depends = mentions(path, pattern)
      known.set(path, { stamp, depends })
      return depends
    })
}

function mentions(path: string, pattern: RegExp): boolean {
  try {
    return pattern.test(readPlainFile(path, 1024 * 1024))
  } catch {
    return false
  }
}
