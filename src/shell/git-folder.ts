// What of a repository's own folder a command may write, as mounts (SPEC R17.10, R6.2). A list of what may: hooks, configuration, attributes, and
// what leads to others of these make the next `git status` of the user run a program outside of the cell, so what is not known is read-only.
// Leaves to others: what is not there (placeholders.ts). Locks and renames need a folder that takes new names, so it cannot be read-only itself.

import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** What git runs, obeys as configuration, or takes for the place of these; never to be written, there or not. */
export const obeyedGitNames: readonly string[] = ['hooks', 'config', 'config.worktree', 'commondir', 'info', 'modules', 'worktrees']

// What git writes by itself when it adds, commits, merges, stashes, fetches, collects garbage.
const written =
  /^(?:objects|refs|logs|reftable|lfs|HEAD|index|packed-refs|shallow|sharedindex\.[\da-f]+|[A-Z]+(?:_[A-Z]+)*_(?:HEAD|MSG|EDITMSG|MODE|RR|AUTOSTASH|LOG|START|TERMS|NAMES|EXPECTED_REV|ANCESTORS_OK|MERGE)|AUTO_MERGE|NOTES_\w+|rebase-\w+|sequencer|rr-cache|gc\.(?:pid|log)|fsmonitor--daemon.*|.+\.lock|packed-refs\.new|tmp_\w+)$/

/** Entries of a git folder that no command may change, beside those that are always protected. */
export function unknownGitEntries(folder: string): string[] {
  return readNames(folder)
    .filter(name => !written.test(name))
    .map(name => join(folder, name))
    .filter(path => !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
}

/**
 * Mounts for `.git/info`: its files as they are, in a folder that forgets what is added, since `git gc` writes there and attributes would too.
 * @param emptyFolder words that mount an empty one
 */
export function infoMounts(path: string, emptyFolder: readonly string[]): string[] {
  const entries = readNames(path).flatMap(name => {
    const entry = join(path, name)
    const status = lstatSync(entry, { throwIfNoEntry: false })
    if (status?.isSymbolicLink()) return ['--symlink', readlinkSync(entry), entry]
    return status === undefined ? [] : ['--ro-bind', realpathSync(entry), entry]
  })
  return [...emptyFolder, ...entries]
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
