// Rules that a person saved with "always": one file a workspace in the user's own state, never in the workspace (SPEC R16.5).
// It is a policy file with nothing but rules, so a person can read, edit and remove it.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { messageOf, SkillcellError } from '../errors.ts'
import { preparePrivateFolder } from '../private-folder.ts'
import { readPolicyFile } from './policy-file.ts'
import { type Rule, readRule } from './rule.ts'

export interface SavedRules {
  /** What is saved now, for this workspace. */
  readonly allow: readonly Rule[]
  readonly deny: readonly Rule[]
  /** Adds rules and writes the file before it returns. @throws {SkillcellError} POLICY_INVALID for a text that is no rule */
  add(kind: 'allow' | 'deny', texts: readonly string[]): void
}

/** @throws {SkillcellError} POLICY_INVALID when the file is there and cannot be read, or somebody else could have written it */
export function openSavedRules(directory: string, workspace: string): SavedRules {
  const path = join(directory, `${createHash('sha256').update(workspace).digest('hex').slice(0, 16)}.yaml`)
  const isThere = existsSync(path)
  if (isThere) ensurePrivate(directory)
  const saved = isThere ? readPolicyFile(path, directory) : { allow: [], deny: [] }
  let rules: Readonly<Record<'allow' | 'deny', readonly Rule[]>> = { allow: saved.allow, deny: saved.deny }
  return {
    get allow() {
      return rules.allow
    },
    get deny() {
      return rules.deny
    },
    add: (kind, texts) => {
      const added = texts.map(text => {
        const read = readRule([text], { source: path, root: workspace })
        if ('problem' in read) throw new SkillcellError('POLICY_INVALID', `Cannot save the rule: ${read.problem}`)
        return read.rule
      })
      // By text: one that is there keeps its place.
      const byText = new Map([...rules[kind], ...added].map(rule => [rule.text, rule]))
      rules = { ...rules, [kind]: [...byText.values()] }
      ensurePrivate(directory)
      const beside = `${path}.${randomBytes(6).toString('hex')}`
      writeFileSync(
        beside,
        `# Saved with "always" for ${JSON.stringify(workspace)}\n${stringify({ allow: rules.allow.map(rule => rule.text), deny: rules.deny.map(rule => rule.text) })}`,
        { mode: 0o600 },
      )
      renameSync(beside, path)
    },
  }
}

function ensurePrivate(directory: string): void {
  try {
    preparePrivateFolder(directory)
  } catch (cause) {
    throw new SkillcellError('POLICY_INVALID', `Cannot use the saved rules in "${directory}": ${messageOf(cause)}`, { cause })
  }
}
