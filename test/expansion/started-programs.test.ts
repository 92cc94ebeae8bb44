import { describe, expect, test } from 'vitest'
import { wrapperForm, wrapperNames } from '../../src/bash/wrappers.ts'
import { planExpansion } from '../../src/expansion/expand.ts'
import { request } from './request.ts'

function refusalOf(command: string): string | undefined {
  const [planned] = planExpansion(request(`\`\`\`\`!\n${command}\n\`\`\`\``, 'a b', { hasArgumentHint: true })).commands
  if (!planned) throw new Error('No command was planned')
  return planned.refusal
}

/** How each program of the table is made to start a command. */
const starters = [...wrapperNames()].flatMap(name => {
  const form = wrapperForm(name)
  if (form?.rest !== 'command' || form.subCommands || form.shell) return []
  const skipped = 'x '.repeat(form.skip)
  if (form.behindDashes) return [`${name} x -- `]
  return [...form.seeks, ...form.needs].length > 0 ? [...form.seeks, ...form.needs].map(word => `${name} ${word} `) : [`${name} ${skipped}`]
})

describe('planExpansion() knows every program that starts another', () => {
  test('so the table is read', () => {
    expect(starters.length).toBeGreaterThan(100)
  })

  test.each(starters)('%s may not take an argument to a shell', before => {
    expect(refusalOf(`${before}sh -c "$1"`)).toBeDefined()
    expect(refusalOf(`${before}python3 -c "$ARGUMENTS"`)).toBeDefined()
  })

  test.each(starters)('%s may not start an argument', before => {
    expect(refusalOf(`${before}"$1" x`)).toBeDefined()
  })
})

describe('planExpansion() refuses an argument among the words of the program that starts another', () => {
  test.each([
    'timeout "$1" ls',
    'sudo -u "$1" ls',
    'xargs -a "$1" cat',
    'conda run -n "$1" pytest',
    'env -S "$1"',
    'env PATH="$1" ls',
    'flock "$1" cat f',
    'flock f "$1"',
    'flock -w "$1" f cat f',
    'flock f -c "cat $1"',
    'flock f sh -c "$1"',
    'setpriv --reuid "$1" cat f',
    'strace -o "$1" cat f',
    'busybox sh -c "$1"',
    'busybox "$1"',
    'watch cat "$1"',
    'capsh -- -c "$1"',
    'systemd-run cat "$1"',
    'env $ARGUMENTS ls',
    'git rebase --exec "$1"',
    'fd . --exec="$1"',
    'echo "$1" | numactl bash',
    'echo "$1" | xargs -n1 nice sh -c',
    'echo "$1" | xargs -I@ env sh -c "echo @"',
    'echo "$1" | env -S bash',
  ])('%s', command => {
    expect(refusalOf(command)).toBeDefined()
  })
})

describe('planExpansion() lets the started program have it as data', () => {
  test.each([
    'uv run pytest "$1"',
    'bundle exec rspec "$1"',
    'perf stat cat "$1"',
    'numactl -N 0 cat "$1"',
    'nice -n 5 timeout 9 cat "$1"',
    'env A="$1" B=$2 -- cat "$1"',
    '/usr/bin/env python3 s.py "$1"',
    'unbuffer cat "$1"',
    'timeout 5 cat "$1"',
    'nice cat "$1"',
    'env cat "$1"',
    'flock f cat "$1"',
    'flock -w 5 f git log -- "$1"',
    'setpriv --no-new-privs cat "$1"',
    'strace -f cat "$1"',
    'unshare -n cat "$1"',
    'busybox cat "$1"',
    'fd "$1" -x cat',
    'git -C sub log "$1"',
    'npm run build -- "$1"',
    'echo "$1" | xargs -r -n1 grep x',
    'echo "$1" | xargs -I{} cp {} d',
    'echo "$1" | env cat',
    'command -v "$1"',
  ])('%s', command => {
    expect(refusalOf(command)).toBeUndefined()
  })
})

describe('planExpansion() keeps an argument from a program text that can run things', () => {
  test.each([
    ['awk -v x="$1" \'BEGIN{system(x)}\'', 'awk -v x="$1" \'BEGIN{print x}\''],
    ['awk \'{system($0)}\' x="$1" f', 'awk \'{print x}\' x="$1" f'],
    ['awk \'BEGIN{system(ARGV[1])}\' "$1"', 'awk \'BEGIN{print "system"}\' "$1"'],
    ['awk -v c="$1" \'BEGIN{c | getline x; print x}\'', 'awk -v c="$1" \'c || x {print}\' f'],
    ['awk -v c="$1" \'{print | c}\' f', 'awk \'{print}\' "$1" | sort'],
    ['echo "$1" | awk \'{system($0)}\'', 'echo "$1" | awk \'{print $1}\''],
    ['gawk -v x="$1" -e \'BEGIN{system(x)}\'', 'gawk -v x="$1" -e \'BEGIN{print x}\''],
    ['timeout 5 awk -v x="$1" \'BEGIN{system(x)}\'', 'awk \'BEGIN{system("ls")}\'; echo "$1"'],
    ['echo "$1" | sed \'s/x/y/e\'', 'echo "$1" | sed \'s/x/y/\''],
    ['echo "$1" | sed e', 'sed \'s/e/w/\' "$1"'],
    ['python3 -c \'import os,sys; os.system(sys.argv[1])\' "$1"', 'python3 -c \'import sys; print(sys.argv[1])\' "$1"'],
  ])('%s', (refused, allowed) => {
    expect(refusalOf(refused)).toBeDefined()
    expect(refusalOf(allowed)).toBeUndefined()
  })
})

