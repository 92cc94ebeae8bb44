// What `allowed-tools` of a skill really grants (SPEC R5.7, R5.11): its author wrote it, the platform bounds it.

import type { Diagnostic } from '../errors.ts'
import type { SourceName } from '../options.ts'
import type { Policy } from './load.ts'
import type { PatternPiece } from './match.ts'
import { type Rule, readRule } from './rule.ts'

/** What the policy must know of a skill. */
export interface Granting {
  readonly id: string
  readonly source: SourceName
  readonly path: string
  readonly baseDir: string
  readonly pluginRoot?: string
  readonly allowedTools: readonly { readonly text: string; readonly pieces: readonly PatternPiece[] }[]
}

export interface Grants {
  readonly rules: readonly Rule[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The rules that a skill grants for its turn. Unknown tools are inert; a list that becomes empty grants nothing. */
export function grantsOf(policy: Policy, skill: Granting): Grants {
  const mode = policy.scalars.grants[skill.source]
  if (skill.allowedTools.length === 0) return { rules: [], diagnostics: [] }
  if (mode === 'none')
    return {
      rules: [],
      diagnostics: [cut(skill, skill.allowedTools.map(({ text }) => text).join(', '), `skills of source "${skill.source}" grant nothing`)],
    }
  const diagnostics: Diagnostic[] = []
  const within = mode === 'ceiling' ? ceilingRules(policy, skill) : undefined
  const rules = skill.allowedTools.flatMap(({ text, pieces }) => {
    const read = readRule(pieces, { source: `allowed-tools of ${skill.id}`, root: policy.workspace })
    if ('problem' in read) return []
    if (!within) return [read.rule]
    const ceiling = within.filter(rule => rule.tool === read.rule.tool)
    if (ceiling.length > 0) {
      if (!ceiling.some(rule => rule.patterns.length === 0 && rule.specifier === undefined))
        diagnostics.push(cut(skill, text, `it holds only within ${ceiling.map(rule => rule.text).join(', ')}`))
      return [{ ...read.rule, within: ceiling }]
    }
    diagnostics.push(cut(skill, text, 'the ceiling has no rule for that tool'))
    return []
  })
  return { rules, diagnostics }
}

function ceilingRules(policy: Policy, skill: Granting): readonly Rule[] {
  return policy.ceiling.flatMap(({ text, path }) => {
    const pieces = fillFolders(text, skill)
    if (!pieces) return []
    const read = readRule(pieces, { source: path, root: policy.workspace })
    return 'rule' in read ? [read.rule] : []
  })
}

// Filled as a literal: a folder named `*` must not become a wildcard (SPEC R17.8). A rule whose folder there is not bounds nothing.
function fillFolders(text: string, skill: Granting): readonly PatternPiece[] | undefined {
  const pieces: PatternPiece[] = []
  let rest = text
  for (let match = placeholder.exec(rest); match; match = placeholder.exec(rest)) {
    const folder = match[1] === 'SKILL_DIR' ? skill.baseDir : skill.pluginRoot
    if (folder === undefined) return undefined
    pieces.push(rest.slice(0, match.index), { literal: folder })
    rest = rest.slice(match.index + match[0].length)
  }
  return [...pieces, rest]
}

const placeholder = /\$\{(?:SKILLCELL|WAVE|CLAUDE)_(SKILL_DIR|PLUGIN_ROOT)\}/

function cut(skill: Granting, rule: string, why: string): Diagnostic {
  return { code: 'GRANT_CUT', severity: 'warning', message: `The grant "${rule}" of "${skill.id}" is cut: ${why}`, path: skill.path }
}
