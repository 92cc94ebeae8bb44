// The private folders of the broker below the state directory (SPEC R16.1): captures and spill files, inputs of commands, their temp.
// What an earlier process left there is removed by age.

import { chmodSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, SkillcellError } from '../errors.ts'
import { makeFolders } from '../private-folder.ts'
import { ownName, removeLeft } from './owned-names.ts'

export interface StateFolders {
  readonly spill: string
  /** Each command that needs files has a folder of its own in it. */
  readonly inputs: string
  /** TMPDIR of the commands, one for each broker. */
  readonly temporary: string
  /** What the cells of the broker need, one folder each. */
  readonly cells: string
  /** The state directory itself, by its real path. */
  readonly root: string
}

/** @throws {SkillcellError} SHELL_SPAWN_FAILED that names the folder which cannot be made. */
export function openStateFolders(stateDirectory: string, maxAgeMs: number): StateFolders {
  const root = privateFolder(stateDirectory)
  const [spill = '', inputs = '', temporaries = '', cells = ''] = ['spill', 'inputs', 'tmp', 'cells'].map(name =>
    privateFolder(join(root, name)),
  )
  for (const folder of [spill, inputs, temporaries, cells]) removeLeft(folder, maxAgeMs)
  return { root, spill, inputs, temporary: privateFolder(join(temporaries, ownName())), cells: privateFolder(join(cells, ownName())) }
}

function privateFolder(path: string): string {
  try {
    makeFolders(path)
    const { uid, mode } = statSync(path)
    if (lstatSync(path).isSymbolicLink() || (process.getuid !== undefined && uid !== process.getuid()))
      throw new Error('it is a link or belongs to another user')
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700)
    // The real path is what /proc shows of an open file in it.
    return realpathSync(path)
  } catch (cause) {
    throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot use the state folder "${path}": ${messageOf(cause)}`, { cause })
  }
}
