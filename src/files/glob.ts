// Finds files below a decided folder by a pattern, newest first. ripgrep lists and matches: its globs are automata, so no pattern can
// stall it, and names are never matched here. What a rule hides is left out and not counted.

import { type DecidedPath, toolFailed } from './decided-path.ts'
import { foundPath } from './found-path.ts'
import { runRipgrep, type SearchOptions } from './ripgrep.ts'

interface GlobRequest {
  /** The folder. */
  readonly path: DecidedPath
  readonly pattern: string
}

interface FoundFiles {
  readonly paths: readonly string[]
  /** Found and not listed. */
  readonly more: number
  readonly notes: readonly string[]
}

const maxListed = 100

/** @throws {SkillcellError} TOOL_FAILED, FILE_CHANGED; the reason of the signal */
export async function globFiles({ path, pattern }: GlobRequest, options: SearchOptions): Promise<FoundFiles> {
  const glob = patternBelow(pattern, path)
  const { text, notes } = await runRipgrep(
    path,
    true,
    ['--files', '--no-ignore', '--no-messages', '--sortr=modified', `--glob=/${glob}`, '--glob=!.git', '--glob=!node_modules'],
    options,
  )
  // What follows the last NUL is a torn name, or what ripgrep said.
  const found = text
    .split('\0')
    .slice(0, -1)
    .map(printed => foundPath(printed, path, options.workspace))
    .filter(({ real }) => options.mayRead(real))
  const paths = found.slice(0, maxListed).map(({ shown }) => shown)
  return { paths, more: found.length - paths.length, notes }
}

/** The pattern as it counts from the folder. */
function patternBelow(given: string, { real, shown }: DecidedPath): string {
  const fail = (why: string) => toolFailed(`find "${given}"`, why)
  if (given.includes('\0')) throw fail('a pattern holds no NUL')
  const base = [real, shown].find(folder => folder.startsWith('/') && given.startsWith(`${folder.replace(/\/$/, '')}/`))
  if (given.startsWith('/') && base === undefined)
    throw fail(`it is absolute and does not lie below "${shown}"; give its folder as path and the rest as pattern`)
  const pattern = (base === undefined ? given : given.slice(base.replace(/\/$/, '').length + 1)).replace(/^(\.\/)+/, '')
  if (pattern.split(/[/{},]/).includes('..')) throw fail('it leads out of the folder; give that folder as path')
  return pattern
}
