import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecisionKind } from '../../src/policy/decision.ts'
import { createPlace, type Place, type Rules } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
  place.write('notes/a.md')
  place.write('secret/key.pem')
  place.write(`${place.home}/outside.txt`)
  place.link('way-out', place.home)
  place.link('inner', 'notes')
  place.write('notes/deep/x')
  place.link('rel', 'notes/deep')
  place.link('lank', `${place.home}/outside.txt`)
})
afterAll(() => place.remove())

const git: Rules = { allow: ['Bash(git status *)', 'Bash(git commit *)', 'Bash(echo *)', 'Bash(cat *)'] }
const guarded: Rules = { ...git, deny: ['Bash(mark *)'] }
const blanket: Rules = { allow: ['Bash'] }
const guardedBlanket: Rules = { allow: ['Bash'], deny: ['Bash(mark *)'] }

// `mark` is a program that nobody has: a stand-in for whatever must not run. Each threat stands beside harmless twins.
const threats: readonly (readonly [vector: string, command: string, rules: Rules, decision: DecisionKind])[] = [
  ['chain', 'git status && mark x', guarded, 'deny'],
  ['chain', 'git commit -m "a && mark x"', guarded, 'allow'],
  ['background', 'git status & mark x', guarded, 'deny'],
  ['background', 'echo "a & mark x"', guarded, 'allow'],
  ['new line', 'git status\nmark x', guarded, 'deny'],
  ['new line', 'git commit -m "one\nmark x"', guarded, 'allow'],
  ['substitution', 'echo "$(mark x)"', guarded, 'deny'],
  ['substitution', "echo '$(mark x)'", guarded, 'allow'],
  ['backticks', 'echo `mark x`', guarded, 'deny'],
  ['backticks', 'echo "\\`mark x\\`"', guarded, 'allow'],
  ['here-document', 'cat <<E\n$(mark x)\nE', guarded, 'deny'],
  ['here-document', "cat <<'E'\n$(mark x)\nE", guarded, 'allow'],
  ['here-document', 'cat <<E\nmark x && mark y\nE', guarded, 'allow'],
  ['here-string', 'cat <<< "$(mark x)"', guarded, 'deny'],
  ['here-string', "cat <<< 'mark x'", guarded, 'allow'],
  ['process substitution', 'cat <(mark x)', guarded, 'deny'],
  ['process substitution', 'cat "<(mark x)"', guarded, 'allow'],
  ['default value', 'echo "${v:-$(mark x)}"', guarded, 'deny'],
  ['default value', 'echo "${v:-mark}"', guarded, 'allow'],
  ['array subscript', 'echo "${a[$(mark x)]}"', guarded, 'deny'],
  ['arithmetic', 'echo $(( $(mark x) ))', guarded, 'deny'],
  ['arithmetic', 'echo $(( v ))', git, 'ask'],
  ['arithmetic', 'echo $(( 1 + 2 ))', git, 'allow'],
  ['arithmetic', 'i=1; echo $((i+1))', git, 'allow'],
  ['arithmetic', 'i=$(cat notes/a.md); echo $((i+1))', git, 'ask'],
  ['numeric test', '[[ $v -eq 1 ]] && git status', git, 'ask'],
  ['numeric test', '[[ $# -eq 1 ]] && git status', git, 'allow'],
  ['numeric test', '[[ "$v" == 1 ]] && git status', git, 'allow'],
  ['quoted name', "m'a'rk x", guarded, 'deny'],
  ['quoted name', "$'\\x6dark' x", guarded, 'deny'],
  ['quoted name', '\\mark x', guarded, 'deny'],
  ['quoted name', "echo 'mark x'", guarded, 'allow'],
  ['path', '/usr/bin/mark x', guarded, 'deny'],
  ['path', './echo x', git, 'ask'],
  ['unknown name', '$v x', git, 'ask'],
  ['unknown name', 'v=mark; $v x', guarded, 'deny'],
  ['unknown name', '{mark,x}', guardedBlanket, 'ask'],
  ['unknown name', '/usr/bin/m?rk x', guardedBlanket, 'ask'],
  ['unknown name', '$v x', blanket, 'allow'],
  ['unknown argument', 'git $v', { ...blanket, deny: ['Bash(git push *)'] }, 'ask'],
  ['unknown argument', 'git status $v', { ...blanket, deny: ['Bash(git push *)'] }, 'allow'],
  ['unknown argument', 'git "$v" push', { ...blanket, deny: ['Bash(git push *)'] }, 'ask'],
  ['unknown argument', 'git $v push', { ...blanket, deny: ['Bash(git push *)'] }, 'ask'],
  ['wrapper', 'env -i A=1 mark x', guarded, 'deny'],
  ['wrapper', 'sudo -u root timeout 5 nice -n 3 mark x', guarded, 'deny'],
  ['wrapper', 'timeout 5 git status', git, 'allow'],
  ['wrapper', 'sudo git status', git, 'ask'],
  ['wrapper', 'env git push', { allow: ['Bash(git push *)'] }, 'ask'],
  ['wrapper', 'env git status', { allow: ['Bash(env *)', 'Bash(git status *)'] }, 'allow'],
  ['wrapper', 'env mark x', { allow: ['Bash(env *)'] }, 'ask'],
  ['wrapper', "env --split='mark x'", guardedBlanket, 'deny'],
  ['wrapper', 'i386 mark x', guardedBlanket, 'deny'],
  ['wrapper', '/lib64/ld-linux-x86-64.so.2 /usr/bin/mark x', guardedBlanket, 'deny'],
  ['wrapper', "sg g -c 'mark x'", guardedBlanket, 'deny'],
  ['wrapper', 'run0 mark x', guardedBlanket, 'deny'],
  ['wrapper', 'command -v mark', guarded, 'allow'],
  ['find -exec', 'find . -exec mark {} \\;', { allow: ['Bash(find *)'], deny: ['Bash(mark *)'] }, 'deny'],
  ['find -exec', 'find . -exec rm {} \\;', { allow: ['Bash(find *)'] }, 'ask'],
  ['find -exec', 'find . -type f -exec grep -n x {} +', {}, 'allow'],
  ['find -exec', 'find . -exec grep -n x {} +', {}, 'ask'],
  ['code in a string', "bash -c 'mark x'", guarded, 'deny'],
  ['code in a string', "bash -c 'git status'", { allow: ['Bash(bash *)', 'Bash(git status *)'] }, 'ask'],
  ['code in a string', 'eval "$v"', guardedBlanket, 'ask'],
  ['code in a string', "eval 'echo a'", { allow: ['Bash(eval *)', 'Bash(echo *)'] }, 'ask'],
  ['code on stdin', 'echo "mark x" | sh', guarded, 'ask'],
  ['code on stdin', "bash <<'E'\nmark x\nE", guarded, 'deny'],
  ['code on stdin', "cat <<'E'\nmark x\nE", guarded, 'allow'],
  ['builtin that reads code', "printf -v 'a[$(mark x)]' y", { allow: ['Bash(printf *)'], deny: ['Bash(mark *)'] }, 'ask'],
  ['builtin that reads code', "printf '%s' 'a[$(mark x)]'", { allow: ['Bash(printf *)'], deny: ['Bash(mark *)'] }, 'allow'],
  ['builtin that reads code', "test -v 'a[$(mark x)]'", { allow: ['Bash(test *)'] }, 'ask'],
  ['builtin that reads code', "read 'a[$(mark x)]'", { allow: ['Bash(read *)'] }, 'ask'],
  ['builtin that reads code', 'read -r line', { allow: ['Bash(read *)'] }, 'allow'],
  ['builtin that reads code', "wait -p 'a[$(mark x)]' -n", {}, 'ask'],
  ['builtin that reads code', 'unset v', { allow: ['Bash(unset *)'] }, 'allow'],
  ['builtin that reads code', "unset 'a[$(mark x)]'", { allow: ['Bash(unset *)'] }, 'ask'],
  ['builtin that reads code', 'declare -i n=v', { allow: ['Bash(declare *)'] }, 'ask'],
  ['operator from a word', '[ "$a" "$b" ]', { allow: ['Bash([ *)'] }, 'ask'],
  ['operator from a word', '[ $a = x ]', { allow: ['Bash([ *)'] }, 'ask'],
  ['operator from a word', '[ "$a" = x ]', {}, 'allow'],
  ['another meaning', 'echo() { mark; }; echo x', git, 'ask'],
  ['another meaning', "alias cat='mark'; cat x", { allow: ['Bash(alias *)', 'Bash(cat *)'] }, 'ask'],
  ['another meaning', 'hash -p ./mark git; git status', { allow: ['Bash(hash *)', 'Bash(git status *)'] }, 'ask'],
  ['assignment', 'PATH=. git status', git, 'ask'],
  ['assignment', 'LD_PRELOAD=./x.so git status', git, 'ask'],
  ['assignment', 'GIT_PAGER=./x git status', git, 'ask'],
  ['assignment', 'LC_ALL=C git status', git, 'allow'],
  ['assignment', 'V=1 git status', { allow: ['Bash(V=1 git status *)'] }, 'allow'],
  ['assignment', 'export PATH=.', { allow: ['Bash(export *)'] }, 'ask'],
  ['assignment', 'PATH=. make', guardedBlanket, 'ask'],
  ['assignment', 'V=1 make', guardedBlanket, 'allow'],
  ['redirection', 'echo a > out.txt', git, 'ask'],
  ['redirection', 'echo a > out.txt', blanket, 'ask'],
  ['redirection', 'echo a > out.txt', { allow: ['Bash(echo *)', 'Edit(out.txt)'] }, 'allow'],
  ['redirection', 'echo a > notes/../../x', { allow: ['Bash(echo *)', 'Edit(./**)'] }, 'ask'],
  ['redirection', 'echo a > way-out/x', { allow: ['Bash(echo *)', 'Edit(./**)'] }, 'ask'],
  ['redirection', 'echo a > inner/x', { allow: ['Bash(echo *)', 'Edit(./**)'], deny: ['Edit(./notes/**)'] }, 'deny'],
  ['redirection', '{ git status; } > out.txt', git, 'ask'],
  ['redirection', 'git status > /dev/null 2>&1', git, 'allow'],
  ['redirection', 'echo "a > b"', git, 'allow'],
  ['redirection', 'echo a > /dev/tcp/localhost/1', { allow: ['Bash(echo *)', 'Edit'] }, 'ask'],
  ['writing flag', 'git log --output=x', { allow: ['Bash(git log *)'] }, 'ask'],
  ['writing flag', 'git log --outp=x', { allow: ['Bash(git log *)'] }, 'ask'],
  ['writing flag', 'git log --output=x', { allow: ['Bash(git log --output=x)'] }, 'allow'],
  ['writing flag', 'git log --oneline', { allow: ['Bash(git log *)'] }, 'allow'],
  ['writing flag', 'sort -uo out in', { allow: ['Bash(sort *)'] }, 'ask'],
  ['running flag', 'git -c core.pager=./x log', { allow: ['Bash(git *)'] }, 'ask'],
  ['running flag', 'git -c core.pager=cat log', { allow: ['Bash(git -c core.pager=cat log *)'] }, 'allow'],
  ['running flag', "sed 's/a/b/e' f", { allow: ['Bash(sed *)'] }, 'ask'],
  ['running flag', "sed 's/a/e/' f", { allow: ['Bash(sed *)'] }, 'allow'],
  ['running flag', `awk 'BEGIN{system("x")}'`, { allow: ['Bash(awk *)'] }, 'ask'],
  ['running flag', `awk '{print "system(" $1}' f`, { allow: ['Bash(awk *)'] }, 'allow'],
  ['read-only set', 'cat notes/a.md', {}, 'allow'],
  ['read-only set', 'cat ../x', {}, 'ask'],
  ['read-only set', 'cat way-out/outside.txt', {}, 'ask'],
  ['read-only set', 'cat way-out/../x', {}, 'ask'],
  ['read-only set', 'cat notes/*.md', {}, 'allow'],
  ['read-only set', 'cat */outside.txt', {}, 'ask'],
  ['read-only set', 'cat $v', {}, 'ask'],
  ['read-only set', 'd=notes; cat "$d/a.md"', {}, 'allow'],
  ['read-only set', 'cat ~/.profile', {}, 'ask'],
  ['read-only set', 'cd notes && ls', {}, 'allow'],
  ['read-only set', 'cd .. && ls', {}, 'ask'],
  ['read-only set', 'cd notes && git status', {}, 'ask'],
  ['other folder', 'cd /tmp && git status', { allow: ['Bash(cd *)', 'Bash(git status *)'] }, 'ask'],
  ['other folder', '(cd notes && git status)', { allow: ['Bash(cd *)', 'Bash(git status *)'] }, 'allow'],
  ['other folder', 'cd "$v" && git status', { allow: ['Bash(cd *)', 'Bash(git status *)'] }, 'ask'],
  ['read rule', 'cat secret/key.pem', { allow: ['Bash(cat *)'], deny: ['Read(./secret/**)'] }, 'deny'],
  ['read rule', 'cd secret && cat key.pem', { allow: ['Bash(cd *)', 'Bash(cat *)'], deny: ['Read(./secret/**)'] }, 'deny'],
  ['read rule', 'dd if=secret/key.pem', { allow: ['Bash'], deny: ['Read(./secret/**)'] }, 'deny'],
  ['read rule', 'cat se*/key.pem', { allow: ['Bash(cat *)'], deny: ['Read(./secret/**)'] }, 'ask'],
  ['read rule', 'cat notes/a.md', { allow: ['Bash(cat *)'], deny: ['Read(./secret/**)'] }, 'allow'],
  ['read rule', 'grep -r x .', { deny: ['Read(./secret/**)'] }, 'ask'],
  ['read rule', 'rg x', { allow: ['Bash(rg *)'], deny: ['Read(./secret/**)'] }, 'ask'],
  ['read rule', 'cp -r . /tmp/x', { allow: ['Bash(cp *)'], deny: ['Read(**/*.pem)'] }, 'ask'],
  ['read rule', 'grep -r x notes', { deny: ['Read(./secret/**)'] }, 'allow'],
  ['read rule', 'grep x notes/a.md', { deny: ['Read(./secret/**)'] }, 'allow'],
  ['read rule', 'find . -name x', { deny: ['Read(./secret/**)'] }, 'allow'],
  ['read rule', 'grep -r x .', { deny: ['Read(//etc/**)'] }, 'allow'],
  ['read rule', 'cat etc/x', { deny: ['Read(//etc/**)'] }, 'allow'],
  ['read rule', 'cat etc/x', { deny: ['Read(//etc)'] }, 'allow'],
  ['read rule', 'cat a/etc/x', { deny: ['Read(../etc/**)', 'Read(~/etc/**)', 'Read(/etc/**)'] }, 'allow'],
  ['read rule', 'cat a/etc/x', { deny: ['Read(etc/**)'] }, 'deny'],
  ['read rule', 'cat a/etc/x', { deny: ['Read(/)'] }, 'deny'],
  ['read rule', 'cat /etc/hostname', { allow: ['Bash(cat *)'], deny: ['Read(//etc/**)'] }, 'deny'],
  ['read rule', 'cat ~/a/b', { allow: ['Bash(cat *)'], deny: ['Read(~/**)'] }, 'deny'],
  ['read rule', 'cat ~/a/b', { allow: ['Bash(cat *)'], deny: ['Read(~/*)'] }, 'deny'],
  ['read rule', 'echo secret/key.pem', { deny: ['Read(./secret/**)'] }, 'allow'],
  ['a name set without an assignment', ': {PATH}</dev/null; cat notes/a.md', {}, 'ask'],
  ['a name set without an assignment', '((PATH=10)); cat notes/a.md', {}, 'ask'],
  ['a name set without an assignment', ': $((PATH=10)); cat notes/a.md', {}, 'ask'],
  ['a name set without an assignment', 'for PATH in ./bin; do cat notes/a.md; done', {}, 'ask'],
  ['a name set without an assignment', "for RANDOM in 'a[$(mark)]'; do :; done", {}, 'ask'],
  ['a name set without an assignment', ': ${PATH:=x}; cat notes/a.md', {}, 'ask'],
  ['a name set without an assignment', 'for PATH in x; do make; done', guardedBlanket, 'ask'],
  ['a name set without an assignment', 'for i in a b; do echo "$i"; done', {}, 'allow'],
  ['a name set without an assignment', 'i=0; ((i=i+1)); echo "$i"', {}, 'allow'],
  ['a word that becomes a flag', 'find . {-exec,mark,\\;}', { allow: ['Bash(find *)'] }, 'ask'],
  ['a word that becomes a flag', 'x="-exec mark ;"; find . $x', { allow: ['Bash(find *)'] }, 'ask'],
  ['a word that becomes a flag', 'sort {-o,mark} f', { allow: ['Bash(sort *)'] }, 'ask'],
  ['a word that becomes a flag', 'sort $(echo -o mark) f', { allow: ['Bash(sort *)', 'Bash(echo *)'] }, 'ask'],
  ['a word that becomes a flag', 'for x in a "$1"; do sort "$x" f; done', { allow: ['Bash(sort *)'] }, 'ask'],
  ['a word that becomes a flag', 'git log {--output=mark,-1}', { allow: ['Bash(git *)'] }, 'ask'],
  ['a word that becomes a flag', 'sort notes/*.md', { allow: ['Bash(sort *)'] }, 'allow'],
  ['a word that becomes a flag', 'sort *.md', { allow: ['Bash(sort *)'] }, 'allow'],
  ['a word that becomes a flag', 'curl -s "$API_URL/x"', { allow: ['Bash(curl *)'] }, 'allow'],
  ['a word that becomes a flag', 'git commit -m "$(cat notes/a.md)"', { allow: ['Bash(git commit *)'] }, 'allow'],
  ['a flag that runs, under a blanket', 'git -c alias.x="!mark" x', guardedBlanket, 'ask'],
  ['a flag that runs, under a blanket', `awk 'BEGIN{system("mark")}'`, guardedBlanket, 'ask'],
  ['a flag that runs, under a blanket', 'git log --oneline', guardedBlanket, 'allow'],
  ['a link on the way of cd', 'cd rel/../.. && cat outside.txt', {}, 'ask'],
  ['a link on the way of cd', 'cd notes/deep/.. && cat a.md', {}, 'allow'],
  ['a glob', 'head -1 l[!z]nk', {}, 'ask'],
  ['a glob', 'head -1 l?nk', {}, 'ask'],
  ['a glob', 'cat *.md', {}, 'allow'],
  ['a glob', 'ls *', {}, 'ask'],
  ['a rule with blanks', 'mark x', { ...blanket, deny: ['Bash( mark * )'] }, 'deny'],
  ['reading or writing git config', 'git config core.fsmonitor ./mark get', { allow: ['Bash(git config *)'] }, 'ask'],
  ['reading or writing git config', 'git config --get core.fsmonitor', { allow: ['Bash(git config *)'] }, 'allow'],
  ['invisible', 'git\u00a0status', git, 'ask'],
  ['invisible', "git commit -m 'a\u00a0b'", git, 'allow'],
  ['not bash', 'git status "', git, 'ask'],
  ['not bash', 'mark x\necho "open', guarded, 'deny'],
  ['not bash', 'make "open', guardedBlanket, 'ask'],
  ['nothing', '', blanket, 'ask'],
  ['nothing', '# only a comment', blanket, 'ask'],
]

