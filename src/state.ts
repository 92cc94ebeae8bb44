// Where a user's state lies (SPEC R16.1): folders of mode 0700 that belong to the user, never in the workspace or a shared temp.

import { isAbsolute, join } from 'node:path'
import { messageOf, SkillcellError } from './errors.ts'
import { preparePrivateFolder } from './private-folder.ts'

/** The tenant of the command line and the library (SPEC R16.2). */
export const localTenant = 'local'

/** `$XDG_STATE_HOME/skillcell/local`; a relative XDG_STATE_HOME is ignored, as its standard says. */
export function stateDirectory(home: string, environment: NodeJS.ProcessEnv): string {
  const given = environment.XDG_STATE_HOME
  return join(given && isAbsolute(given) ? given : join(home, '.local', 'state'), 'skillcell', localTenant)
}

/** @throws {SkillcellError} CONFIG_INVALID if it is no private folder of this user and cannot become one. */
export function ensureStateFolder(path: string): void {
  try {
    preparePrivateFolder(path)
  } catch (cause) {
    const problem = `Cannot use "${path}" for state: ${messageOf(cause)}; set XDG_STATE_HOME to another folder`
    throw new SkillcellError('CONFIG_INVALID', problem, { cause })
  }
}
