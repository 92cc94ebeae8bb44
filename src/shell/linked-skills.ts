// What links inside the protected folders of a workspace lead to: `.claude/skills -> ../shared/skills` makes a folder grant like the protected one
// itself (SPEC R17.10). Looked for when a cell starts, down to the files of skills, bounded. Leaves to others: the mounts, and a protected folder
// that is a link itself.

import { existsSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '../inside.ts'
import { readEntries, realOf } from './disk.ts'

const homes: readonly string[] = ['.skillcell', '.wave', '.claude', '.agents']

// The home, what is in it (`skills`), what is in that (a skill), and its files.
const levels = 3

// Some milliseconds at the start of a cell.
const maxEntries = 5_000

export interface LinkedSkills {
  /** Real paths in the workspace that are there. */
  readonly present: readonly string[]
  /** Where a link leads to nothing yet: the first missing part. */
  readonly absent: readonly string[]
}

export function linkedSkills(workspace: string): LinkedSkills {
  const present = new Set<string>()
  const absent = new Set<string>()
  let left = maxEntries
  let folders = homes.map(name => join(workspace, name))
  for (let level = 0; level < levels; level += 1) {
    const next: string[] = []
    for (const folder of folders) {
      for (const entry of readEntries(folder)) {
        left -= 1
        if (left < 0) return { present: [...present], absent: [...absent] }
        const path = join(folder, entry.name)
        if (entry.isDirectory()) next.push(path)
        if (!entry.isSymbolicLink()) continue
        const real = realOf(path)
        if (real === undefined) {
          const missing = firstMissing(path)
          if (missing !== undefined && missing !== workspace && isInside(missing, workspace)) absent.add(missing)
        } else if (real !== workspace && isInside(real, workspace)) {
          present.add(real)
          next.push(path)
        }
      }
    }
    folders = next
  }
  return { present: [...present], absent: [...absent] }
}

function firstMissing(link: string): string | undefined {
  try {
    let path = resolve(realpathSync(dirname(link)), readlinkSync(link))
    while (!existsSync(dirname(path))) path = dirname(path)
    return join(realpathSync(dirname(path)), path.slice(dirname(path).length))
  } catch {
    // It leads round in a circle.
    return undefined
  }
}
