import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
  execFileSync('git', ['init', '-q', place.workspace])
  for (const path of ['a.txt', 'b.txt', 'sub/c.txt', 'secret/key', 'odd/x y']) place.write(path)
  place.write(`${place.home}/.ssh/id`)
  place.link('links/out', `${place.home}/.ssh/id`)
  place.link('way', place.home)
  place.write('flags/-o')
  execFileSync('git', ['init', '-q', join(place.workspace, 'nested')])
  mkdirSync(join(place.workspace, 'plain'))
  place.write('plain/x')
})
afterAll(() => place.remove())

// Allowed without a rule, beside what is near to it and asked.
const rows: readonly (readonly [allowed: string, asked: string])[] = [
  ['cat {a,b}.txt', 'cat {a,../../etc/b}.txt'],
  ['ls sub/{c.txt,d}', 'ls /{etc,usr}'],
  ['head -n {1,2}', 'git log {--output=x,HEAD}'],
  ['wc -l *.{txt,md}', 'wc -l {a,$x}.txt'],
  ['for f in *.txt; do head "$f"; done', 'for f in *.txt; do rm "$f"; done'],
  ['for x in a.txt b.txt; do cat "$x"; done', 'for x in a.txt /etc/passwd; do cat "$x"; done'],
  ['for x in a.txt b.txt; do cat $x; done', 'for x in "a.txt b"; do cat $x; done'],
  ['for f in *.txt; do cat "$f"; done', 'for f in *.txt; do cat $f; done'],
  ['for f in sub/*; do cat "$f"; done', 'for f in links/*; do cat "$f"; done'],
  ['for d in sub; do ls "$d"/*; done', 'for d in way; do cat "$d/.ssh/id"; done'],
  ['for d in sub plain; do ls "$d"; done', 'for d in sub ~; do ls "$d"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in ~/.ssh/id; do cat "$f"; done'],
  ['for f in {a,b}.txt; do [ -f "$f" ] && head -1 "$f"; done', 'for f in {a,b}.txt; do [ -f "$f" ] && sh "$f"; done'],
  ['for f in *.txt; do wc -l < "$f"; done', 'for f in *.txt; do wc -l > "$f"; done'],
  ['for i in 1 2 3; do head -n "$i" a.txt; echo $((i+1)); done', 'for i in 1 x; do echo $((i+1)); done'],
  ['for i in 1; do for f in a.txt; do head -n "$i" "$f"; done; done', 'for i in 1; do for f in -z; do find "$f" "$i"; done; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do f=/etc/passwd; cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do read -r f; cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do :; done; cat "$f"'],
  ['for f in a.txt; do cat "$f"; done', 'g() { cat "$f"; }; for f in a.txt; do g; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do cd sub; cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do declare "f=/etc/passwd"; cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in a.txt; do n=f; printf -v "$n" /etc/passwd; cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in $(ls); do cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f; do cat "$f"; done'],
  ['for f in a.txt; do cat "$f"; done', 'for f in "$x"; do cat "$f"; done'],
  ['for f in flags/*; do cat "$f"; done', '(cd flags; for f in *; do cat "$f"; done)'],
  ['x=a.txt; cat "$x"', 'x=~/.ssh/id; cat "$x"'],
  ['x=a.txt; cat "$x"', 'x=a.txt; declare "x=/etc/passwd"; cat "$x"'],
  ['x=a.txt; cat "$x"', 'x=a.txt; command read -r x <<< /etc/passwd; cat "$x"'],
  ['x=a.txt; cat "$x"', 'x=a.txt; declare -n y=x; y=/etc/passwd; cat "$x"'],
  ['cat "$PWD/a.txt"', 'cat "$PWD/../x"'],
  ['ls $PWD', 'PWD=/etc; ls "$PWD"'],
  ['cd sub && cat "$PWD/c.txt"', 'cd "$x" && cat "$PWD/c.txt"'],
  ['git -C . status', 'git -C .. status'],
  ['git -C sub log --oneline', 'git -C sub push'],
  ['git -C sub log', 'git -C nested log'],
  ['git -C sub diff --no-index c.txt ../a.txt', 'git -C sub diff --no-index c.txt ../../a.txt'],
  ['cd sub && git status', 'cd nested && git status'],
  ['git -C sub log', 'git -C "$x" log'],
  ['git -C sub log', 'git -C sub -C .. log'],
  ['git -C sub log', 'git -C way log'],
  ['node -v', 'node -v x.js'],
  ['npm -v', 'yarn -v'],
  ['python3 -V', 'cargo --version'],
  ['java -version', 'go version'],
  ["find . -type f -name '*.txt' -print0 | xargs -0 wc -l", "find . -name '*.txt' -print0 | xargs -0 wc -l"],
  ['find sub -type f | xargs cat', 'find sub -print -type f | xargs cat'],
  ["find sub -name '*.txt' -type f | xargs cat", "find sub -name '*.txt' -print -type f | xargs cat"],
  ['find sub -maxdepth 1 -type f -print | xargs cat', 'find sub -type d -o -type f | xargs cat'],
  ['find sub -type f -print0 | xargs -0 cat', 'find sub -print0 -type f | xargs -0 cat'],
  ['find sub -size +0 -type f | xargs cat', 'find sub -type d , -type f | xargs cat'],
  ['find sub -type f | xargs wc -l', 'find sub -type f | xargs uniq'],
  ['find sub -type f | xargs -I {} uniq {}', 'find sub -type f | xargs xxd'],
  ['ls sub/*', 'ls sub/* | xargs uniq'],
  ['[[ -f a.txt ]]', '[[ -f /etc/passwd ]]'],
  ['[[ ! -d sub && ( -n x || a == b ) ]]', '[[ -n x || -e ~/.ssh/id ]]'],
  ['[[ a.txt -nt b.txt ]]', '[[ a.txt -nt /etc/passwd ]]'],
  ['[[ -f a.txt ]]', '[[ -f $x ]]'],
  ['[[ -f a.txt && 1 -eq 1 ]]', '[[ -f a.txt && x -eq 1 ]]'],
  ['[[ -f *.txt ]]', '[[ -f links/out ]]'],
  ['(cd sub; cat $PWD/c.txt)', '(cd way; cat $PWD/.ssh/id)'],
  ['cd sub; cat "$PWD/c.txt"', 'cd sub; cat "$PWD/../../../etc/passwd"'],
  ['cd sub; cat "$PWD"/c.txt', 'cd sub; PWD=/etc; cat "$PWD"/passwd'],
  ['for d in sub plain; do (cd "$d" && ls); done', 'for d in sub way; do (cd "$d" && ls); done'],
  ['for d in pl*/; do (cd "$d" && ls); done', 'for d in w*/; do (cd "$d" && cat .ssh/id); done'],
  ['for d in pl*/; do (cd "$d" && pwd); done; ls', 'for d in pl*/; do cd "$d" && cat ../a.txt; done'],
  ['for d in sub; do (cd "$d" && ls); done; cat a.txt', 'for d in none*/; do (cd "$d" && ls); done'],
  ['for d in sub; do x=$(cd "$d" && ls); done', 'f() { cd way; }; for d in sub; do f; cat .ssh/id; done'],
  ['while read -r d; do (cd sub && ls); done', 'while read -r d; do (cd "$d" && ls); done'],
  ['env cat a.txt', 'env cat /etc/passwd'],
  ['env LC_ALL=C sort a.txt', 'env LD_PRELOAD=./x sort a.txt'],
  ['env -i cat a.txt', 'env -C .. cat a.txt'],
  ['env -u X ls', "env -S 'ls'"],
  ['setsid cat a.txt', 'setsid rm a.txt'],
  ['setsid -w env cat a.txt', './setsid cat a.txt'],
  ['ionice -c3 wc -l a.txt', 'ionice --unheard cat a.txt'],
  ['env timeout 5 cat a.txt', 'env PATH=. cat a.txt'],
  ['find sub -type f | xargs cat', 'find odd -type f | xargs cat'],
  ['find odd -type f -print0 | xargs -0 cat', 'find odd -type f -print0 | xargs cat'],
  ['find sub -type f | sort -r | head -5 | xargs head -1', 'find sub -type f | head -c 5 | xargs cat'],
  ['find sub -type f | grep -v x | xargs cat', 'find sub -type f | grep -o /c | xargs cat'],
  ['find sub -type f 2>/dev/null | xargs grep -n x', 'find sub -type f 2>&1 | xargs grep -n x'],
  ['find sub -type f | xargs -n 1 -I{} head -1 {}', "find sub -type f | xargs -I{} sh -c 'cat {}'"],
  ['find sub -type f | xargs cat', 'find sub -type f |& xargs cat'],
  ['find sub -type f | xargs cat', 'find sub -type f | (read -n 1 x; xargs cat)'],
  ['find sub -type f | xargs cat', 'find sub ! -type f | xargs cat'],
  ['find sub -type f | xargs cat', 'find sub -type f -o -type l | xargs cat'],
  ['find sub -type f | xargs cat', "find sub -type f -printf '/etc/%f\\n' | xargs cat"],
  ['find sub -type f | xargs cat', 'find /etc -type f | xargs cat'],
  ['find sub -type f | xargs cat', 'find sub -type f | xargs rm'],
  ['find sub -type f | xargs cat', 'find sub -type f | xargs -a a.txt cat'],
  ['find sub -type f | xargs cat', 'find sub -type f | xargs cat < a.txt'],
  ['find sub -type f | xargs sort', 'find sub -type f | xargs sort -o'],
  ['find sub -type f | xargs grep x', 'find sub -type f | xargs grep x -e'],
  ['(cd sub && ls | xargs wc -l)', '(cd links && ls | xargs cat)'],
  ['(cd sub && ls | xargs cat)', '(cd flags && ls | xargs cat)'],
  ['(cd sub && ls | xargs cat)', '(cd sub && ls -a | xargs cat)'],
  ['(cd sub && ls -1 | xargs cat)', '(cd sub && ls -l | xargs cat)'],
  ['(cd plain && ls | xargs cat)', 'ls plain | xargs cat'],
  ['(cd plain && ls | xargs cat)', 'cat a.txt | xargs cat'],
]

