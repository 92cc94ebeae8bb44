// Checks skills, commands and agents on disk and runs nothing. Reads each file exactly as the catalog does, then looks at what
// loading lets pass: rules, placeholders, hooks, values, and links between files (SPEC R2.6).

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Diagnostic, messageOf, SkillcellError } from '../errors.ts'
import { isKnownTool } from '../tool-names.ts'
import { readAgentFields } from './agent-fields.ts'
import { buildSkill, type CheckHooks } from './build-skill.ts'
import type { FoundFile } from './discover.ts'
import { checkLinks } from './file-links.ts'
import { compilePaths } from './path-patterns.ts'
import { reasonOf } from './read-file.ts'
import type { LoadedSkill, Skill } from './skill.ts'
import { type FileLimits, readWhole, type SkillHead } from './skill-file.ts'
import { toolOfRule } from './tool-list.ts'
import { findSkillFiles, type SkillPath } from './validate-paths.ts'

export interface ValidateOptions {
  /** Warnings fail too. */
  readonly strict: boolean
  readonly limits: FileLimits
  /** For `${…_PROJECT_DIR}` in rules. */
  readonly workspace: string
  /** What is wrong with a rule, if something is. */
  readonly checkRule: (rule: string) => string | undefined
  readonly checkHooks: CheckHooks
  /** What expansion has to say of a body without arguments. */
  readonly checkBody: (loaded: LoadedSkill) => readonly Diagnostic[]
}

export interface ValidationReport {
  readonly ok: boolean
  readonly skills: readonly { readonly path: string; readonly ok: boolean; readonly diagnostics: readonly Diagnostic[] }[]
}

/** Validates files, skill folders and trees of them. A path with nothing to validate in it is not ok. Never throws. */
export async function validatePaths(paths: readonly string[], options: ValidateOptions): Promise<ValidationReport> {
  const seen = new Set<string>()
  const skills = paths.flatMap(path => {
    const absolute = resolve(path)
    const { files, diagnostics } = findIn(absolute)
    const checked = files
      .filter(file => !seen.has(file.path))
      .map(file => {
        seen.add(file.path)
        return reportOf(file.path, validateFile(file, options), options)
      })
    // What stood in the way belongs to no skill, and must not be lost.
    const lost = diagnostics.length > 0 || files.length === 0
    return lost
      ? [...checked, reportOf(absolute, files.length > 0 ? diagnostics : [...diagnostics, nothingFound(absolute)], options)]
      : checked
  })
  return { ok: skills.length > 0 && skills.every(skill => skill.ok), skills }
}

function findIn(path: string): { files: readonly SkillPath[]; diagnostics: readonly Diagnostic[] } {
  try {
    return findSkillFiles(path)
  } catch (error) {
    return {
      files: [],
      diagnostics: [{ code: 'PATH_UNREADABLE', severity: 'error', message: `Cannot read "${path}": ${reasonOf(error)}`, path }],
    }
  }
}

function nothingFound(path: string): Diagnostic {
  const message = `Cannot find anything to validate in "${path}": wanted is a SKILL.md, or a .md below commands/ or agents/`
  return { code: 'SKILL_NOT_FOUND', severity: 'error', message, path }
}

function reportOf(path: string, diagnostics: readonly Diagnostic[], { strict }: ValidateOptions): ValidationReport['skills'][number] {
  const ok = diagnostics.every(({ severity }) => severity === 'note' || (severity === 'warning' && !strict))
  return { path, ok, diagnostics }
}

