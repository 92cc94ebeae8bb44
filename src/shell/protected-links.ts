// Protected paths of a workspace that are links. Nothing can be mounted over a link, so a command can lay it aside and put its own in its place
// (SPEC R17.10). Promises: that is seen within milliseconds and undone, what came in its place lies beside it under another name, and the command is
// ended with a note. What a link leads to is protected by a mount (confinement.ts).

import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { protectedPaths } from './placeholders.ts'

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

/** Undefined where no protected path is a link. */
export function protectedLinks(workspace: string): ProtectedLinks | undefined {
  const links = [...new Set([join(workspace, '.git'), ...protectedPaths(workspace)])].flatMap(path => linkAt(path, workspace))
  if (links.length === 0) return undefined
  return {
    mend() {
      const changed = links.filter(link => !isAsBefore(link))
      for (const link of changed) putBack(link)
      if (changed.length === 0) return undefined
      return `The command replaced ${changed.map(({ path }) => `"${relative(workspace, path)}"`).join(', ')}, which is protected; it was put back`
    },
  }
}

function linkAt(path: string, workspace: string): Link[] {
  const target = readLink(path)
  if (target === undefined) return []
  const real = resolve(dirname(path), target)
  const isInside = !relative(workspace, real).startsWith('..')
  return [{ path, target, nothing: isInside && !existsSync(path) ? real : undefined }]
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
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
