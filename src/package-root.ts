// Where this package lies, so that data (policies/) and compiled workers (dist/workers/) are found
// from the sources and from dist/ alike, never from the current directory.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'policies'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('Cannot find the folder of skillcell: package.json and policies/ are not above its code')
  return findRoot(parent)
}