function validateFile({ path, kind }: SkillPath, options: ValidateOptions): readonly Diagnostic[] {
  try {
    const file = readWhole(path, options.limits)
    if (file.error !== undefined) return [...file.diagnostics, file.error]
    const found = foundAt(path, kind)
    const { skill, diagnostics } = buildSkill(found, file, {
      path,
      realPath: file.realPath,
      projectDir: options.workspace,
      checkHooks: options.checkHooks,
    })
    const loaded: LoadedSkill = { skill, body: file.body, bodyLine: file.bodyLine, contentHash: file.contentHash }
    const own = file.hasFrontmatter || kind === 'command' ? [] : ['Add a frontmatter with a name and a description']
    const messages = [...own, ...fieldProblems(skill, options.checkRule)]
    const note = (message: string): Diagnostic => ({ code: 'FIELD_VALUE', severity: 'warning', message, path, line: 1, column: 1 })
    return [
      ...diagnostics,
      ...messages.map(note),
      ...(kind === 'agent' ? readAgentFields(skill).diagnostics : []),
      ...nameNote(skill, found),
      ...descriptionWarning(skill, file),
      ...options.checkBody(loaded),
      ...checkLinks({ ...loaded, path, baseDir: skill.baseDir }, options.limits.maxSkillBytes),
    ]
  } catch (error) {
    const code = error instanceof SkillcellError ? error.code : 'INTERNAL'
    return [{ code, severity: 'error', message: messageOf(error), path }]
  }
}

function fieldProblems(skill: Skill, checkRule: (rule: string) => string | undefined): readonly string[] {
  const problems: string[] = []
  if (!['bash', 'sh', 'powershell', 'pwsh'].includes(skill.shell))
    problems.push(`Cannot use "shell: ${skill.shell}": there are bash, sh, powershell`)
  if (skill.effort !== undefined && !/^(?:low|medium|high|xhigh|max|\d+)$/i.test(skill.effort)) {
    problems.push(`Cannot use "effort: ${skill.effort}": there are low, medium, high, xhigh, max, or a number of tokens`)
  }
  problems.push(...compilePaths(skill.paths).problems.map(problem => `Mend "paths": ${problem}`))
  for (const rule of [...skill.allowedTools.map(grant => grant.text), ...skill.disallowedTools]) {
    // An unknown tool has been told already.
    const problem = isKnownTool(toolOfRule(rule)) ? checkRule(rule) : undefined
    if (problem !== undefined) problems.push(`Mend the rule "${rule}": ${problem}`)
  }
  return problems
}

function nameNote(skill: Skill, found: FoundFile): readonly Diagnostic[] {
  if (found.kind !== 'skill' || skill.displayName === undefined || skill.displayName === found.localName) return []
  const message = `Other hosts want the "name" ${JSON.stringify(skill.displayName)} and the folder "${found.localName}" to be the same`
  return [{ code: 'NAME_DIFFERS', severity: 'note', message, path: skill.path, line: 1, column: 1 }]
}

/** The first paragraph is a way out when loading; the format wants a description (SPEC R2.6). */
function descriptionWarning({ kind, path, description }: Skill, { fields, hasFrontmatter }: SkillHead): readonly Diagnostic[] {
  if (kind !== 'skill' || !hasFrontmatter || fields.description !== undefined || description === '') return []
  const message = 'Add a "description": the first paragraph of the text stands for it here, and other hosts leave the skill out'
  return [{ code: 'DESCRIPTION_MISSING', severity: 'warning', message, path, line: 1, column: 1 }]
}

function foundAt(path: string, kind: SkillPath['kind']): FoundFile {
  const baseDir = dirname(path)
  const root = pluginRootOf(baseDir)
  return {
    kind,
    source: root === undefined ? 'project' : 'plugin',
    rank: 0,
    path,
    baseDir,
    expectedRealPath: path,
    localName: kind === 'skill' ? basename(baseDir) : basename(path).replace(/\.md$/i, ''),
    ...(root === undefined ? {} : { plugin: { name: basename(root), root, realRoot: realpathSync.native(root) } }),
  }
}

/** The nearest folder above with a manifest: `${CLAUDE_PLUGIN_ROOT}` has a value below it. */
function pluginRootOf(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    for (const name of ['.claude-plugin', '.wave-plugin', '.skillcell-plugin']) {
      if (statSync(join(at, name, 'plugin.json'), { throwIfNoEntry: false })?.isFile()) return at
    }
  }
  return undefined
}
