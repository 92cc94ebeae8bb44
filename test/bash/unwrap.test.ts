import { describe, expect, test } from 'vitest'
import { launchers } from '../../src/bash/launchers.ts'
import { systemWrappers } from '../../src/bash/system-wrappers.ts'
import { type Unwrapped, unwrap } from '../../src/bash/unwrap.ts'
import { shownWord } from '../../src/bash/words.ts'
import { wrapperForm, wrapperNames } from '../../src/bash/wrappers.ts'
import { wordsOf } from './words-of.ts'

/** Commands as their words, `~` before a transparent one, code as `code(…)`, `!` before what only deny looks at. */
function told(command: string): string {
  return unwrap(wordsOf(command)).map(toldOne).join(' ; ')
}

function toldOne(part: Unwrapped): string {
  const mark = part.denyOnly ? '!' : ''
  if (part.kind === 'stdin-code') return `${mark}stdin`
  if (part.kind === 'code') return `${mark}code(${part.code ?? '?'})`
  const assignments = (part.assignments ?? []).map(({ name, value }) => `${name}=${value.value ?? '?'} `).join('')
  const directory = part.directory ? `@${shownWord(part.directory)} ` : ''
  return `${mark}${part.transparent ? '~' : ''}${assignments}${directory}${part.words.map(shownWord).join(' ')}`
}

