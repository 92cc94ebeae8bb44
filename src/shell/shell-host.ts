// The program that runs in a cell as process 1: bash, which forks a shell for each command (SPEC R6.1, R17.1).
//
// Why a command gains nothing from living beside it:
// - It is an execute-only file, so it is not dumpable: its memory, descriptors and environment cannot be opened; ptrace and the like are refused
//   by seccomp as well. It is process 1: KILL and STOP from inside are ignored by the kernel, all other signals by it.
// - Control socket and capture folder are descriptors, closed in the fork before the command begins; there is no name by which to open them.
// - What it holds is the cell's own: no value of a command passes through it, each fork reads its request itself.
// - Whatever it could be made to say is an exit code of this cell's own commands, which those choose anyway. If it ends, the cell ends.
//
// `kill -9 -1` ends all that a command left. It stands behind a check that this is process 1, and cell.ts has compared the PID space with ours
// before the first request: outside of a space of its own it would end everything (SPEC R17.3).

import type { Environment } from './environment.ts'

export interface HostRequest {
  readonly cwd: string
  readonly environment: Environment
  /** Path of a shell to start; empty to run by `eval` (fork-eval.ts). */
  readonly program: string
  /** With argument 0; for `eval` the script and its parameters. */
  readonly arguments: readonly string[]
}

/** What the fork reads. NUL ends each part. */
export function encodeRequest({ cwd, environment, program, arguments: words }: HostRequest): string {
  const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return [cwd, program, String(pairs.length), ...pairs, ...words].map(part => `${part}\0`).join('')
}

/** Descriptors of the host: what it is asked and answers, and the folder of requests and captures. */
export const controlDescriptor = 3
export const folderDescriptor = 5

// A line in: id, name of the file for stderr, file for stdin. A line out: id and exit code, or id and `folder` when cwd cannot be entered.
// `wait` in: what is left of the command has the grace of a TERM, not the short time of a normal end.
// One line: a command that runs by `eval` counts its lines from that of the `eval`, and so from 1.
const lines = `
[[ $$ == 1 ]] || exit 1
exec 2>/dev/null
for file in /proc/self/fd/*; do
  case \${file##*/} in 0 | 1 | 2 | ${controlDescriptor} | ${folderDescriptor}) ;; *) eval "exec \${file##*/}>&-" ;; esac
done
trap '' {1..8} {10..16} {20..31} {34..64}
set -m
echo ready >&${controlDescriptor}
while IFS=' ' read -r -u ${controlDescriptor} id errors input; do
  [[ $id != wait ]] || continue
  (
    trap - {1..8} {10..16} {20..31} {34..64}
    mapfile -t -d '' words <"/proc/self/fd/${folderDescriptor}/$id.request"
    cd -P -- "\${words[0]}" || { echo "$id folder" >&${controlDescriptor}; exit 126; }
    exec ${controlDescriptor}>&- ${folderDescriptor}>&-
    unset -v OLDPWD
    count=\${words[2]}
    for ((index = 3; index < count + 3; index++)); do export "\${words[index]}"; done
    if [[ -n \${words[1]} ]]; then
      SHLVL=0
      exec -a "\${words[count + 3]}" "\${words[1]}" "\${words[@]:count + 4}"
      exit 126
    fi
    SHLVL=1
    __skillcell_script=\${words[count + 3]}
    set -- "\${words[@]:count + 4}"
    unset -v words count index id errors input code round last word file
    eval "unset -v __skillcell_script; $__skillcell_script"
  ) <"$input" >>"/proc/self/fd/${folderDescriptor}/$id.output" 2>>"/proc/self/fd/${folderDescriptor}/$id.$errors"
  code=$?
  if [[ $$ == 1 ]] && kill -0 -1; then
    last=15 word=
    for ((round = 0; round < last; round++)); do
      kill -0 -1 || break
      read -r -t 0.01 -u ${controlDescriptor} word
      [[ $word != wait ]] || last=1000000
    done
    while [[ $$ == 1 ]] && kill -9 -1; do read -r -t 0.002 -u ${controlDescriptor}; done
  fi
  echo "$id $code" >&${controlDescriptor}
done
`

/** For `bash -c`, with `bash` as argument 0, since that is the `$0` of commands. */
export const hostScript: string = lines
  .split('\n')
  .map(line => line.trim())
  .filter(line => line !== '')
  .map(line => (/(?:\bdo|\bthen|\()$/.test(line) ? `${line} ` : `${line}; `))
  .join('')
