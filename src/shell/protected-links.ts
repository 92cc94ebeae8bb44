// What no mount can guard: protected paths of a workspace that are links, which a command can lay aside to put its own in their place, and the
// workspace itself, which becomes a repository whose configuration git obeys once HEAD, objects and refs lie in it (SPEC R17.10). Promises: that is
// seen within milliseconds and undone, what came lies beside it under another name, and the command is ended with a note.
// What a link leads to is protected by a mount (confinement.ts).

import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, renameSync, type Stats, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isInside } from '../inside.ts'
import { gitGuards } from './git-guards.ts'
import { watchRepositories } from './git-links.ts'
import { looksBare } from './git-places.ts'
import { type ProtectedStatuses, protectedStatuses } from './placeholders.ts'

export interface ProtectedLinks {
  /** Puts back what was changed; a note for people if something was. */
  mend(): string | undefined
}

interface Link {
  readonly path: string
  readonly target: string
  /** Where it leads to nothing in the workspace: that must not come to be. */
  readonly nothing: string | undefined
}

/** @param found what was there a moment ago, so that it need not be looked at again */
export function protectedLinks(workspace: string, found: ProtectedStatuses = protectedStatuses(workspace)): ProtectedLinks {
  const git = join(workspace, '.git')
  const links = [...(found.has(git) ? [] : linkAt(git, workspace, lookAt(git)))]
  for (const [path, status] of found) links.push(...linkAt(path, workspace, status))
  const wasRepository = looksBare(workspace)
  const missing = gitGuards(workspace).missing.filter(path => !isThere(path))
  const repositories = watchRepositories(workspace, found.has(git) ? undefined : git)
  return {
    mend() {
      const changed = links.filter(link => !isAsBefore(link))
      for (const link of changed) putBack(link)
      if (!wasRepository && looksBare(workspace)) {
        layAside(join(workspace, 'HEAD'))
        return 'The command made the workspace itself a repository, which git would obey; its "HEAD" was given another name'
      }
      const inner = repositories.changed()
      for (const path of inner) layAside(path)
      if (inner.length > 0) {
        const names = inner.map(path => `"${relative(workspace, path)}"`).join(', ')
        return `The command made or changed a repository inside the repository, which git would obey; ${names} was given another name`
      }
      const obeyed = missing.filter(isThere)
      for (const path of obeyed) layAside(path)
      if (obeyed.length > 0) {
        const names = obeyed.map(path => `"${relative(workspace, path)}"`).join(', ')
        return `The command made what the configuration of the repository names, which git would obey; ${names} was given another name`
      }
      if (changed.length === 0) return undefined
      return `The command replaced ${changed.map(({ path }) => `"${relative(workspace, path)}"`).join(', ')}, which is protected; it was put back`
    },
  }
}

function linkAt(path: string, workspace: string, status: Stats | undefined): Link[] {
  const target = status?.isSymbolicLink() ? readLink(path) : undefined
  if (target === undefined) return []
  const real = resolve(dirname(path), target)
  return [{ path, target, nothing: isInside(real, workspace) && !existsSync(path) ? real : undefined }]
}

function isAsBefore({ path, target, nothing }: Link): boolean {
  return readLink(path) === target && (nothing === undefined || !isThere(nothing))
}

function putBack({ path, target, nothing }: Link): void {
  if (nothing !== undefined && isThere(nothing)) layAside(nothing)
  // The command may still be at it; it is ended, and this is done once more afterwards.
  for (let round = 0; round < 10 && readLink(path) !== target; round += 1) {
    if (isThere(path)) layAside(path)
    try {
      symlinkSync(target, path)
    } catch {
      // Something came in between.
    }
  }
}

function layAside(path: string): void {
  try {
    renameSync(path, `${path}.replaced-${randomBytes(4).toString('hex')}`)
  } catch {
    // Gone again.
  }
}

function isThere(path: string): boolean {
  return lookAt(path) !== undefined
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