describe('planExpansion() runs nothing relative in a folder that an argument chose', () => {
  test.each([
    ['cd "$1" && ./x', 'cd "$1" && ls ./x'],
    ['cd "$1" && timeout 5 bin/x', 'cd "$1" && timeout 5 git status'],
    ['cd "$1" && bash x.sh', 'cd "$1" && bash /opt/x.sh'],
    ['cd "$1"; . ./x', 'cd sub; . ./x; echo "$1"'],
    ['cd "$1" && python3 x.py', 'cd "$1" && python3 --version'],
    ['pushd $1; ../x; popd', './x "$1"; cd "$1"'],
    ['d=$1; cd "$d"; env A=1 ./x', 'd=sub; cd "$d"; ./x "$1"'],
    ['for i in 1 2; do ./x; cd "$1"; done', 'for i in 1 2; do ls; cd "$1"; done'],
    ['(cd "$(dirname "$1")" && ./x)', '(cd "$(dirname "$1")" && "$HOME/x")'],
    ['command cd -- "$1" && ./x', 'command cd -- sub && ./x "$1"'],
    ['cd "$1"; PATH=. x', 'cd "$1"; PATH=/opt/bin x'],
    ['cd "$1"; PATH=/bin: x', 'PATH=.; echo "$1"'],
    ['export PATH="bin:$PATH"; cd "$1"; x', 'export PATH="$HOME/bin:$PATH"; cd "$1"; x'],
    ['cd "$1"; env PATH=. x', 'cd "$1"; env A=. x'],
    ['cd "$1"; PATH+=:. ; x', 'cd sub; PATH+=:. ; x "$1"'],
    ['cd "$1"; LD_PRELOAD=./x.so ls', 'cd "$1"; LD_PRELOAD=/x.so ls'],
    ['cd "$1" && bash -c ./x', 'cd "$1" && bash -c ls'],
    ['cd "$1" && bash -c "ls; env A=1 ./x"', 'cd "$1" && bash -c "ls ./x"'],
    ['cd "$1" && timeout 5 sh -c "sh -c ./x"', 'cd "$1" && timeout 5 sh -c "sh -c pwd"'],
    ['cd "$1" && sh -c "PATH=. x"', 'cd "$1" && sh -c "A=. x"'],
    ['cd "$1" && eval ./x', 'cd "$1" && eval "ls -la"'],
    ['cd "$1" && bash <<\'E\'\n./x\nE', 'cd "$1" && cat <<\'E\'\n./x\nE'],
    ['f() { ./x; }; cd "$1"; f', 'f() { ls; }; cd "$1"; f'],
  ])('%s', (refused, allowed) => {
    expect(refusalOf(refused)).toBeDefined()
    expect(refusalOf(allowed)).toBeUndefined()
  })
})

describe('planExpansion() lets no argument choose what a program of many commands does', () => {
  test.each([
    ['git "$1" "$2" "$3"', 'git log "$1" "$2" "$3"'],
    ['git $ARGUMENTS', 'git log $ARGUMENTS'],
    ['git "$1"', 'git status "$1"'],
    ['git -C sub "$1"', 'git -C "$1" log'],
    ['git -c "$1" log', 'git -p log "$1"'],
    ['git -C $ARGUMENTS log', 'git -C sub log $ARGUMENTS'],
    ['git --unheard x "$1"', 'git --unheard log -- "$1"'],
    ['git --exec-path="$1" log', 'git --no-pager log "$1"'],
    ['timeout 5 git "$1"', 'timeout 5 git show "$1"'],
    ['git submodule "$1" "$2"', 'git submodule status "$1"'],
    ['npm "$1"', 'npm run build -- "$1"'],
    ['npm --prefix "$1" run build', 'npm --workspace "$1" run build'],
    ['pnpm $ARGUMENTS', 'pnpm test $ARGUMENTS'],
    ['docker "$1" x', 'docker logs "$1"'],
    ['docker -H "$1" ps', 'docker ps --filter "$1"'],
    ['kubectl "$1"', 'kubectl -n "$1" get pods'],
    ['kubectl --kubeconfig "$1" get pods', 'kubectl get pods "$1"'],
    ['busybox "$1"', 'busybox cat "$1"'],
    ['uv "$1"', 'uv run pytest "$1"'],
    ['gh "$1" "$2"', 'gh pr view "$1"'],
    ['cargo $ARGUMENTS', 'cargo test $ARGUMENTS'],
    ['go "$1"', 'go test "$1"'],
  ])('%s', (refused, allowed) => {
    expect(refusalOf(refused)).toBeDefined()
    expect(refusalOf(allowed)).toBeUndefined()
  })
})
