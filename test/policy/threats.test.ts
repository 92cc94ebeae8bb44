import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecisionKind } from '../../src/policy/decision.ts'
import { createPlace, type Place, type Rules } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
  for (const path of ['a.txt', 'b.txt', 'secret/key.pem', `${place.home}/.ssh/id`]) place.write(path)
  place.link('inner', 'secret')
})
afterAll(() => place.remove())

const guarded: Rules = { allow: ['Bash(echo *)', 'Bash(cat *)'], deny: ['Bash(mark:*)'] }
const guardedBlanket: Rules = { allow: ['Bash'], deny: ['Bash(mark *)'] }
const asking: Rules = { allow: ['Bash'], ask: ['Bash(mark *)'] }
const secret: Rules = { allow: ['Bash(cat *)', 'Bash(send *)', 'Bash(cd *)'], deny: ['Read(./secret/**)'] }
const moving: Rules = { allow: ['Bash(cat *)', 'Bash(cd *)', 'Bash(pushd *)'] }
const secretBlanket: Rules = { allow: ['Bash'], deny: ['Read(./secret/**)'] }
const sshBlanket: Rules = { allow: ['Bash'], deny: ['Read(~/.ssh/**)'] }

// `mark` stands for whatever must not run. Each threat has harmless twins.
const rows: readonly (readonly [vector: string, command: string, rules: Rules, decision: DecisionKind])[] = [
  ['base name behind an expansion', '"$HOME/bin/mark" x', guarded, 'deny'],
  ['base name behind an expansion', '"$X/mark" x', guarded, 'deny'],
  ['base name behind an expansion', '"$X"/mark x', guarded, 'deny'],
  ['base name behind an expansion', '"$X/marker" x', guardedBlanket, 'ask'],
  ['blank in a name', '"cat a/b" x', guarded, 'ask'],
  ['blank in a name', 'cat\\ a.txt', guarded, 'ask'],
  ['blank in a name', 'timeout 5 "cat a.txt"', guarded, 'ask'],
  ['blank in a name', '"cat a.txt"', { allow: ['Bash'] }, 'allow'],
  ['blank in a name', '"cat" "a b"', guarded, 'allow'],
  ['wrapper', "sg staff 'mark x'", guardedBlanket, 'deny'],
  ['wrapper', "sg staff -c 'mark x'", guardedBlanket, 'deny'],
  ['wrapper', 'sg staff true', guardedBlanket, 'allow'],
  ['wrapper', 'setuidgid nobody mark x', guardedBlanket, 'deny'],
  ['wrapper', 'runcon -t some_t mark x', guardedBlanket, 'deny'],
  ['wrapper', 'ls | ifne mark x', guardedBlanket, 'deny'],
  ['wrapper', 'sem -j 2 mark x', guardedBlanket, 'deny'],
  ['wrapper', 'cpulimit -l 50 -- mark x', guardedBlanket, 'deny'],
  ['wrapper', 'arch -x86_64 mark x', guardedBlanket, 'deny'],
  ['wrapper', 'arch', guarded, 'allow'],
  ['wrapper', 'docker-compose exec web mark x', guardedBlanket, 'deny'],
  ['wrapper', 'docker-compose up', guardedBlanket, 'allow'],
  ['wrapper', 'lxc-attach -n box -- mark x', guardedBlanket, 'deny'],
  ['wrapper', 'machinectl shell box /usr/bin/mark', guardedBlanket, 'deny'],
  ['wrapper', "vagrant ssh -c 'mark x'", guardedBlanket, 'deny'],
  ['wrapper', "xterm -e 'mark x'", guardedBlanket, 'deny'],
  ['wrapper', 'xterm -e mark x', guardedBlanket, 'deny'],
  ['wrapper', 'sshpass -p x ssh box mark x', guardedBlanket, 'deny'],
  ['wrapper', "mosh box -- sh -c 'mark x'", guardedBlanket, 'deny'],
  ['wrapper that reads its commands', 'cat a.txt | parallel', guardedBlanket, 'ask'],
  ['wrapper that reads its commands', 'parallel -j 2 < a.txt', asking, 'ask'],
  ['wrapper that reads its commands', 'parallel <<< "mark x"', guardedBlanket, 'deny'],
  ['wrapper that reads its commands', 'cat a.txt | parallel gzip', guardedBlanket, 'allow'],
  ['wrapper with an unknown command', 'ssh box "$X"', guardedBlanket, 'ask'],
  ['wrapper with an unknown command', 'ssh "$BOX" make', guardedBlanket, 'allow'],
  ['value that splits', 'nice -n $X make', { allow: ['Bash(make *)'] }, 'ask'],
  ['value that splits', 'nice -n "$X" make', { allow: ['Bash(make *)'] }, 'allow'],
  ['value that splits', 'timeout -k $X 5 make', { allow: ['Bash(make *)'] }, 'ask'],
  ['value that splits', 'env -u $X make', { allow: ['Bash(env *)', 'Bash(make *)'] }, 'ask'],
  ['value that splits', 'env -u "$X" make', { allow: ['Bash(env *)', 'Bash(make *)'] }, 'allow'],
  ['value that splits', 'sort -k $X a.txt', { allow: ['Bash(sort *)'] }, 'ask'],
  ['value that splits', 'sort --key=$X a.txt', { allow: ['Bash(sort *)'] }, 'ask'],
  ['value that splits', 'sort -k "$X" a.txt', { allow: ['Bash(sort *)'] }, 'allow'],
  ['value that splits', 'for k in 1 2; do sort -k $k a.txt; done', { allow: ['Bash(sort *)'] }, 'allow'],
  ['process substitution', 'sort <(cat a.txt)', { allow: ['Bash(sort *)', 'Bash(cat *)'] }, 'allow'],
  ['process substitution', 'sort <(mark x)', { allow: ['Bash(sort *)', 'Bash(cat *)'] }, 'ask'],
  ['process substitution', 'diff <(sort a.txt) <(sort b.txt)', {}, 'allow'],
  ['process substitution', 'diff <(sort a.txt) <(sort -o c b.txt)', {}, 'ask'],
  ['process substitution', 'diff <(sort a.txt) /etc/passwd', {}, 'ask'],
  ['process substitution', 'cat <(cat a.txt)$X', {}, 'ask'],
  ['code in a builtin', "eval 'echo a'", guardedBlanket, 'ask'],
  ['code in a builtin', "eval 'echo a'", { allow: ['Bash'] }, 'allow'],
  ['code in a builtin', "eval 'mark a'", guardedBlanket, 'deny'],
  ['code in a builtin', "trap 'echo a' EXIT", asking, 'ask'],
  ['code in a builtin', 'trap - EXIT', guardedBlanket, 'allow'],
  ['subscript', 'a=([x]=1)', {}, 'ask'],
  ['subscript', "a=(1 ['b[$(mark)]']=2)", {}, 'ask'],
  ['subscript', 'a=([x]+=1); echo a', guardedBlanket, 'ask'],
  ['subscript', 'a=([$x]=1)', {}, 'ask'],
  ['subscript', 'declare -a a=([x]=1)', { allow: ['Bash(declare *)'] }, 'ask'],
  ['subscript', 'a=([0]=x [1]=y)', {}, 'allow'],
  ['subscript', 'a=("[x]" [ab]c x)', {}, 'allow'],
  ['subscript', 'echo {x[y]}>/dev/null', guarded, 'ask'],
  ['subscript', 'echo {x[0]}>/dev/null', guarded, 'allow'],
  ['no variable', 'echo ${}', guardedBlanket, 'ask'],
  ['character that does not show', 'echo a\u2800b', guarded, 'ask'],
  ['character that does not show', 'echo "a\u2800b"', guarded, 'allow'],
  ['other names of a folder', 'cat ~+/secret/key.pem', secret, 'deny'],
  ['other names of a folder', 'cat ~-/secret/key.pem', secret, 'ask'],
  ['other names of a folder', 'cat ~+/a.txt', secret, 'allow'],
  ['other names of a folder', 'cat ~root/.ssh/id', sshBlanket, 'ask'],
  ['other names of a folder', 'cd - && make', sshBlanket, 'allow'],
  ['other names of a folder', 'cat /proc/$$/cwd/secret/key.pem', secretBlanket, 'ask'],
  ['other names of a folder', 'cat inner/$X', secretBlanket, 'ask'],
  ['other names of a folder', 'cd - && cat key.pem', secretBlanket, 'ask'],
  ['other names of a folder', 'cd - && cat id', sshBlanket, 'ask'],
  ['cd that does not look so', 'c"d" / && cat a.txt', moving, 'ask'],
  ['cd that does not look so', 'c\\d / && cat a.txt', moving, 'ask'],
  ['cd that does not look so', "'cd' / && cat a.txt", moving, 'ask'],
  ['cd that does not look so', "$'\\x63d' / && cat a.txt", moving, 'ask'],
  ['cd that does not look so', 'c\\\nd / && cat a.txt', moving, 'ask'],
  ['cd that does not look so', 'pu"sh"d / && cat a.txt', moving, 'ask'],
  ['cd that does not look so', 'command -- cd / && cat a.txt', moving, 'ask'],
  ['cd that does not look so', 'command -p cd / && cat a.txt', { allow: [...(moving.allow ?? []), 'Bash(command *)'] }, 'ask'],
  [
    'cd that does not look so',
    'shopt -s lastpipe; cat a.txt | cd / && cat a.txt',
    { allow: [...(moving.allow ?? []), 'Bash(shopt *)'] },
    'ask',
  ],
  ['cd that does not look so', 'cat a.txt | cd / && cat a.txt', moving, 'allow'],
  ['cd that does not look so', 'c"d" secret && cat key.pem', secretBlanket, 'deny'],
  ['cd that does not look so', "eval 'cd .'; cat key.pem", secretBlanket, 'ask'],
  ['cd that does not look so', 'c"d" . && cat a.txt', moving, 'allow'],
  ['path in a value', 'send -F f=@secret/key.pem', secret, 'deny'],
  ['path in a value', 'send --data-urlencode name@secret/key.pem', secret, 'deny'],
  ['path in a value', 'send -v ./secret:/in', secret, 'deny'],
  ['path in a value', 'send a.txt,secret/key.pem', secret, 'deny'],
  ['path in a value', 'send HEAD:secret/key.pem', secret, 'deny'],
  ['path in a value', 'send a@b.example:x', secret, 'allow'],
  ['flag', 'git format-patch -o out HEAD', { allow: ['Bash(git *)'] }, 'ask'],
  ['flag', 'jq --arg x "$X" .a a.txt', { allow: ['Bash(jq *)'] }, 'allow'],
  ['flag', 'jq --argfile x a.txt .a', { allow: ['Bash(jq *)'] }, 'ask'],
]

describe('decide()', () => {
  test.each(rows)('%s: %s', async (_vector, command, rules, decision) => {
    expect((await place.decide(command, rules)).decision).toBe(decision)
  })

  test('a file address is a path', async () => {
    expect((await place.decide(`send file://${place.workspace}/secret/key.pem`, secret)).decision).toBe('deny')
    expect((await place.decide(`send file://${place.workspace}/a.txt`, secret)).decision).toBe('allow')
  })
})
