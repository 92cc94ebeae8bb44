// Data: the programs of a system that start the program named by their operands, and the shells and builtins that run code.
// The keys are those of WrapperRow in wrappers.ts. Names are separated by commas.

import type { WrapperRow } from './wrappers.ts'

const timeout: WrapperRow = {
  options: '-k=text -s=text -v --kill-after=text --signal=text --preserve-status --foreground --verbose',
  skip: 1,
}

export const systemWrappers: readonly (readonly [names: string, row: WrapperRow])[] = [
  ['timeout', { ...timeout, transparent: true }],
  ['gtimeout', timeout],
  ['time', { transparent: true, options: '-p -v -f=text -q --format=text --portability --verbose --quiet' }],
  ['nice', { transparent: true, options: '-n=text -NUMBER --adjustment=text' }],
  ['nohup', { transparent: true, options: '' }],
  ['stdbuf', { transparent: true, options: '-i=text -o=text -e=text --input=text --output=text --error=text' }],
  ['command', { transparent: true, options: '-p -v -V', off: '-v -V', opaque: '-p' }],
  ['builtin', { options: '' }],
  ['exec', { options: '-c -l -a=text' }],
  [
    'env, genv',
    {
      options: `
      -i -0 -v -u=text -C=path -S=code --ignore-environment --null --debug --unset=text --chdir=path --split-string=code
      --block-signal[=text] --default-signal[=text] --ignore-signal[=text] --list-signal-handling --argv0=text -a=text`,
      assignments: true,
      dash: true,
      pure: true,
      opaque: '-C -S -a --chdir --split-string --argv0',
      directory: '-C --chdir',
    },
  ],
  [
    'sudo',
    {
      options: `
      -A -b -B -E -e -H -i -K -k -l -n -N -P -S -s -v -V -u=text -g=text -h=text -p=text -C=text -r=text -t=text -T=text -U=text
      -D=path -R=path -a=text --user=text --group=text --host=text --prompt=text --close-from=text --chdir=path --chroot=path
      --preserve-env[=text] --login --non-interactive --stdin --shell --background --set-home`,
      assignments: true,
      directory: '-D --chdir',
      asCode: '-s -i --shell --login',
    },
  ],
  ['doas', { options: '-L -n -s -a=text -C=path -u=text' }],
  [
    'su, runuser',
    {
      options: `
      -c=code -C=code -l -m -p -f -P -s=path -g=text -G=text -u=text -w=text --command=code --session-command=code --login
      --shell=path --group=text --user=text --preserve-environment --pty`,
      permutes: true,
      restWith: '-u --user',
      rest: 'nothing',
    },
  ],
  ['sg', { options: '', dash: true, skip: 1, rest: 'joined', codeBehind: '-c' }],
  ['setsid', { pure: true, options: '-c -f -w --ctty --fork --wait' }],
  ['ionice', { pure: true, options: '-c=text -n=text -t -p=text -P=text -u=text --class=text --classdata=text --ignore' }],
  [
    'chrt',
    {
      options: `
      -a -b -f -i -m -o -p -r -v -d -R -T=text -P=text -D=text --batch --fifo --idle --other --rr --deadline --reset-on-fork`,
      skip: 1,
    },
  ],
  ['taskset', { options: '-a -c -p --all-tasks --cpu-list --pid', skip: 1 }],
  [
    'numactl',
    {
      options: `
      -a -b -i=text -l -N=text -C=text -m=text -p=text --all --cpunodebind=text --physcpubind=text --membind=text --interleave=text
      --localalloc --preferred=text`,
    },
  ],
  [
    'prlimit',
    {
      options: `
      -p=text -o=text --pid=text --output=text --noheadings --raw --verbose --as[=text] --core[=text] --cpu[=text] --data[=text]
      --fsize[=text] --nofile[=text] --nproc[=text] --stack[=text] --rss[=text] -c[=text] -d[=text] -e[=text] -f[=text] -i[=text]
      -l[=text] -m[=text] -n[=text] -q[=text] -r[=text] -s[=text] -t[=text] -u[=text] -v[=text] -x[=text] -y[=text]`,
    },
  ],
  [
    'flock',
    {
      options: `
      -s -x -e -u -n -o -F -w=text -E=text --shared --exclusive --unlock --nonblock --nb --close --no-fork --wait=text --timeout=text
      --conflict-exit-code=text --verbose -c=code --command=code`,
      skip: 1,
      codeBehind: '-c --command',
    },
  ],
  [
    'watch',
    {
      options: `
      -b -c -C -d[=text] -e -g -n=text -p -q=text -r -s=text -t -w -x --beep --color --differences[=text] --errexit --chgexit
      --interval=text --precise --no-title --no-wrap --exec`,
      rest: 'joined',
      asCommand: '-x --exec',
    },
  ],
  ['chroot', { options: '--userspec=text --groups=text --skip-chdir', skip: 1 }],
  [
    'nsenter',
    {
      options: `
      -a -m[=text] -u[=text] -i[=text] -n[=text] -p[=text] -U[=text] -C[=text] -T[=text] -r[=text] -w[=text] -F -Z -t=text -S=text
      -G=text --target=text --all --mount[=text] --uts[=text] --ipc[=text] --net[=text] --pid[=text] --user[=text] --cgroup[=text]
      --root[=text] --wd[=text] --no-fork --preserve-credentials --setuid=text --setgid=text`,
    },
  ],
  [
    'unshare',
    {
      options: `
      -i[=text] -m[=text] -n[=text] -p[=text] -u[=text] -U[=text] -C[=text] -T[=text] -f -r -c -R=path -w=path -S=text -G=text --fork
      --map-root-user --map-current-user --mount-proc[=text] --mount[=text] --net[=text] --pid[=text] --user[=text] --uts[=text]
      --ipc[=text] --kill-child[=text] --root=path --wd=path --propagation=text`,
    },
  ],
  ['busybox, toybox', { options: '' }],
  ['capsh', { shellBehindDashes: true }],
  [
    'setpriv',
    {
      options: `
      --reuid=text --regid=text --clear-groups --keep-groups --init-groups --groups=text --ruid=text --euid=text --rgid=text
      --egid=text --no-new-privs --nnp --bounding-set=text --inh-caps=text --ambient-caps=text --securebits=text --pdeathsig=text
      --reset-env --selinux-label=text --apparmor-profile=text`,
    },
  ],
  [
    'strace, ltrace',
    {
      options: `
      -f -ff -F -c -C -d -D -i -k -n -q -r -t -tt -T -v -V -w -x -y -yy -z -Z -A -a=text -b=text -e=text -E=text -I=text -o=path
      -O=text -p=text -P=text -s=text -S=text -u=text -U=text -X=text -l=text --trace=text --output=path --string-limit=text
      --follow-forks --summary-only --summary`,
    },
  ],
  ['gdb, lldb', { options: '-q -n --args --quiet --batch -x=path', needs: '--args' }],
  ['valgrind', { options: '-v -q --tool=text --leak-check=text --log-file=path --trace-children=text --error-exitcode=text' }],
  ['perf', { subCommands: true }],
  ['perf stat, perf record, perf trace', { options: '-a -d -g -e=text -o=path -r=text -F=text -p=text -C=text' }],
  [
    'script',
    {
      options: `
      -a -c=code -e -f -q -B=path -I=path -O=path -T=path -m=text -E=text -o=text -t[=text] --command=code --append --return --flush
      --force --quiet --log-io=path --log-in=path --log-out=path --log-timing=path`,
      permutes: true,
      skip: 1,
      rest: 'nothing',
    },
  ],
  [
    'xargs',
    {
      options: `
      -0 -t -p -r -x -o -i[=text] -I=text -a=path -d=text -E=text -e[=text] -l[=text] -L=text -n=text -P=text -s=text -R=text -S=text
      -J=text --null --verbose --interactive --no-run-if-empty --exit --open-tty --replace[=text] --arg-file=path --delimiter=text
      --eof[=text] --max-lines[=text] --max-args=text --max-procs=text --max-chars=text --process-slot-var=text --show-limits`,
      adds: true,
    },
  ],
  [
    'parallel, sem',
    {
      off: '--version --help --citation --wait',
      options: `
      --version --help --citation --wait --id=text --fg --bg
      -0 -k -X -m -q -u -t -v -j=text -P=text -a=path -n=text -N=text -L=text -I=text -C=text -S=text -d=text -s=text -i=text
      --jobs=text --keep-order --bar --dry-run --eta --halt=text --joblog=path --timeout=text --retries=text --colsep=text
      --delimiter=text --arg-file=path --pipe --block=text --will-cite --no-notice --quote --tag --tmpdir=path --workdir=path
      --wd=path --env=text --results=path --sshlogin=text`,
      rest: 'joined',
      until: '::: :::: :::+ ::::+',
    },
  ],
  ['entr', { options: '-a -c -cc -d -n -p -r -s -z', asCode: '-s' }],
  [
    'nodemon',
    {
      options: `
      -e=text -w=path -i=path -x=code --exec=code --ext=text --watch=path --ignore=path --delay=text -q -V --quiet --verbose`,
      rest: 'nothing',
    },
  ],
  [
    'systemd-run',
    {
      options: `
      -t -P -q -G -d -S -r -u=text -p=text -H=text -M=text -E=text --user --system --scope --unit=text --property=text
      --description=text --slice=text --uid=text --gid=text --nice=text --working-directory=path --setenv=text --pty --pipe --wait
      --collect --quiet --no-block --on-active=text --on-boot=text --on-calendar=text`,
      directory: '--working-directory',
    },
  ],
  ['proxychains, proxychains4, tsocks, torsocks, torify', { options: '-q -f=path -i' }],
  [
    `
    firejail, bwrap, proot, fakeroot, faketime, dbus-run-session, xvfb-run, pkexec, setarch,
    linux64, linux32, i386, x86_64, uname26, ld.so, ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, run0, cgexec, chpst, softlimit, envdir, daemonize, start-stop-daemon, tini, dumb-init, gosu,
    su-exec, s6-setuidgid, eatmydata, rlwrap, choom, uclampset, setuidgid, envuidgid, runcon, ifne, cpulimit, timelimit, trickle, schedtool,
    systemd-nspawn, nsjail, minijail0, flatpak-spawn, sshpass, catatonit, setlock, multitime, heaptrack, rr, tsp, nq, retry, envchain, summon,
    env-cmd, arch, apptainer, singularity, lxc-attach, lxc-execute, pasta, slirp4netns`,
    { options: '', guesses: 8 },
  ],
  ['ssh-agent', { options: '-a=path -E=text -O=text -P=text -t=text -c -D -d -k -s', off: '-k' }],
  ['systemd-inhibit', { options: '--what=text --who=text --why=text --mode=text --list --no-pager --no-legend', off: '--list' }],
  ['catchsegv, fakechroot', { options: '-s -e=path -l=path -d=path -c=path -b=path --use-system-libs --elfloader=path --lib=path' }],
  ['dbus-launch', { options: '--auto-syntax --binary-syntax --close-stderr --exit-with-session --exit-with-x11 --sh-syntax --csh-syntax' }],
  ['lockf', { options: '-k -n -p -s -w -t=text', skip: 1 }],
  ['cross-env', { options: '', assignments: true }],
  ['cross-env-shell', { options: '', assignments: true, rest: 'joined' }],
  ['dtach, abduco', { options: '-a -A -c -n -N -p -r -e=text -E -z -l -f -q', skip: 1, optionsBehind: true }],
  [
    'screen',
    {
      sought: true,
      options: '-a -A -c=path -d -D -e=text -f -h=text -i -l -L -m -O -p=text -q -Q -r -R -s=path -S=text -t=text -T=text -U -v -x -X',
      guesses: 2,
    },
  ],
  ['concurrently, conc', { options: '-n=text -c=text -m=text -p=text -t=text -l=text -s=text -k -r -g -i --names=text', rest: 'codes' }],
  ['rush', { options: '-j=text -i=path -d=text -D=text -n=text -o=path -r=text -t=text -T=text -v=text -k -c -C=path', rest: 'codes' }],
  [
    'watchexec',
    {
      options: `
      -w=path -e=text -f=text -i=text -c[=text] -o=text -r -s=text -d=text -n -p -q -v -N -E=text -1 --watch=path --exts=text
      --filter=text --ignore=path --clear[=text] --restart --signal=text --debounce=text --shell=text --workdir=path --postpone --no-vcs-ignore`,
      rest: 'joined',
    },
  ],
  ['caffeinate', { options: '-d -i -m -s -u -t=text -w=text' }],
  ['unbuffer', { options: '-p' }],
  ['chronic', { options: '-e -v' }],
  [
    'hyperfine',
    {
      options: `
      -w=text -m=text -M=text -r=text -p=code -s=code -c=code -N -i -n=text -L=text -P=text -S=text --warmup=text --runs=text
      --min-runs=text --max-runs=text --prepare=code --setup=code --cleanup=code --conclude=code --export-json=path
      --export-markdown=path --shell=text --style=text --ignore-failure`,
      rest: 'codes',
    },
  ],
  ['find', { seeks: '-exec -execdir -ok -okdir' }],
  ['fd, fdfind', { seeks: '-x -X --exec --exec-batch', adds: true }],
  // Shells read code from -c, a file or stdin; their options are read by shell-invocation.ts.
  ['sh, bash, dash, ash, ksh, ksh93, mksh, zsh, fish, rbash, posh, yash, csh, tcsh', { shell: true }],
  ['eval', { options: '', rest: 'joined' }],
  ['source, .', { options: '', rest: 'file' }],
  ['trap', { options: '-l -p -P', off: '-l -p -P', rest: 'code' }],
  [
    'compgen, complete',
    {
      options: `
      -C=code -F=text -A=text -G=text -W=text -X=text -P=text -S=text -o=text -a -b -c -d -e -f -g -j -k -s -u -v -p -r -D -E -I`,
      permutes: true,
      rest: 'nothing',
    },
  ],
  ['mapfile, readarray', { options: '-C=code -c=text -d=text -n=text -O=text -s=text -u=text -t', permutes: true, rest: 'nothing' }],
  ['bind', { options: '-x=code -f=path -l -p -P -v -V -s -S -m=text -q=text -u=text -r=text -X', permutes: true, rest: 'nothing' }],
  ['alias', { options: '-p', rest: 'values' }],
]
