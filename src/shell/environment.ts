// The environment of a command: an allowlist, so that nothing of ours (keys, tokens, start-up files, shell functions) comes along by chance.
// Leaves to others: which values a skill exports. Names that would change what a program does are refused here all the same.

import { isAbsolute } from 'node:path'
import { SkillcellError } from '../errors.ts'
import type { CommandRequest } from './command.ts'

export type Environment = Readonly<Record<string, string>>

/** Marks what a command starts, so that it is found when it left the process group (process-scan.ts). */
export const markName: string = 'SKILLCELL_COMMAND'
const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const passedOn = /^(?:SKILLCELL_COMMAND|HOME|USER|LOGNAME|TZ|LANG|LC_[A-Z]+)$/
const exportable = /^(?:(?:SKILLCELL|CLAUDE|WAVE)_[A-Za-z0-9_]+|ARGUMENTS|ARGUMENTS_FILE|ARG[0-9]+)$/
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Names that a shell or the programs it starts read as settings: a value for one of them is no longer data. */
const special = new RegExp(
  `^(?:${[
    'PATH|HOME|IFS|ENV|CDPATH|TMPDIR|TERM|TZ|LANG|LC_.*|LD_.*|DYLD_.*|GIT_.*|BASH.*|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|POSIXLY_CORRECT',
    'GLOBIGNORE|EXECIGNORE|FIGNORE|HIST(?:CMD|CONTROL|FILE|FILESIZE|IGNORE|SIZE|TIMEFORMAT)|UID|EUID|PPID|GROUPS|PWD|OLDPWD|DIRSTACK|_',
    'RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LINENO|OPTIND|OPTARG|OPTERR|REPLY|PIPESTATUS|FUNCNAME|FUNCNEST|COMP_.*|COMPREPLY',
    'COPROC|MAPFILE|READLINE_.*|MAIL|MAILCHECK|MAILPATH|TIMEFORMAT|TMOUT|HOSTTYPE|MACHTYPE|OSTYPE|HOSTFILE|IGNOREEOF|INPUTRC|CHILD_MAX',
    '__skillcell_.*',
  ].join('|')})$`,
)

/** What every command of a broker gets: from the host only harmless names, and a PATH without relative folders. */
export function baseEnvironment(host: NodeJS.ProcessEnv, temporaryDirectory: string): Environment {
  const environment: Record<string, string> = { LANG: 'C.UTF-8' }
  for (const [name, value] of Object.entries(host)) if (value !== undefined && passedOn.test(name)) environment[name] = value
  const folders = (host.PATH ?? '').split(':').filter(folder => isAbsolute(folder))
  environment.PATH = folders.length > 0 ? folders.join(':') : fallbackPath
  environment.TERM = 'dumb'
  environment.TMPDIR = temporaryDirectory
  return environment
}

/** The environment of one command. A shell variable is not exported, also where the host has an exported one of its name. */
export function commandEnvironment(
  base: Environment,
  request: Pick<CommandRequest, 'environment' | 'variables'>,
  mark: string,
): Environment {
  checkNames(request)
  const kept = Object.entries({ ...base, ...request.environment }).filter(([name]) => !Object.hasOwn(request.variables, name))
  // A command may itself run skillcell: its commands bear both marks, so that the outer one still finds them.
  return { ...Object.fromEntries(kept), [markName]: [base[markName], mark].filter(Boolean).join(':') }
}

/** Refuses names that are no names, or that are settings. @throws {SkillcellError} SHELL_SPAWN_FAILED that names the variable. */
function checkNames({ environment, variables }: Pick<CommandRequest, 'environment' | 'variables'>): void {
  for (const name of Object.keys(environment))
    if (!exportable.test(name)) refuse(name, 'only SKILLCELL_, CLAUDE_, WAVE_ and ARGUMENTS names')
  for (const name of Object.keys(variables))
    if (!identifier.test(name) || special.test(name)) refuse(name, 'a plain identifier that no program reads')
}

function refuse(name: string, wanted: string): never {
  throw new SkillcellError('SHELL_SPAWN_FAILED', `Cannot give the command a variable "${name}": it has to be ${wanted}`)
}
