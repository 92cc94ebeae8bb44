// Rules that a person saved with "always": one file a workspace in the user's own state, never in the workspace (SPEC R16.5).
// It is a policy file with nothing but `allow`, so a person can read, edit and remove it.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { SkillcellError } from '../errors.ts'
import { readPolicyFile } from './policy-file.ts'
import { type Rule, readRule } from './rule.ts'

export interface SavedRules {
  /** What is saved now, for this workspace. */
  readonly rules: readonly Rule[]
  /** Adds rules and writes the file before it returns. @throws {SkillcellError} POLICY_INVALID for a text that is no rule */
  add(texts: readonly string[]): void
}

/** @throws {SkillcellError} POLICY_INVALID when the file is there and cannot be read */
export function openSavedRules(directory: string, workspace: string): SavedRules {
  const path = join(directory, `${createHash('sha256').update(workspace).digest('hex').slice(0, 16)}.yaml`)
  let rules: readonly Rule[] = existsSync(path) ? readPolicyFile(path, directory).allow : []
  return {
    get rules() {
      return rules
    },
    add: texts => {
      const added = texts.map(text => {
        const read = readRule([text], { source: path, root: workspace })
        if ('problem' in read) throw new SkillcellError('POLICY_INVALID', `Cannot save the rule: ${read.problem}`)
        return read.rule
      })
      const known = new Set(rules.map(rule => rule.text))
      rules = [...rules, ...added.filter(rule => !known.has(rule.text))]
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const beside = `${path}.${randomBytes(6).toString('hex')}`
      writeFileSync(
        beside,
        `# Saved with "always" for ${JSON.stringify(workspace)}\n${stringify({ allow: rules.map(rule => rule.text) })}`,
        { mode: 0o600 },
      )
      renameSync(beside, path)
    },
  }
}
