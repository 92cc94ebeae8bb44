// Places that decide what runs later: skills, policies, settings, servers of a project, git's hooks and configuration. Nobody writes there
// on behalf of a skill, whatever a rule allows: who could, would grant himself the rest (SPEC R17.9, R17.10).

import { relative } from 'node:path'
import { isInside } from './inside.ts'

const homes: ReadonlySet<string> = new Set(['.skillcell', '.wave', '.claude', '.agents'])

/** What of a repository git writes itself and reads no program from. */
const harmlessInGit = /^(?:objects|refs|logs|index|HEAD|[A-Z_]+_HEAD|packed-refs|COMMIT_EDITMSG|MERGE_[A-Z]+)(?:\.lock)?(?:\/|$)/

export interface ProtectedPlace {
  /** For people. */
  readonly name: string
  /** In a home a person may say yes: that is where skills of his own are written to. In a workspace nobody may. */
  readonly decision: 'deny' | 'ask'
}

/** @param path absolute; a path as written and its real path are both to be asked */
export function protectedPlace(
  path: string,
  { workspace, home }: { readonly workspace: string; readonly home: string },
): ProtectedPlace | undefined {
  const root = [workspace, home].find(folder => isInside(path, folder))
  const name = root === undefined ? undefined : placeName(relative(root, path).split('/'))
  return name === undefined ? undefined : { name, decision: root === workspace ? 'deny' : 'ask' }
}

function placeName(parts: readonly string[]): string | undefined {
  if (parts.some(part => homes.has(part))) return 'skills, policies and settings'
  if (parts.at(-1) === '.mcp.json') return 'the servers of the project'
  const git = parts.indexOf('.git')
  if (git === -1 || harmlessInGit.test(parts.slice(git + 1).join('/'))) return undefined
  return 'the hooks and the configuration of git'
}
