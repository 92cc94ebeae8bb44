// Several skills typed in one line, `/a /b text` (SPEC R9.1): each is invoked with the same text, in order, and their prompts are one.

import type { ExpansionResult } from './events.ts'
import type { Invoked } from './invocation.ts'
import type { Catalog } from './skills/catalog.ts'
import { parseStackedSlash, type StackedSlash } from './skills/slash.ts'

/** The skills of a typed line. Only inline ones that a user may type can stand beside others; a fork ends the row. */
export async function stackedSkills(name: string, args: string, catalog: Pick<Catalog, 'list'>): Promise<StackedSlash> {
  const one = { names: [name], args }
  if (!args.startsWith('/')) return one
  const { skills } = await catalog.list()
  const names = new Set(
    skills
      .filter(skill => skill.shadowedBy === undefined && skill.userInvocable && skill.context === 'inline')
      .flatMap(skill => [skill.id, ...skill.aliases]),
  )
  return parseStackedSlash(`/${name} ${args}`, each => names.has(each)) ?? one
}

/** One result of all: the id, the model, the dialect and the folder are those of the first. */
export function mergedExpansion([first, ...more]: readonly [Invoked, ...Invoked[]]): ExpansionResult {
  const all = [first, ...more].map(({ expansion }) => expansion)
  return {
    ...first.expansion,
    prompt: all.map(({ prompt }) => prompt).join('\n\n'),
    allowedTools: [...new Set(all.flatMap(({ allowedTools }) => allowedTools))],
    disallowedTools: [...new Set(all.flatMap(({ disallowedTools }) => disallowedTools))],
    commands: all.flatMap(({ commands }) => commands),
    diagnostics: all.flatMap(({ diagnostics }) => diagnostics),
  }
}
