// Turns the rules of `allowed-tools` into grants whose placeholders are filled. A filled folder is a literal piece, so a
// folder named `*` is no wildcard (SPEC R17.8). A rule that cannot be filled is dropped and told (R5.7).

import type { GrantRule } from './skill.ts'

export interface GrantFolders {
  readonly skillDir: string
  readonly projectDir: string
  readonly pluginRoot?: string
}

const placeholder = /\$\{(?:(?:SKILLCELL|WAVE|CLAUDE)_(SKILL_DIR|PROJECT_DIR|PLUGIN_ROOT|SESSION_ID)|CLAUDE_EFFORT)\}/g

/** Fills one rule; a text answer names the placeholder that has no value here. */
export function fillGrant(rule: string, folders: GrantFolders): GrantRule | { readonly unfilled: string } {
  if (!rule.includes('${')) return { text: rule, pieces: [rule] }
  const pieces: (string | { readonly literal: string })[] = []
  let text = ''
  let last = 0
  for (const match of rule.matchAll(placeholder)) {
    const value = folderOf(match[1], folders)
    if (value === undefined) return { unfilled: match[0] }
    const before = rule.slice(last, match.index)
    if (before !== '') pieces.push(before)
    pieces.push({ literal: value })
    text += before + value
    last = match.index + match[0].length
  }
  const rest = rule.slice(last)
  if (rest !== '') pieces.push(rest)
  return { text: text + rest, pieces }
}

function folderOf(name: string | undefined, { skillDir, projectDir, pluginRoot }: GrantFolders): string | undefined {
  if (name === 'SKILL_DIR') return skillDir
  if (name === 'PROJECT_DIR') return projectDir
  return name === 'PLUGIN_ROOT' ? pluginRoot : undefined
}
