// What runs by `eval` in a fork of the shell host gives what a fresh bash gives, and what could notice the difference starts a bash.

import { describe, expect, test } from 'vitest'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { testBroker } from './support.ts'

const same: readonly string[] = [
  'true',
  ':',
  'false',
  'exit 3',
  'exit',
  'exit 256',
  'false; exit',
  'echo "$# $1 $2"; shift; echo "$@"',
  'printf %s "$*"',
  'echo $1$2 "$@" | wc -w',
  'echo hi | tr a-z A-Z',
  'printf "%s\\n" a b | while read -r x; do echo "<$x>"; done',
  'no-such-program',
  'echo one\nno-such-program',
  'echo out; echo err >&2; exit 4',
  'cd / && pwd; cd /nowhere',
  'cd nowhere 2>/dev/null || pwd',
  'mkdir d && cd d && pwd && cd .. && rmdir d',
  'x=5; echo "$x ${x:-y} ${y:-z} ${x#5} ${x%5}"',
  'x=abc; echo ${x/b/c} ${x//b/c} ${y:-$(pwd)}',
  'x=$(exit 3); echo $?',
  'if [ -d /usr ]; then echo yes; else echo no; fi',
  'for i in 1 2 3; do echo $i; done; echo $i',
  'while false; do :; done; until true; do :; done; echo $?',
  'case abc in a*) echo a ;; *) echo b ;; esac',
  'f() { echo "in $1"; }; f x; f y',
  'cat <<X\nhere $1\nX',
  "cat <<'X'\nhere $1\nX",
  '(exit 5); echo $?',
  'false || echo or; true && echo and; ! true; echo $?',
  'true | false | true; echo $?',
  'echo $(echo nested `echo deep`)',
  'printenv | cut -d= -f1 | grep -v -e SKILLCELL_COMMAND -e ^_ | sort',
  'echo "${words}${id}${index}${count}${code}${errors}${input}${round}${file}|"',
  'cat; echo end',
  'cat < nowhere',
  'read -r a b < /dev/null; echo $?',
  'ls -d /usr /nowhere',
  'ls | sort -r | head -1',
  'echo a >f; cat f; rm f; ls',
  "printf '%d\\n' nan",
  'test 1 -gt a',
  '[ a = b',
  '[[ a == a && 1 -lt 2 ]] && echo both',
  '# only a comment',
  'echo a#b # c',
  'sleep 0.01 & echo started',
  'echo "a;b" \'c d\' e\\ f',
  'test -t 1; echo $?',
  '/usr/bin/false',
  'seq 3 | xargs -n1 echo',
  "awk 'BEGIN { print 1 }'",
  "echo -e 'a\\tb'; echo * {1..3} ~",
  'head -c 5 /dev/zero | tr "\\0" x',
  'command -v ls; break; let x',
  'unset words; echo "a\nb" | wc -l',
  'echo \u00e9 "\u20ac"; printf %s "\u00e9" | wc -m',
  "find . -maxdepth 1 \\( -name 'a*' -o -type d \\) -name '*.(x)'",
  'find . -name "x y" -type f | wc -l',
  'ls /usr /nowhere 2>&1',
  'ls -d /usr >out; cat out',
  'ls -d /usr </nowhere',
  'ls /usr >/nowhere/file',
  'cd /usr && ls -d bin',
  'cd /nowhere && ls',
  'false || ls -d "$1" .',
  'env | grep -e ^SHL -e ^PWD -e ^OLD -e ^LANG; cd /; env | grep -e ^PWD -e ^OLD',
  'cat <<X\nthe last $1\nX',
  'seq 1 100000 | head -1',
  'sh -c "exit 9"',
  'env printenv LANG',
  'nowhere || ls -d /',
  'cd "$2" 2>/dev/null || ls -d /',
  'grep x /nowhere',
  'git --version',
  'type=1; echo $type; printf "%s\\n" export',
  'ls -d $(echo /usr) `echo /bin`',
  'x=/usr; ls -d "$x" ${x}',
  'ls *.none',
  'ls -d /u*',
]

describe.runIf(sandboxProblem() === undefined)('in a cell', () => {
  test('run() gives what bash -c gives', async () => {
    const plain = testBroker({ sandbox: 'off' })
    const cell = testBroker({ sandbox: 'required' })
    const request = { parameters: ['p one', 'p2'] }
    for (const script of same) {
      const [expected, result] = [await plain.run(script, request), await cell.run(script, request)]
      // Each has a workspace of its own.
      const output = result.output.replaceAll(cell.cwd, plain.cwd)
      expect([script, result.exitCode, output]).toEqual([script, expected.exitCode, expected.output])
    }
  })

  test('run() gives variables and stdin as bash -c gives them', async () => {
    const plain = testBroker({ sandbox: 'off' })
    const cell = testBroker({ sandbox: 'required' })
    const variables = { words: '(1 2)', id: "a b'$(id)", x: 'line\nline\n', USER: 'shown', empty: '', equals: 'a=b' }
    const request = { variables, stdin: 'one\ntwo\n', parameters: ['p'] }
    for (const script of [
      'printf "<%s>" "$words" "$id" "$x" "$USER" "$empty" "$equals" "$1"; printenv words id x USER',
      'cat; read -r y; echo "[$y]"',
      'read -r y; echo "$y"; cat',
      'wc -l',
    ]) {
      const [expected, result] = [await plain.run(script, request), await cell.run(script, request)]
      expect([script, result.exitCode, result.output]).toEqual([script, expected.exitCode, expected.output])
    }
  })
})
