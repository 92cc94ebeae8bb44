// The program that runs in a cell as process 1: bash, which forks a shell for each command (SPEC R6.1, R17.1).
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

import type { Environment } from './environment.ts'
import { pipeNames } from './output-pipes.ts'

export interface HostRequest {
  readonly cwd: string
  readonly environment: Environment
  /** Set, not exported; by `eval` only. */
  readonly variables: Environment
  /** Path of a shell to start; `?` and the name of a program that may take the place of the shell; empty to run by `eval` (fork-eval.ts). */
  readonly program: string
  /** Folder of the pipes that its output goes through (output-pipes.ts), from that of the captures; empty where it goes to the files. */
  readonly pipes: string
  /** With argument 0; for `eval` the script in two parts, `exec` may stand between them, and its parameters. */
  readonly arguments: readonly string[]
}

export interface EncodedRequest {
  /** NUL ends each part. */
  readonly text: string
  readonly parts: number
}

/** What the fork reads. The host has `base` already, so only what differs is told. */
export function encodeRequest(
  { cwd, environment, variables, program, pipes, arguments: words }: HostRequest,
  base: Environment,
): EncodedRequest {
  const gone = Object.keys(base).filter(name => !Object.hasOwn(environment, name))
  const exported = settings(Object.entries(environment).filter(([name, value]) => base[name] !== value))
  const set = settings(Object.entries(variables))
  const counts = [gone, exported, set].map(part => String(part.length))
  const parts = [cwd, program, pipes, ...counts, ...gone, ...exported, ...set, ...words]
  return { text: parts.map(part => `${part}\0`).join(''), parts: parts.length }
}

function settings(entries: readonly (readonly [string, string])[]): string[] {
  return entries.map(([name, value]) => `${name}=${value}`)
}

/** Descriptors of the host: what it is asked and answers, the folder of requests and captures, and /dev/null. */
export const controlDescriptor = 3
export const folderDescriptor = 5
const nullDescriptor = 8

