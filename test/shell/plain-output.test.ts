// Whose output may go to files: what is known to open none of them again. Anything else writes through pipes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCommandText } from '../../src/shell/command-text.ts'
import { commandRequest, sandboxes, testBroker } from './support.ts'

test.each([
  ['ls -l /usr', ['ls']],
  ['git log --oneline -3 --format="%h x" | head -3', ['git', 'head']],
  ['echo a >/dev/null', []],
  ['x=$(ls); echo "$x"', ['ls']],
  ['if [ -d "$HOME" ]; then cat a | sort -k2,2 | uniq -c; fi', ['cat', 'sort', 'uniq']],
  ['node --version', ['node']],
  ['git branch --show-current', ['git']],
  ['while read -r a b; do printf "%s\n" "$a"; done; [ "$x" = y ] || test -n "$x"; [ ! -f a ]', []],
  ['echo "${x:-y}" ${y#a}', []],
])('readCommandText() of %j: no output is opened again by %j', (script, programs) => {
  expect(readCommandText(commandRequest(script, { cwd: '/' }))).toMatchObject({ hasPlainOutput: true, programs })
})

test.each([
  ...[
    'git log --output=f',
    'git log "--format=$1"',
    'git log -p',
    'git show',
    'git status',
    'git diff',
    'git branch --edit-description',
    'git tag -a v1',
  ],
  ...['git branch new', 'git tag new', 'git remote add a b', 'git ls-files -m', 'git branch $x'],
  ...[
    'read -r P""ATH; ls',
    'printf -v P""ATH x; ls',
    'unset x',
    'read -r "$v"',
    'read v[0]',
    'printf "$x" v',
    "test -v 'a''[$(./x)]'",
    '[ -v "$v" ]',
  ],
  ...['[ $x ]', '[ "$a" "$b" ]', 'test "-v" x', '[[ $v -eq 0 ]]', 'echo "${HOSTNAME:v}"', 'echo ${a[0]}'],
  ...['npm test', 'bash -v', 'make version', 'file -C -m magic', './fold x', 'mv a b', 'uniq a b', 'sort -o f', 'find . -fprint f'],
  ...['echo a >f', 'echo a >/dev/stderr', 'for p in /proc/[0-9]*; do readlink $p/fd/1; done'],
  ...['command python3 x', 'trap ls EXIT', 'eval ls', 'exec ls', 'f() { ls; }; f', 'cat <(ls)', '$x', 'ls ('],
  ...['PATH=x fold y', 'PATH=x; fold y', 'read PATH; fold y', 'HOME=$PWD; git log', 'A=1 ls', 'for PATH in x; do fold y; done'],
  ...[
    "test -v 'a[$(./x)]'",
    "read 'a[$(./x)]'",
    'echo $(( a[$(id)] ))',
    "x='a[$(./x)]'; echo ${y:x}",
    "[[ 'a[`./x`]' -eq 0 ]]",
    'echo ${x@P}',
  ],
])('readCommandText() does not say of %j that no output is opened again', script => {
  expect(readCommandText(commandRequest(script, { cwd: '/' })).hasPlainOutput).toBe(false)
})

test.each(sandboxes)('run() loses no output to what only bears a known name, with sandbox %s', async sandbox => {
  const { run, cwd } = testBroker({ sandbox })
  mkdirSync(join(cwd, 'bin'))
  for (const name of ['fold', 'own'])
    writeFileSync(join(cwd, 'bin', name), '#!/bin/sh\necho first; echo second >/dev/stdout\n', { mode: 0o755 })
  for (const script of ['PATH=$PWD/bin:$PATH fold x', 'PATH=$PWD/bin:$PATH; fold x', 'PATH=$PWD/bin:$PATH; own --version', './bin/own'])
    expect(await run(script), script).toMatchObject({ output: 'first\nsecond' })
  expect(await run('bash -v', { stdin: 'echo one; echo two >/dev/stdout' })).toMatchObject({ output: 'one\ntwo' })
  writeFileSync(join(cwd, 'x'), '#!/bin/sh\necho e2 >/dev/stderr\n', { mode: 0o755 })
  for (const script of ["test -v 'a[$(./x)]'", "x='a[$(./x)]'; y=1; echo ${y:x}", "[[ 'a[$(./x)]' -eq 0 ]]", "read 'a[$(./x)]'"])
    expect((await run(`ls nope; ${script}; false`)).output, script).toMatch(/nope[\s\S]*e2/)
})
