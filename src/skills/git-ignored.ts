// Whether git ignores a folder of a repository, by its .gitignore files and info/exclude: rules further down count more, and what
// lies in an ignored folder is ignored whatever it says itself. Reads those files, bounded; never asks git.

import { basename, dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { readPlainFile } from '../plain-file.ts'
import { stampAt } from './discover.ts'
import { type FileStamp, isSameStamp } from './read-file.ts'

export interface GitIgnored {
  /** `folder` is absolute, real, and inside the workspace. */
  isIgnored(folder: string): boolean
}

const maxBytes = 1024 * 1024
const maxParents = 64

/** `workspace` is absolute and real; the repository may begin above it. Without one the .gitignore files of the workspace count. */
export function createGitIgnored(workspace: string): GitIgnored {
  const top = repositoryOf(workspace) ?? workspace
  const known = new Map<string, { readonly stamp: FileStamp; readonly rules: Ignore }>()
  const rulesOf = (path: string): Ignore | undefined => {
    const stamp = stampAt(path)
    if (stamp === undefined) return undefined
    const before = known.get(path)
    if (before !== undefined && isSameStamp(before.stamp, stamp)) return before.rules
    const rules = readRules(path)
    if (rules !== undefined) known.set(path, { stamp, rules })
    return rules
  }
  const isFolderIgnored = (folder: string): boolean => {
    let ignored = rulesOf(join(top, '.git', 'info', 'exclude'))?.test(`${relative(top, folder)}/`).ignored ?? false
    for (const above of foldersBetween(top, dirname(folder))) {
      const rules = rulesOf(join(above, '.gitignore'))
      const answer = rules?.test(`${relative(above, folder)}/`)
      if (answer?.unignored) ignored = false
      // Whoever asks goes down from the top: a parent that these rules ignore was taken back by others, and so was what lies in it.
      else if (answer?.ignored && !isAsParent(rules, relative(above, dirname(folder)))) ignored = true
    }
    return ignored
  }
  return { isIgnored: folder => foldersBetween(top, folder).some(each => each !== top && isFolderIgnored(each)) }
}

function isAsParent(rules: Ignore | undefined, parent: string): boolean {
  return parent !== '' && rules?.test(`${parent}/`).ignored === true
}

/** From `top` down to `folder`, both of them. */
function foldersBetween(top: string, folder: string): readonly string[] {
  const folders = [folder]
  for (let each = folder; each !== top && dirname(each) !== each; each = dirname(each)) folders.unshift(dirname(each))
  return folders
}

function repositoryOf(workspace: string): string | undefined {
  let folder = workspace
  for (let count = 0; count < maxParents; count++) {
    // A work tree beside its repository has a file of that name.
    if (stampAt(join(folder, '.git')) !== undefined) return folder
    if (basename(folder) === '') return undefined
    folder = dirname(folder)
  }
  return undefined
}

function readRules(path: string): Ignore | undefined {
  try {
    return ignore({ allowRelativePaths: true }).add(readPlainFile(path, maxBytes))
  } catch {
    // Not readable, or a pattern that no expression can be made of: git would take it for no rule.
    return undefined
  }
}