// A line in: id of the captures, name of the file for stderr, file for stdin, and how many parts the request has, which stands in the cell's file
// `$3`, perhaps before some of a longer one that was there before. A line out: `ended` and the exit code, after the two lines of `times` if it was
// started with that word; before them `folder` when cwd cannot be entered. `wait` in: what is left of the command has the grace of a TERM, not the
// short time of a normal end; whoever says so ends the cell afterwards.
//
// The shell of the next command is forked ahead and sleeps until its line comes, since the fork costs more than all the rest. While a command
// runs there is no other. A page that is touched for the first time after a fork costs more than ten system calls, and a forked shell touches
// some hundred: that is why all of this does so little.
//
// No signal is handled: the kernel drops those that come from inside to a process 1 without a handler. One `trap`, or one `read` with a time limit,
// gives bash handlers for nearly all. So a host that had to wait for what a command left says `last` behind the code, and is replaced.
// Its stderr is the control socket too: bash says there when a shell ended by a signal, but for INT and PIPE. It would end itself with a shell
// that ended by INT, but for a trap and a fork in a function, where it is in no loop.
//
// All on one line: a command that runs by `eval` counts its lines from that of the `eval`, and so from 1.
// `exec` in place of a fork only for a program that the system owns: then nothing that `exec` words differently can go wrong.
const lines = `
[[ $$ == 1 ]] || exit 1
exec 2>/dev/null ${nullDescriptor}>/dev/null >&${controlDescriptor}
for __skillcell_word in /proc/self/fd/*; do
  case \${__skillcell_word##*/} in 0 | 1 | 2 | ${controlDescriptor} | ${folderDescriptor} | ${nullDescriptor}) ;; *) eval "exec \${__skillcell_word##*/}>&-" ;; esac
done
for __skillcell_word in $1; do ulimit "\${__skillcell_word%=*}" "\${__skillcell_word#*=}"; done
__skillcell_pauses=(0.0005 0.001 0.002 0.004)
set -m
echo ready || exit
exec 2>&${controlDescriptor}
while :; do
  (
    exec 2>&${nullDescriptor} ${nullDescriptor}>&-
    read -r -u ${controlDescriptor} __skillcell_id __skillcell_errors __skillcell_input __skillcell_count || exit
    exec <"$__skillcell_input" >>"/proc/self/fd/${folderDescriptor}/$__skillcell_id.output" 2>>"/proc/self/fd/${folderDescriptor}/$__skillcell_id.$__skillcell_errors"
    mapfile -t -d '' -n $__skillcell_count __skillcell_words <"/proc/self/fd/${folderDescriptor}/$3"
    if [[ $PWD != "\${__skillcell_words[0]}" ]]; then
      cd -P -- "\${__skillcell_words[0]}" || { echo folder >&${controlDescriptor}; exit 126; }
      unset -v OLDPWD
    fi
    if [[ -n \${__skillcell_words[2]} ]]; then
      __skillcell_word=/proc/self/fd/${folderDescriptor}/\${__skillcell_words[2]}
      exec >"$__skillcell_word/${pipeNames.output}"
      if [[ $__skillcell_errors == output ]]; then exec 2>&1; else exec 2>"$__skillcell_word/${pipeNames.errors}"; fi
    fi
    exec ${controlDescriptor}>&- ${folderDescriptor}>&-
    __skillcell_at=6 __skillcell_count=\${__skillcell_words[3]}
    [[ $__skillcell_count == 0 ]] || unset -v "\${__skillcell_words[@]:__skillcell_at:__skillcell_count}"
    __skillcell_at=$((__skillcell_at + __skillcell_count)) __skillcell_count=\${__skillcell_words[4]}
    [[ $__skillcell_count == 0 ]] || export "\${__skillcell_words[@]:__skillcell_at:__skillcell_count}"
    __skillcell_at=$((__skillcell_at + __skillcell_count)) __skillcell_count=\${__skillcell_words[5]}
    [[ $__skillcell_count == 0 ]] || declare "\${__skillcell_words[@]:__skillcell_at:__skillcell_count}"
    __skillcell_at=$((__skillcell_at + __skillcell_count))
    __skillcell_program=\${__skillcell_words[1]}
    if [[ $__skillcell_program == /* ]]; then
      SHLVL=0
      exec -a "\${__skillcell_words[__skillcell_at]}" "$__skillcell_program" "\${__skillcell_words[@]:__skillcell_at + 1}"
      exit 126
    fi
    __skillcell_exec=
    if [[ -n $__skillcell_program ]]; then
      __skillcell_program=\${__skillcell_program:1}
      if [[ $__skillcell_program != /* ]]; then
        hash -- "$__skillcell_program" 2>/dev/null
        __skillcell_program=\${BASH_CMDS[$__skillcell_program]}
      fi
      [[ $__skillcell_program != @(/usr|/bin|/sbin)/* || ! -f $__skillcell_program || ! -x $__skillcell_program ]] || __skillcell_exec='exec '
    fi
    __skillcell_word=\${__skillcell_words[__skillcell_at]}$__skillcell_exec\${__skillcell_words[__skillcell_at + 1]}
    set -- "\${__skillcell_words[@]:__skillcell_at + 2}"
    eval "unset -v \${!__skillcell_@}; $__skillcell_word"
  )
  __skillcell_code=$?
  if [[ $$ == 1 ]] && kill -0 -1 2>&${nullDescriptor}; then
    __skillcell_last=15 __skillcell_word=
    for ((__skillcell_round = 0; __skillcell_round < __skillcell_last; __skillcell_round++)); do
      kill -0 -1 2>&${nullDescriptor} || break
      read -r -t \${__skillcell_pauses[__skillcell_round]:-0.01} -u ${controlDescriptor} __skillcell_word
      [[ $__skillcell_word != wait ]] || __skillcell_last=1000000
    done
    while [[ $$ == 1 ]] && kill -9 -1 2>&${nullDescriptor}; do read -r -t 0.002 -u ${controlDescriptor}; done
    __skillcell_code+=' last'
  fi
  [[ -z $2 ]] || times
  echo "ended $__skillcell_code" || exit
done
`

/** For `bash -c`, with `bash` as argument 0, since that is the `$0` of commands. */
export const hostScript: string = lines
  .split('\n')
  .map(line => line.trim())
  .filter(line => line !== '')
  .map(line => (/(?:\bdo|\bthen|\bin|;;|\()$/.test(line) ? `${line} ` : `${line}; `))
  .join('')
