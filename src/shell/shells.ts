// Where the shells of this machine lie. The system's own folders come first: a workspace's bin folder on PATH does not replace the shell.

import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { SkillcellError } from '../errors.ts'

/** @throws {SkillcellError} SHELL_UNAVAILABLE that names the folders looked in. */
export function findShell(name: 'bash' | 'sh', path: string): string {
  const folders = [...new Set(['/bin', '/usr/bin', '/usr/local/bin', ...path.split(':')])]
  const found = folders.map(folder => join(folder, name)).find(isExecutable)
  if (found !== undefined) return found
  throw new SkillcellError(
    'SHELL_UNAVAILABLE',
    `Cannot find the shell "${name}": looked in ${folders.map(folder => `"${folder}"`).join(', ')}`,
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
