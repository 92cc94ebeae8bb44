// The program that runs in a cell as process 1: a small POSIX shell, which forks a process for each command (SPEC R6.1, R17.1).
//
// Why a command gains nothing from living beside it:
// - It is an execute-only file, so it is not dumpable: its memory, descriptors and environment cannot be opened; ptrace and the like are refused
//   by seccomp as well. It is process 1: KILL and STOP from inside are ignored by the kernel, all other signals by it.
// - Control socket and capture folder are descriptors, closed in the fork before the command begins; there is no name by which to open them.
// - What it holds is the cell's own: no value of a command passes through it, each fork reads its request itself.
// - Whatever it could be made to say is an exit code of this cell's own commands, which those choose anyway. If it ends, the cell ends.
// - It lowers its own limits, the hard ones too, before the first fork; only a capability could raise them (SPEC R6.3). That of the CPU would end
//   the host some day: cell.ts replaces it long before.
//
// `kill -9 -1` ends all that a command left. It stands behind a check that this is process 1, and cell.ts has compared the PID space with ours
// before the first request: outside of a space of its own it would end everything (SPEC R17.3).
//
// dash where there is one, since a page that is touched for the first time after a fork costs more than ten system calls: a forked dash touches
// some 30, a forked bash 80. Where there is none, bash plays its part under the name `sh`. What a command finds is the same in both: either a
// program takes the place of the fork, or a fresh `bash -c` does (command-text.ts).

import type { Environment } from './environment.ts'

export interface HostRequest {
  readonly cwd: string
  /** Names of files in the folder of the captures. `errors` may be the output. */
  readonly output: string
  readonly errors: string
  /** Undefined for /dev/null. */
  readonly input?: string
  /** Exported. */
  readonly environment: Environment
  /** Set, not exported. */
  readonly variables: Environment
  /** `$1`, `$2`, … */
  readonly parameters: readonly string[]
  /** What the fork does: POSIX text. */
  readonly text: string
}

/** Descriptors of the host: what it is asked and answers, the folder of requests and captures, and /dev/null. */
const controlDescriptor = 3
const folderDescriptor = 5
const nullDescriptor = 8

/** The text that the fork reads. The host has `base` already, so only what differs is told. */
export function requestText(
  { cwd, output, errors, input, environment, variables, parameters, text }: HostRequest,
  base: Environment,
): string {
  const path = (name: string) => quoted(`/proc/self/fd/${folderDescriptor}/${name}`)
  const gone = Object.keys(base).filter(name => !Object.hasOwn(environment, name))
  const changed = Object.entries(environment).filter(([name, value]) => base[name] !== value)
  return [
    `[ "$PWD" = ${quoted(cwd)} ] || cd -P -- ${quoted(cwd)} 2>&${nullDescriptor} || { echo folder; exit 126; }`,
    `command exec <${input === undefined ? '/dev/null' : path(input)} >>${path(output)} ${errors === output ? '2>&1' : `2>>${path(errors)}`} || { echo start >&${controlDescriptor}; exit 126; }`,
    `exec ${controlDescriptor}>&- ${folderDescriptor}>&- ${nullDescriptor}>&-`,
    ...gone.map(name => `unset -v ${name}`),
    ...changed.map(([name, value]) => `export ${name}=${quoted(value)}`),
    ...Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`),
    // Also where there are none: those of the host are not the command's.
    ['set --', ...parameters.map(quoted)].join(' '),
    text,
    // Whatever stands behind is of an earlier request.
    'exit\n',
  ].join('\n')
}

/** One word of a POSIX shell, whatever the value holds but NUL. */
export function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}

/** Before a program in `text`: it gets a group of processes of its own, which takes a start more in dash. Nothing where there is no `setsid`. */
export const inOwnGroup = '$group'

// Any line in: run what stands in the file `$3` of the folder of the captures. Lines out: `ended` and the exit code, after the two lines of `times`
// if it was started with that word; before them `folder` when cwd cannot be entered, `start` when the fork could not open what it needs, `left` as
// long as something of the command is there. That one waits for a line: empty to look again, anything else to end what is left.
//
// The process of the next command is forked ahead and sleeps until its line comes, since the fork costs more than all the rest. While a command
// runs there is no other.
//
// The kernel drops the signals that come from inside to a process 1 without a handler. dash has one for INT, if it is not told to ignore it, and
// bash has none, if it is told nothing: one `trap`, or one `read` with a time limit, gives it some for nearly all.
// Its stderr is the control socket too: a shell says there what it cannot do, and when a command ended by a signal, but for PIPE; dash says nothing
// of INT, and bash ends itself with what ended by INT.
//
// It starts no program. `-u` is `-p` to dash; `set -m` gives groups of processes to bash, which tells of signals outside of its POSIX mode only.
const lines = `
[ $$ = 1 ] || exit 1
exec 2>/dev/null ${nullDescriptor}>/dev/null >&${controlDescriptor} 4>&- 6>&- 7>&- 9>&-
for word in $1; do ulimit "\${word%=*}" "\${word#*=}" || case $word in -u=*) ulimit -p "\${word#*=}" ;; esac; done
echo ready || exit
exec 2>&${controlDescriptor}
group=
if [ "$BASH_VERSION" ]; then
  set -m +o posix
  unset -v SHLVL
else
  trap "" INT
  [ ! -x /usr/bin/setsid ] || group=/usr/bin/setsid
fi
while :; do
  (
    if [ "$BASH_VERSION" ]; then set -o posix; else trap - INT; fi
    read -r word <&${controlDescriptor} || exit
    command . "/proc/self/fd/${folderDescriptor}/$3"
    echo start >&${controlDescriptor}
    exit 126
  )
  code=$?
  while [ $$ = 1 ] && kill -0 -1 2>&${nullDescriptor}; do
    echo left
    read -r word <&${controlDescriptor} || exit
    [ -z "$word" ] || kill -9 -1 2>&${nullDescriptor}
    jobs >&${nullDescriptor}
  done
  [ -z "$2" ] || times
  echo "ended $code" || exit
done
`

/** For `sh -c`. */
export const hostScript: string = lines.trim()
