// Whatever way a command runs in a cell, it gives what `bash -c` gives; and which texts go which way.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCommandText } from '../../src/shell/command-text.ts'
import { sandboxProblem } from '../../src/shell/sandbox.ts'
import { commandRequest, hosts, testBroker } from './support.ts'

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

describe.runIf(sandboxProblem() === undefined).each(hosts)('in a cell with %s', host => {
  test('run() gives what bash -c gives', async () => {
    const plain = testBroker({ sandbox: 'off' })
    const cell = testBroker({ sandbox: 'required', host })
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
    const cell = testBroker({ sandbox: 'required', host })
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

  test('run() gives a program the environment that bash -c gives it', async () => {
    const plain = testBroker({ sandbox: 'off' })
    const cell = testBroker({ sandbox: 'required', host })
    const request = { environment: { ARGUMENTS: "a'b\nc", CLAUDE_X: '' }, variables: { id: 'local' } }
    const linesOf = (output: string) =>
      output
        .split('\n')
        .filter(line => !/^(?:SKILLCELL_COMMAND|TMPDIR)=/.test(line))
        .sort()
    for (const script of ['printenv', '/usr/bin/printenv', 'false || printenv', 'printenv | cat', 'true; printenv; printenv 2>/dev/null']) {
      expect(readCommandText(commandRequest(script, { cwd: '/' })).direct, script).toBeDefined()
      const [expected, { output }] = [await plain.run(script, request), await cell.run(script, request)]
      expect([script, linesOf(output.replaceAll(cell.cwd, plain.cwd))]).toEqual([script, linesOf(expected.output)])
    }
  })

  test('run() gives a text the parameters of its request, also none', async () => {
    const plain = testBroker({ sandbox: 'off' })
    const cell = testBroker({ sandbox: 'required', host })
    for (const parameters of [[], ['a b', '']])
      for (const script of [
        '/bin/echo "$1" "$2" "$3"',
        '/bin/echo x "$@" y',
        'wc -c "$@"',
        '/usr/bin/printf "<%s>" x "$@""$1" "$@"',
        'printenv x "$@" || echo none',
      ]) {
        expect(readCommandText(commandRequest(script, { cwd: '/' })).direct, script).toBeDefined()
        const [expected, result] = [await plain.run(script, { parameters }), await cell.run(script, { parameters })]
        expect([script, result.exitCode, result.output]).toEqual([script, expected.exitCode, expected.output])
      }
  })

  test('run() gives a command that may ask for it a group of its own', async () => {
    const { run, cwd } = testBroker({ sandbox: 'required', host })
    writeFileSync(join(cwd, 'script'), '#!/bin/bash\nkill -TERM -- -$(ps -o pgid= -p $$ | tr -d " ")\necho not-reached\n', { mode: 0o755 })
    expect(await run('kill -TERM -- -$$; sleep 5')).toMatchObject({ exitCode: 143 })
    for (const script of ['./script', 'env ./script', 'env ./script | cat; exit "${PIPESTATUS[0]}"'])
      expect(await run(script), script).toMatchObject({ exitCode: 143, output: '' })
    expect(await run('env bash -c \'trap "kill -- -$$" EXIT\'')).toMatchObject({ exitCode: 143 })
    expect(await run('sleep 60 & kill 0; sleep 5')).toMatchObject({ exitCode: 143 })
    expect(await run('echo next')).toMatchObject({ exitCode: 0, output: 'next' })
  })
})

const render = (script: string, request: Parameters<typeof commandRequest>[1] = { cwd: '/' }) => {
  const { direct } = readCommandText(commandRequest(script, request))
  return direct?.render(name => `/bin/${name}`)
}

test.each([
  ['true', 'true'],
  ['ls', '_=/bin/ls SHLVL=0 exec ls'],
  ['git log -1 --format=%h HEAD~2 @{u}', '_=/bin/git SHLVL=0 exec git log -1 --format=%h HEAD~2 @{u}'],
  [`grep 'a b' "c \\d" e'f'"g"`, `_=/bin/grep SHLVL=0 exec grep 'a b' "c \\d" e'f'"g"`],
  ['cat "$1" "${2}" "$@"', '_=/bin/cat SHLVL=0 exec cat "$1" "${2}" "$@"'],
  ['ls 2>/dev/null', '_=/bin/ls SHLVL=1 exec ls 2>/dev/null'],
  ['ls 2>&1 | head -3', '_=/bin/ls SHLVL=1 ls 2>&1 | _=/bin/head SHLVL=1 head -3'],
  ['ls &>/dev/null && id || echo none', '_=/bin/ls SHLVL=1 ls >/dev/null 2>&1 && _=/bin/id SHLVL=1 id || echo none'],
  ['pwd; ls', 'pwd \n _=/bin/ls SHLVL=0 exec ls'],
  ["find . \\! -name 'x y' -type f", "_=/bin/find SHLVL=0 exec find . \\! -name 'x y' -type f"],
  ['git show "$1" --stat', '_=/bin/git SHLVL=0 exec git show "$1" --stat'],
  ["grep '$x' f", "_=/bin/grep SHLVL=0 exec grep '$x' f"],
  ['node --version', '_=/bin/node SHLVL=0 exec node --version'],
])('readCommandText() starts the programs of %j itself', (script, text) => {
  expect(render(script)).toBe(text)
})

test.each([
  // A builtin of bash, or one that says other words.
  ...[
    'kill -l',
    'printf x',
    'test -f a',
    '[ a ]',
    'cd /',
    'exit 1',
    'type ls',
    'time ls',
    'exec ls',
    'eval ls',
    '. ./f',
    'wait',
    'umask',
    'pwd -L',
  ],
  // An `echo` that reads its words.
  ...["echo 'a\\nb'", 'echo -n a', 'echo "-e"', 'echo "$1"', "echo ''-n"],
  // Words that bash reads in its own way, or that it makes something of.
  ...[
    'ls *',
    'ls {a,b}',
    'ls {1..3}',
    'ls ~',
    'ls a:~',
    'ls $x',
    'ls $1',
    'ls "$$"',
    'ls "$(id)"',
    'ls `id`',
    "ls $'a'",
    'ls "${x:-y}"',
    'ls "$*"',
  ],
  ...[
    'ls [a]',
    'ls ?',
    'ls "$0"',
    'ls "$10"',
    'ls "${10}"',
    'ls "$#"',
    'ls "$?"',
    'ls "$@$1"',
    'ls "x$@"',
    'ls \\a',
    'ls a#b',
    'ls "a\nb\\\n"',
    'ls \u00e9',
  ],
  // Where the output goes, and what surrounds it.
  ...['ls >f', 'ls <f', 'ls 3>&1', 'ls >&f', 'ls <<X\nX', 'ls <<<a', 'ls |& cat', '! ls', 'ls &', '(ls)', '{ ls; }', 'if ls; then id; fi'],
  ...['A=1 ls', 'A=1', '>/dev/null ls', 'f() { ls; }', 'ls >/dev/full', 'ls /dev/stdin', 'cat /proc/self/status', 'ls ""/proc'],
  // Who may look for a shell.
  ...['ps', 'pgrep x', '/bin/ps', 'setsid ls', 'nohup ls', 'make', 'npm test', 'env ls', 'python3 x', 'node x', 'bash -v', 'make version'],
  ...[
    'git commit',
    'git own-alias',
    'git branch --edit-description',
    'git tag -a v1',
    'find . -exec ls {} +',
    'find "$1"',
    'sort -o f',
    'uniq a b',
  ],
  ...['./ls', '/tmp/ls', 'a/b', '\\ls', '"ls"', 'ls (', '', '# nothing', ' '.repeat(2_001)],
])('readCommandText() leaves %j to bash', script => {
  expect(render(script)).toBeUndefined()
})

test('readCommandText() leaves to bash what is not its own, and what is long', () => {
  expect(render('true', { cwd: '/', shell: 'sh' })).toBeUndefined()
  expect(render('ls "$1"', { cwd: '/', parameters: ['x'.repeat(2_000)] })).toBeUndefined()
})

test('readCommandText() takes no longer for a word that has a thousand readings', () => {
  const startedAt = performance.now()
  expect(render(`ls "${'$aaaaaaaaa'.repeat(100)}"*`)).toBeUndefined()
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})