describe('what only reads is allowed without a rule', () => {
  test.each(rows)('%s, and not %s', async (allowed, asked) => {
    expect(await place.decide(allowed)).toMatchObject({ decision: 'allow' })
    expect(await place.decide(asked)).toMatchObject({ decision: 'ask' })
  })
})

describe('a rule sees each value of a loop', () => {
  test.each([
    ['for c in push; do git "$c" x; done', { allow: ['Bash'], deny: ['Bash(git push *)'] }, 'deny'],
    ['for c in status push; do git "$c"; done', { allow: ['Bash(git *)'], deny: ['Bash(git push *)'] }, 'deny'],
    ['for c in status log; do git "$c"; done', { allow: ['Bash(git *)'], deny: ['Bash(git push *)'] }, 'allow'],
    ['for f in a.txt secret/key; do cat "$f"; done', { deny: ['Read(secret/**)'] }, 'deny'],
    ['for f in secret/*; do cat "$f"; done', { deny: ['Read(secret/**)'] }, 'ask'],
    ['for f in a.txt; do cat "$f"; done', { deny: ['Read(secret/**)'] }, 'allow'],
    ['for c in ls; do $c; done', { allow: ['Bash(ls)'] }, 'ask'],
    ['cat {a.txt,secret/key}', { deny: ['Read(secret/**)'] }, 'deny'],
    ['git {push,origin}', { allow: ['Bash'], deny: ['Bash(git push *)'] }, 'deny'],
    ['find sub -type f | xargs cat', { deny: ['Bash(cat *)'] }, 'deny'],
    ['find sub -type f | xargs cat', { ask: ['Bash(xargs *)'] }, 'ask'],
    ['find . -type f | xargs cat', { deny: ['Read(secret/**)'] }, 'ask'],
    ['git -C secret diff --no-index a key', { deny: ['Read(secret/**)'] }, 'deny'],
  ])('%s', async (command, rules, decision) => {
    expect(await place.decide(command, rules)).toMatchObject({ decision })
  })

  test('up to 64 of them', async () => {
    const loop = (count: number): string => `for i in ${'a.txt '.repeat(count)}; do cat "$i"; done`
    expect(await place.decide(loop(64))).toMatchObject({ decision: 'allow' })
    expect(await place.decide(loop(65))).toMatchObject({ decision: 'ask' })
    const commands = (count: number): string => `for i in {1..64}; do ${'head -n "$i" a.txt; '.repeat(count)} done`
    expect(await place.decide(commands(4))).toMatchObject({ decision: 'allow' })
    expect(await place.decide(commands(5))).toMatchObject({ decision: 'ask' })
  })
})