describe('unwrap()', () => {
  test.each([
    // Transparent wrappers, and what makes them opaque.
    ['timeout 5 c a', '~c a'],
    ['timeout -s KILL -k 5 10 c a', '~c a'],
    ['timeout --preserve-status 10 c -x', '~c -x'],
    ['timeout 5', ''],
    ['timeout --new-option 5 c a', 'c a ; a'],
    ['timeout "$t" c a', 'c a ; a'],
    ['./timeout 5 c a', 'c a'],
    ['/usr/bin/timeout 5 c a', 'c a'],
    ['nice -n 10 c', '~c'],
    ['nice -5 c', '~c'],
    ['nice c', '~c'],
    ['nohup c a', '~c a'],
    ['stdbuf -oL -e 0 c', '~c'],
    ['/usr/bin/time -f %e c a', 'c a'],
    ['command c a', '~c a'],
    ['\\command c a', '~c a'],
    ['command -p c a', 'c a'],
    ['command -v c', ''],
    ['command -V c', ''],
    // Others.
    ['env c a', 'c a'],
    ['env -i A=1 B="$x" c a', 'A=1 B=? c a'],
    ['env -u HOME -C /x c', '@/x c'],
    ['env - c', 'c'],
    ['env A=1', ''],
    ['env', ''],
    ["env -S 'c a'", 'code(c a)'],
    ['/usr/bin/env -- c', 'c'],
    ['sudo -u root A=1 -- c', 'A=1 c'],
    ['sudo -u root -- c a', 'c a'],
    ['sudo -s c a', 'code(c a)'],
    ['sudo -l', ''],
    ['doas c', 'c'],
    ["su -c 'c a' nobody", 'code(c a)'],
    ["su nobody -c 'c a'", 'code(c a)'],
    ['su nobody', ''],
    ['runuser -u nobody c a', 'c a'],
    ['setsid -w c', 'c'],
    ['ionice -c2 -n7 c', 'c'],
    ['chrt -b 0 c', 'c'],
    ['taskset -c 0 c', 'c'],
    ['flock /l c a', 'c a'],
    ["flock /l -c 'c a'", 'code(c a)'],
    ['watch -n 1 c a', 'code(c a)'],
    ['watch -x c a', 'c a'],
    ['chroot / c', 'c'],
    ['busybox c a', 'c a'],
    ['exec -a git c a', 'c a'],
    ['exec', ''],
    ['builtin c a', 'c a'],
    ['strace -f -o f c a', 'c a'],
    ['gdb --args c a', 'c a'],
    ['gdb program', ''],
    ["script -qc 'c a' f", 'code(c a)'],
    ['systemd-run --user -p A=1 c a', 'c a'],
    ['firejail --x c a', 'c a ; a'],
    ['entr c a', 'c a'],
    ["entr -s 'c a'", 'code(c a)'],
    // Input is added.
    ['xargs c a', 'c a {}'],
    ['xargs -0 -n1 c', 'c {}'],
    ['xargs -I{} c {} a', 'c {} a'],
    ["xargs -I % sh -c 'c %'", 'sh -c c %'],
    ['xargs', ''],
    ['parallel c {} ::: a b', 'code(c {})'],
    ["parallel ::: 'c a' 'd b'", 'code(c a) ; code(d b)'],
    ['find . -name x -exec c {} \\; -ok d + \\;', 'c {} ; d +'],
    ['find . -exec c {} +', 'c {}'],
    ['find . -name -print', ''],
    ['fd x -x c', 'c {}'],
    ['fd x --exec=c {}', 'c {}'],
    ['fd x --exec="$p" a', '--exec="$p" a {}'],
    // git.
    ['git bisect run c a', 'c a'],
    ['git -C x bisect run c', 'c'],
    ['git bisect good', ''],
    ["git submodule foreach 'c a'", 'code(c a)'],
    ["git rebase -x 'c a' HEAD", '!code(c a)'],
    ['git status', ''],
    // Only deny looks.
    ["ssh -p 22 host 'c a' b", '!code(c a b)'],
    ['ssh host', ''],
    ['npx c a', '!c a'],
    ['npm exec c a', '!c a'],
    ['npm run c', ''],
    ['docker exec -it box c a', '!c a'],
    ['docker run --rm -v a:b image c a', '!c a'],
    ['docker compose exec web c a', '!c a'],
    ['docker ps', ''],
    ['kubectl -n x exec pod -- c a', '!c a'],
    ['kubectl exec pod', ''],
    ['poetry run c a', '!c a'],
    ['poetry install', ''],
    ['dotenvx run -f .env -- c a', '!c a'],
    ['direnv exec . c a', '!c a'],
    ['aws-vault exec prod -- c a', '!c a'],
    ['aws-vault list', ''],
    ['chamber exec service -- c a', '!c a'],
    ['mise exec node@20 -- c a', '!c a'],
    ["mise x -c 'c a'", '!code(c a)'],
    ['mise install', ''],
    ['dotenv -e .env -- c a', '!c a'],
    ['nix develop -c c a', 'c a'],
    ['nix shell x --command c a', 'c a'],
    ['nix build', ''],
    // Others that only start one.
    ['ssh-agent -t 5 c a', 'c a'],
    ['ssh-agent -k', ''],
    ['systemd-inhibit --what=sleep c a', 'c a'],
    ['fakechroot c a', 'c a'],
    ['catchsegv c a', 'c a'],
    ['dbus-launch --exit-with-session c a', 'c a'],
    ['lockf -t 5 file c a', 'c a'],
    ['cross-env A=1 c a', 'A=1 c a'],
    ["cross-env-shell A=1 'c a'", 'code(c a)'],
    ['script -q file c a', 'c a'],
    ["script file -qc 'c a'", 'code(c a)'],
    ['script file', ''],
    ['dtach -n sock -E c a', 'c a'],
    ['screen -dmS name c', '!c'],
    ['screen -ls', ''],
    ["screen -S name -X stuff 'c a'", '!stuff c a ; !c a'],
    ["concurrently -n x 'c a' 'd b'", 'code(c a) ; code(d b)'],
    ["watchexec -w src -e ts 'c a'", 'code(c a)'],
    ["rush -j 2 'c {}'", 'code(c {})'],
    // Code.
    ["sh -c 'c a'", 'code(c a)'],
    ["bash -lc 'c a' name", 'code(c a)'],
    ["bash -o pipefail -ec 'c a'", 'code(c a)'],
    ["bash -oc pipefail 'c a'", 'code(c a)'],
    ["bash -c -x 'c a'", 'code(c a)'],
    ["bash +O extglob --norc -c 'c a'", 'code(c a)'],
    ['bash -c "$x"', 'code(?)'],
    ["/bin/sh -c 'c a'", 'code(c a)'],
    ["zsh -c 'c a'", 'code(c a)'],
    ["fish --command='c a'", 'code(c a)'],
    ['bash', 'stdin'],
    ['sh -', 'stdin'],
    ['sh -s a b', 'stdin'],
    ['bash -x', 'stdin'],
    ['bash /dev/stdin', 'stdin'],
    ['bash ./script.sh a', ''],
    ['bash -x script.sh', ''],
    ['bash --version', ''],
    ['bash <(c a)', 'code(?)'],
    ['bash "$x"', 'code(?)'],
    ['bash "./$x"', ''],
    ["bash $x 'c a'", 'code(c a) ; code(?)'],
    ['bash --rcfile f script', 'code(?)'],
    ["eval 'c a'", 'code(c a)'],
    ['eval c "\'a b\'"', "code(c 'a b')"],
    ['eval c "$x"', 'code(?) ; c "$x"'],
    ['eval "$x"', 'code(?) ; "$x"'],
    ['parallel -j 2 c ::: a', 'code(c)'],
    ["parallel ::: 'c a' 'd b'", 'code(c a) ; code(d b)'],
    ['parallel -j 2', 'stdin'],
    ['parallel :::: f', 'code(?)'],
    ['parallel -a f', 'code(?)'],
    ['parallel --version', ''],
    ['sem --wait', ''],
    ["sg g 'c a'", 'code(c a)'],
    ["sg - g -c 'c a'", 'code(c a)'],
    ['source ./f', 'code(?)'],
    ['. f', 'code(?)'],
    ["trap 'c a' EXIT", 'code(c a)'],
    ['trap - EXIT', ''],
    ["trap '' INT", ''],
    ['trap -p', ''],
    ["compgen -C 'c a' x", 'code(c a)'],
    ["mapfile -C 'c a' x", 'code(c a)'],
    ["alias ls='c a' ll", 'code(c a)'],
    ['ls -la', ''],
    ['"$x" c', ''],
  ])('of %s is "%s"', (command, expected) => {
    expect(told(command)).toBe(expected)
  })

  test('peels one level at a time', () => {
    expect(told('sudo env A=1 timeout 5 c')).toBe('env A=1 timeout 5 c')
  })
})

describe('wrapperForm()', () => {
  test('knows every name once, and its row can be used', () => {
    const written = [...systemWrappers, ...launchers].flatMap(([names]) => names.split(',').map(name => name.trim()))
    expect(written.toSorted()).toEqual([...wrapperNames()].toSorted())
    for (const name of written) expect(wrapperForm(name), name).toBeDefined()
  })

  test('gives every sub-command row a program that has sub-commands', () => {
    for (const name of wrapperNames())
      if (name.includes(' ')) expect(wrapperForm(name.slice(0, name.lastIndexOf(' '))), name).toMatchObject({ subCommands: true })
  })
})
