// Permissions of a Claude Code settings.json as one more source of rules (SPEC R5.2, R16.4). Only `permissions` is read here.

import { dirname } from 'node:path'
import { z } from 'zod'
import { type Diagnostic, isSystemError, messageOf, SkillcellError } from '../errors.ts'
import { readPlainFile } from '../plain-file.ts'
import { type Rule, type RuleKind, readRule } from './rule.ts'

export interface SettingsPermissions {
  readonly allow: readonly Rule[]
  readonly ask: readonly Rule[]
  readonly deny: readonly Rule[]
  readonly additionalDirectories: readonly string[]
  /** Rules for tools that this program does not have; they can do nothing here. */
  readonly diagnostics: readonly Diagnostic[]
}

const maxFileBytes = 1024 * 1024
const list = z.array(z.string()).optional()
const schema = z.looseObject({
  permissions: z.looseObject({ allow: list, ask: list, deny: list, additionalDirectories: list }).optional(),
})

/**
 * Reads a settings file if there is one. `/` in its rules is the folder that holds `.claude`.
 * @throws {SkillcellError} POLICY_INVALID when it cannot be read: a deny rule in it would be lost
 */
export function readSettingsFile(path: string): SettingsPermissions | undefined {
  const text = readIfPresent(path)
  if (text === undefined) return undefined
  const parsed = schema.safeParse(parseJson(text, path))
  if (!parsed.success)
    throw new SkillcellError('POLICY_INVALID', `Cannot use settings "${path}": ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}`)
  const { permissions = {} } = parsed.data
  const diagnostics: Diagnostic[] = []
  const rules = (kind: RuleKind): readonly Rule[] =>
    (permissions[kind] ?? []).flatMap(ruleText => {
      const read = readRule([ruleText], { source: path, root: dirname(dirname(path)) })
      if ('rule' in read) return [read.rule]
      // A rule for a tool that is not here is inert; one that cannot be read must not be lost when it forbids.
      if (!read.problem.includes('unknown tool') && kind !== 'allow')
        throw new SkillcellError('POLICY_INVALID', `Cannot use settings "${path}": ${read.problem}`)
      diagnostics.push({
        code: 'RULE_IGNORED',
        severity: kind === 'allow' ? 'note' : 'warning',
        message: `Ignored a ${kind} rule: ${read.problem}`,
        path,
      })
      return []
    })
  return {
    allow: rules('allow'),
    ask: rules('ask'),
    deny: rules('deny'),
    additionalDirectories: permissions.additionalDirectories ?? [],
    diagnostics,
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readPlainFile(path, maxFileBytes)
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw new SkillcellError('POLICY_INVALID', `Cannot read settings "${path}": ${messageOf(error)}`)
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new SkillcellError('POLICY_INVALID', `Cannot use settings "${path}": ${messageOf(error)}`)
  }
}