describe('deny and ask see a sub-command behind options', () => {
  test.each([
    ['git --no-pager push origin', 'Bash(git push *)'],
    ['/usr/bin/git -C sub push', 'Bash(git push)'],
    ['git -C "$x" push', 'Bash(git push *)'],
    ['git --what x push', 'Bash(git push)'],
    ['env git -P log', 'Bash(git log *)'],
    ['docker --context x rm y', 'Bash(docker rm *)'],
    ['npm --loglevel silent publish', 'Bash(npm publish)'],
    ['kubectl -n x delete pod', 'Bash(kubectl delete *)'],
  ])('%s', async (command, rule) => {
    expect(await place.decide(command, { allow: ['Bash'], deny: [rule] })).toMatchObject({ decision: 'deny' })
    expect(await place.decide(command, { allow: ['Bash'], ask: [rule] })).toMatchObject({ decision: 'ask' })
    expect(await place.decide(command, { allow: ['Bash'], deny: [rule.replace(/push|log|rm|publish|delete/, 'other')] })).toMatchObject({
      decision: 'allow',
    })
  })
})

test('a refusal names the file that lies elsewhere, once quoted', async () => {
  expect((await place.decide('cat links/*')).reason).toContain('"links/out" lies outside the workspace')
  expect((await place.decide('for f in links/*; do cat "$f"; done')).reason).toContain('"links/out" lies outside')
  expect((await place.decide('cat ./"$x"')).reason).toContain('("./$x" is not a literal path)')
  expect((await place.decide('for f in /etc/passwd; do cat "$f"; done')).reason).toContain('"/etc/passwd" lies outside')
})

test('a program behind a pure wrapper is still seen by rules', async () => {
  expect((await place.decide('env cat a.txt', { deny: ['Bash(cat *)'] })).decision).toBe('deny')
  expect((await place.decide('env cat a.txt', { allow: ['Bash(cat *)'] })).decision).toBe('allow')
  expect((await place.decide('env make', { allow: ['Bash(make *)'] })).decision).toBe('ask')
})