describe('decideCommand() on what was tried against engines of this kind, and on its harmless twins', () => {
  test.each(threats)('%s: %j', async (_vector, command, rules, decision) => {
    const { decision: came, reason } = await place.decide(command, rules)
    expect(`${came}`, reason).toBe(decision)
  })
})

describe('decideCommand() keeps its order: deny, ask, allow, read-only set, unmatched', () => {
  test.each<[string, Rules, DecisionKind, string | undefined]>([
    ['ls', { allow: ['Bash(ls)'], deny: ['Bash'] }, 'deny', 'Bash'],
    ['ls', { allow: ['Bash(ls)'], ask: ['Bash(ls *)'] }, 'ask', 'Bash(ls *)'],
    ['ls', { ask: ['Bash(ls *)'], deny: ['Bash(l*)'] }, 'deny', 'Bash(l*)'],
    ['ls', {}, 'allow', undefined],
    ['make', {}, 'ask', undefined],
    ['make', { allow: ['Bash(make *)'] }, 'allow', 'Bash(make *)'],
  ])('%j under %j: %s by %s', async (command, rules, decision, rule) => {
    const answer = await place.decide(command, rules)
    expect(answer.decision).toBe(decision)
    expect(answer.rule).toBe(rule)
  })
})

test('a wrapping never turns a refusal into an allow', async () => {
  const rules: Rules = {
    allow: ['Bash(git status *)', 'Bash(echo *)', 'Bash(timeout *)', 'Bash(true)'],
    ask: ['Bash(push *)'],
    deny: ['Bash(mark *)'],
  }
  const wrappings = [
    '( % )',
    '{ %; }',
    'if true; then %; fi',
    'timeout 5 %',
    'A=1 %',
    '%; true',
    'true; %',
    '! %',
    'echo "$(%)"',
    'for i in 1; do %; done',
    '% | cat',
    'f() { %; }; f',
    'case a in a) %;; esac',
    'time %',
    'coproc %',
  ]
  for (const command of ['mark x', 'push x', 'other x', 'PATH=. git status', 'echo a > f'])
    for (const wrapping of wrappings) {
      const { decision } = await place.decide(wrapping.replace('%', command), rules)
      expect(decision, wrapping.replace('%', command)).not.toBe('allow')
    }
})
