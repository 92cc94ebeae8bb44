// What a schema has to say of a value, as one line for people: where, and what is wanted there. Pure.

import type { z } from 'zod'

const maxShown = 10

/** `mcpServers.a__b: Expected …; limits.x: …` */
export function schemaProblem({ issues }: Pick<z.ZodError, 'issues'>): string {
  const shown = issues.slice(0, maxShown).map(issue => {
    // The key itself is wrong: what is wrong with it stands one level down.
    const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
    return issue.path.length === 0 ? message : `${pathText(issue.path)}: ${message}`
  })
  if (issues.length > maxShown) shown.push(`and ${issues.length - maxShown} more`)
  return shown.join('; ')
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('')
}
