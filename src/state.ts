// Where a user's state lies (SPEC R16.1): folders of mode 0700 that belong to the user, never in the workspace or a shared temp.

import { chmod, lstat, mkdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { messageOf, SkillcellError } from './errors.ts'

/** The tenant of the command line and the library (SPEC R16.2). */
const tenant = 'local'

/** `$XDG_STATE_HOME/skillcell/local`; a relative XDG_STATE_HOME is ignored, as its standard says. */
export function stateDirectory(home: string, environment: NodeJS.ProcessEnv): string {
  const given = environment.XDG_STATE_HOME
  return join(given && isAbsolute(given) ? given : join(home, '.local', 'state'), 'skillcell', tenant)
}

/**
 * Makes a private folder, or takes one that is there and mends its mode.
 * @throws {SkillcellError} CONFIG_INVALID if it is no folder of this user or cannot be made.
 */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const found = await lstat(path)
    // Somebody else's folder, or a link to one, would show them every argument.
    if (!found.isDirectory()) throw new Error('it is not a folder')
    if (process.getuid && found.uid !== process.getuid()) throw new Error(`it belongs to user ${found.uid}`)
    if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700)
  } catch (cause) {
    throw new SkillcellError(
      'CONFIG_INVALID',
      `Cannot use "${path}" for state: ${messageOf(cause)}; set XDG_STATE_HOME to another folder`,
      {
        cause,
      },
    )
  }
}
