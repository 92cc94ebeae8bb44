import { describe, expect, test } from 'vitest'
import { shownWord } from '../../src/bash/words.ts'
import { classifyReadOnly } from '../../src/policy/read-only.ts'
import { loadTables } from '../../src/policy/tables.ts'
import { wordsOf } from '../bash/words-of.ts'

const tables = loadTables()

/** `-`: refused; else the paths it hands back, joined. */
function answerTo(command: string): string {
  const answer = classifyReadOnly(wordsOf(command), tables)
  return answer.ok ? answer.paths.map(shownWord).join(' ') : '-'
}

// Each refused row stands beside one that is near to it and passes.
const rows: readonly (readonly [accepted: string, paths: string, refused: string])[] = [
  ['git status --short', '', 'git --git-dir=/elsewhere status'],
  ['git log --oneline -5', '', 'git log --output=f'],
  ['git log -5 --format=%h -- src', 'src', 'git log --outp=f'],
  ['git diff HEAD --stat', 'HEAD', 'git diff --ext-diff HEAD'],
  ['git diff --no-index a /etc/passwd', 'a /etc/passwd', 'git diff -O order HEAD'],
  ['git --no-pager show HEAD', 'HEAD', 'git -c core.pager=x show HEAD'],
  ['git show --no-textconv HEAD', 'HEAD', 'git show --textconv HEAD'],
  ['git grep -n TODO src', 'src', 'git grep -O TODO'],
  ['git grep -e TODO -- src', 'src', 'git grep --open-files-in-pager=x TODO'],
  ['git branch --show-current', '', 'git branch new'],
  ['git branch -a', '', 'git branch -D old'],
  ['git branch --list "v*"', '', 'git branch -v new'],
  ['git branch --merged main', '', 'git branch -m new'],
  ['git tag -l "v*" -n5', '', 'git tag v1'],
  ['git tag --sort=-v:refname', '', 'git tag -d v1'],
  ['git remote -v', '', 'git remote add x url'],
  ['git remote show -n origin', '', 'git remote show origin'],
  ['git remote get-url origin', '', 'git remote set-url origin x'],
  ['git config user.name', '', 'git config user.name me'],
  ['git config --get remote.origin.url', '', 'git config --unset user.name'],
  ["git config --default '' --get init.defaultBranch", '', 'git config edit'],
  ['git config --list', '', 'git config --edit'],
  ['git stash list', '', 'git stash'],
  ['git stash show stash@{0}', '', 'git stash pop'],
  ['git worktree list', '', 'git worktree add x'],
  ['git reflog', '', 'git reflog expire --all'],
  ['git symbolic-ref --short refs/remotes/origin/HEAD', '', 'git symbolic-ref HEAD refs/heads/x'],
  ['git shortlog -sn --since="90 days ago"', '', 'git shortlog --output=f'],
  ['git cat-file -p HEAD', '', 'git cat-file --filters HEAD:f'],
  ['git rev-parse --show-toplevel', '', 'git rev-parse "$x"'],
  ['git --version', '', 'git'],
  ['cat a b', 'a b', 'cat --unknown a'],
  ['cat -n -- -odd', '-odd', 'cat $file'],
  ['cat -', '', 'cat $x a'],
  ['cat ./*.md', './*.md', './cat a'],
  ['cat *.md', '*.md', 'cat {-n,a}'],
  ['cat "src/$x"', '"src/$x"', 'cat "$x"'],
  ['head -5 a', 'a', 'head --follow a'],
  ['head -n 5 a', 'a', 'head -n "$n" a'],
  ['tail -20 a', 'a', 'tail -f a'],
  ['sort -t. -k1,1n -k2,2n a', 'a', 'sort -o out a'],
  ['sort -to a', 'a', 'sort -uo out a'],
  ['sort -u a', 'a', 'sort --compress-program=x a'],
  ['sort -S 1M a', 'a', 'sort -T /tmp a'],
  ['uniq -c a', 'a', 'uniq a b'],
  ['uniq "a*"', 'a*', 'uniq a*'],
  ['base64 a', 'a', 'base64 {a,b}'],
  ['sort *.md', '*.md', 'uniq -c *.md'],
  ['find . -type f -exec uniq {} \\;', '.', 'find . -type f -exec uniq {} +'],
  ['find . -type f -exec wc -l {} +', '.', 'find . -type f -exec xxd {} +'],
  ['xxd -l 9 a', 'a', 'xxd ?'],
  ['xxd a', 'a', 'xxd a b'],
  ['tee', '', 'tee a'],
  ['date +%F', '', 'date 01010101'],
  ["date -d 'yesterday' '+%Y'", '', 'date -s 2020-01-01'],
  ['date -r a', 'a', 'date -f a'],
  ['grep -rn foo .', '.', 'grep -Rn foo .'],
  ['grep -e foo -f list src', 'list src', 'grep --dereference-recursive foo .'],
  ['grep -A5 "$x" -- a', '-', 'grep'],
  ['grep -m1 "^a" b', 'b', 'grep "$x" b'],
  ['rg -n foo src', 'src', 'rg --pre x foo src'],
  ['rg --files src', 'src', 'rg --follow foo'],
  ['fd -t f foo src', 'src', 'fd foo -x rm'],
  ['diff -u a b', 'a b', 'diff -r a b'],
  ['ls -la src', 'src', 'ls --hyperlink src'],
  ['du -sh .', '.', 'du --files0-from=a'],
  ['wc -l a', 'a', 'wc --files0-from=a'],
  ['file -b a', 'a', 'file -m magic a'],
  ['tree -L 2 src', 'src', 'tree -o out src'],
  ['realpath --relative-to=a b', 'a b', 'readlink --unknown a'],
  ["sed -n '1,5p' a", 'a', 'sed -i s/a/b/ a'],
  ['sed -e s/a/b/ -e s/c/d/ a', 'a', 'sed -ni s/a/b/ a'],
  ['sed s/a/b/ a', 'a', 'sed -f script a'],
  ['sed s,a,b, a', 'a', 'sed "s/a/$x/" a'],
  ["awk '{print $1}' a", 'a', 'awk \'BEGIN{system("x")}\''],
  ["awk -F: -v x=1 '$3>x' a", 'a', 'awk -f program a'],
  ["jq -r '.a | .b' a", 'a', "jq 'env' a"],
  ['jq . a', 'a', 'jq -f filter a'],
  ['jq length', '', 'jq -L lib . a'],
  ["find . -name '*.js' -not -path '*/x/*' -type f", '.', 'find . -delete'],
  ['find src test -newer a', 'src test a', 'find . -fprint out'],
  ['find . -type f -exec grep -l foo {} +', '.', 'find . -exec grep -l foo {} +'],
  ['find . -type f -exec cat {} \\;', '.', 'find . -type f -exec rm {} \\;'],
  ['find . -type f -name x -exec head -1 {} +', '.', 'find . -type f -o -name x -exec head -1 {} +'],
  ['find . ! -name x -type f -exec wc -l {} +', '.', 'find . ! -type f -exec wc -l {} +'],
  ['find . \\( -name a -o -name b \\) -type f -exec cat {} +', '.', 'find . \\( -type f -o -name b \\) -exec cat {} +'],
  ['find . -type f -exec grep -f list x {} +', '. list x', 'find . -type f -exec sort -o{} {} +'],
  ['find . -type f -exec basename {} \\;', '-', 'find -L . -type f'],
  ['find ./src/* -type d', './src/*', 'find "$x" -type d'],
  ['find -H . -name "$x"', '.', 'find . "$x"'],
  ['echo "$x" $y *.ts', '', 'echo /etc/*'],
  ['echo ~', '', 'echo ~/*'],
  ["printf '%s\\n' $x", '', 'printf "$x"'],
  ["printf -- '-%s' a", '', 'printf -v x a'],
  ["printf '%5.2f' 1", '', "printf '%n' PATH"],
  ['[ -n "$x" ]', '', '[ -n $x ]'],
  ['[ "$x" = y ]', '', '[ "$x" "$y" z ]'],
  ['[ ! -d "$x" ]', '"$x"', "[ -v 'a[$(x)]' ]"],
  ['test -f a', 'a', 'test -R a'],
  ['[ a -nt b ]', 'a b', '[ -f a'],
  ['[ -f a -a -e b ]', 'a b', '[ "$x" = a -a -e b ]'],
  ['cd src', 'src', 'cd'],
  ['pwd -P', '', 'pwd a'],
  ['set -euo pipefail', '', 'set -a'],
  ['set -- "$@"', '', 'set -o allexport'],
  ['read -r line', '', 'read -r PATH'],
  ['read -ra parts', '', "read 'a[$(x)]'"],
  ['export CI=true', '', 'export PATH=/evil'],
  ['local name="$1"', '', 'declare -i name=1'],
  ['export LC_ALL=C', '', 'export LC_ALL="$x"'],
  ['declare -r name=x', '', 'export http_proxy=x'],
  ['command -v "$x"', '', 'command "$x"'],
  ['which -a node', '', 'hash -p a b'],
  ['env', '', 'env a'],
  ['printenv HOME', '', 'env -i'],
  ['ps axww -o args=', '', 'ps "$x"'],
  ['ps aux', '', 'ps auxe'],
  ['ps -ef', '', 'ps -ef -p x'],
  ['ps -p 1 -o pid,comm', '', 'ps -p 1 e'],
  ['ps ax', '', 'ps axeww'],
  ['ps -ax', '', 'ps -axe'],
  ['ps --user root -o comm', '', 'ps -a -u e'],
  ['ps -A -o pid', '', 'ps -e -o +pid'],
  ['ps --forest aux', '', 'ps --forest -C e'],
  ['uname -s', '', 'hostname evil'],
  ['node --version', '', 'node'],
  ['npm --version', '', 'npm --version --x'],
  ['exit "$code"', '', 'exec ls'],
  ['basename "$x" .ts', '', 'basename /etc/*'],
  ["tr -d ' '", '', 'tr'],
  ['seq 1 3', '', 'xargs cat'],
]

describe('classifyReadOnly()', () => {
  test.each(rows.filter(([, paths]) => paths !== '-'))('accepts %s', (accepted, paths) => {
    expect(answerTo(accepted)).toBe(paths)
  })

  test.each(rows.map(([, , refused]) => [refused]))('refuses %s', refused => {
    expect(answerTo(refused)).toBe('-')
  })

  test.each(rows.filter(([, paths]) => paths === '-').map(([command]) => [command]))('refuses %s too', command => {
    expect(answerTo(command)).toBe('-')
  })

  test('says which commands use the repository', () => {
    expect(classifyReadOnly(wordsOf('git log'), tables)).toMatchObject({ usesRepository: true })
    expect(classifyReadOnly(wordsOf('cat a'), tables)).not.toHaveProperty('usesRepository')
  })

  test('says whose paths must be files', () => {
    expect(classifyReadOnly(wordsOf('diff a b'), tables)).toMatchObject({ noFolders: true })
    expect(classifyReadOnly(wordsOf('cmp a b'), tables)).not.toHaveProperty('noFolders')
  })

  test('names the part that it refuses', () => {
    expect(classifyReadOnly(wordsOf('sort -o out a'), tables)).toMatchObject({ reason: expect.stringContaining('"-o"') })
  })
})
