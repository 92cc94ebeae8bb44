import { describe, expect, test } from 'vitest'
import { dangerousWords, readsRecursively } from '../../src/policy/danger.ts'
import { loadTables } from '../../src/policy/tables.ts'
import { wordsOf } from '../bash/words-of.ts'

const tables = loadTables()

// Each dangerous command stands beside one that is near to it and holds nothing dangerous.
const rows: readonly (readonly [dangerous: string, word: string, harmless: string])[] = [
  ['git -c a=b log', '-c', 'git log -c'],
  ['git -C /x status', '-C', 'git diff -C'],
  ['git --git-dir=/x log', '--git-dir=/x', 'git rev-parse --git-dir'],
  ['/usr/bin/git --exec-path=/x log', '--exec-path=/x', '/usr/bin/git log'],
  ['git diff --output=x', '--output=x', "git log --grep='--output=x'"],
  ['git log --outp=x', '--outp=x', 'git log --oneline'],
  ['git log --output x', '--output', 'git log -- output'],
  ['git log --out"$x"', '--out"$x"', 'git log "$x"'],
  ['git log -"$x"', '-"$x"', 'git log -n"$x"'],
  ['git grep -Oless x', '-Oless', 'git grep -e -O x'],
  ['git grep --open=x y', '--open=x', 'git grep --or x'],
  ['git ls-remote --upload-pa=x .', '--upload-pa=x', 'git ls-remote --heads .'],
  ["git ls-remote 'ext::sh -c id'", 'ext::sh -c id', 'git ls-remote https://x.test/ext::y'],
  ['git fetch EXT::x', 'EXT::x', 'git fetch origin'],
  ['git clone -c a=b url', '-c', 'git clone -b main url'],
  ['git rebase -x ./a HEAD', '-x', 'git rebase -X ours HEAD'],
  ['git rebase --ex=./a HEAD', '--ex=./a', 'git rebase --autostash HEAD'],
  ['git bisect run ./a', 'run', 'git bisect good'],
  ['git submodule foreach x', 'foreach', 'git submodule status'],
  ['git config alias.x !id', 'alias.x', 'git config alias.x'],
  ['git config Core.pager x', 'Core.pager', 'git config --get core.pager x'],
  ['git config diff.external x', 'diff.external', 'git config user.name x'],
  ['git filter-branch x', 'filter-branch', 'git checkout -b filter-branch'],
  ['git push --receive-pack=x o', '--receive-pack=x', 'git push --force o'],
  ['git anything --upload-pack=x', '--upload-pack=x', 'git anything --quiet'],
  ['git archive -o x HEAD', '-o', 'git archive HEAD'],
  ['find . -exec x {} +', '-exec', 'find . -executable'],
  ['find . -delete', '-delete', 'find . -depth'],
  ['find . -fprintf a b', '-fprintf', 'find . -printf b'],
  ['fd x --exec=rm', '--exec=rm', 'fd x -e rm'],
  ['sed -i s/a/b/ f', '-i', 'sed -n p f'],
  ['sed -i.bak s/a/b/ f', '-i.bak', 'sed -es/i/x/ f'],
  ['sed -Eni s/a/b/ f', '-Eni', 'sed -En s/a/b/p f'],
  ['sed --in s/a/b/ f', '--in', 'sed --quiet s/a/b/ f'],
  ['sed -f a b', '-f', 'sed -e p -- -f'],
  ["sed -n '1e id' f", '1e id', "sed -n '1p' f"],
  ['sed -e p -e "s/a/b/e" f', 's/a/b/e', 'sed -e p -e s/a/b/g f'],
  ['sed "s/a/$x/" f', '"s/a/$x/"', "sed 's/a/$x/' f"],
  ['awk \'{print > "f"}\' a', '{print > "f"}', "awk '$1 > 5' a"],
  ['awk -f p a', '-f', "awk -F f '{print $1}' a"],
  ['gawk -i inplace x', '-i', "gawk -vi=1 '{print i}'"],
  ['awk "$p" a', '"$p"', 'awk 1 "$p"'],
  ['rg --pre x y', '--pre', 'rg --pretty y'],
  ['rg \\--pre=x y', '--pre=x', 'rg -e --pre y'],
  ['sort -ox f', '-ox', 'sort -to f'],
  ['sort --out x f', '--out', 'sort -k --out f'],
  ['sort --compress-prog=x f', '--compress-prog=x', 'sort --check f'],
  ['tar xf a --checkpoint-action=exec=x', '--checkpoint-action=exec=x', 'tar xf a --checkpoint=1'],
  ['tar cIf x a', 'cIf', 'tar czf a b'],
  ['tar -xf a -I x', '-I', 'tar -tzf a.tgz'],
  ['tar --to-com=x -xf a', '--to-com=x', 'tar --totals -xf a'],
  ['tar -xf a --files=x', '--files=x', 'tar --list --file=a'],
  ['rsync -e ssh a b', '-e', 'rsync -a a b'],
  ['ssh -oProxyCommand=x h', '-oProxyCommand=x', 'ssh -p 22 h'],
  ['scp -S x a h:', '-S', 'scp -P 22 a h:'],
  ['man -Pcat ls', '-Pcat', 'man 1 ls'],
  ['man --html=x ls', '--html=x', 'man -k x'],
  ["less '+!id' f", '+!id', 'less -N f'],
  ['less -ox f', '-ox', 'less -p x f'],
  ["vim '+!x' f", '+!x', 'vim f'],
  ['date -s 1', '-s', 'date -d -s'],
  ['date --f=a', '--f=a', 'date +%F'],
  ['file -C -m a', '-C', 'file -b a'],
  ['wget --use-askpass=x u', '--use-askpass=x', 'wget -O a u'],
  ['wget -e a=b u', '-e', 'wget -q u'],
  ['curl -sK a', '-sK', 'curl -so a u'],
  ['history -w a', '-w', 'history 5'],
  ['zip -r a b -TT x', '-TT', 'zip -r a b -T'],
  ['split --filter=x a', '--filter=x', 'split -l 5 a'],
  ['docker -H tcp://x ps', '-H', 'docker ps -H'],
  ['tcpdump -z x', '-z', 'tcpdump -i x'],
  ['perl -i.bak -pe x f', '-i.bak', 'perl -pe x f'],
  ['jq -f a b', '-f', 'jq . b'],
  ['yq -i .a=1 f', '-i', 'yq .a f'],
]

describe('dangerousWords()', () => {
  test.each(rows)('finds in %s the word %s', (dangerous, word) => {
    expect(dangerousWords(wordsOf(dangerous), tables).map(each => each.word)).toContain(word)
  })

  test.each(rows.map(([, , harmless]) => [harmless]))('finds nothing in %s', harmless => {
    expect(dangerousWords(wordsOf(harmless), tables)).toEqual([])
  })

  test.each(['node -e "x"', 'make all', 'npm run x', 'kubectl exec p -- sh', 'cat a', 'echo -o', 'unknown-program --exec x'])(
    'knows nothing of the purpose of %s',
    command => {
      expect(dangerousWords(wordsOf(command), tables)).toEqual([])
    },
  )

  test('says what a word does', () => {
    expect(dangerousWords(wordsOf('sort -o x f'), tables)).toEqual([
      { word: '-o', effect: 'writes', reason: 'makes sort write or remove files' },
    ])
  })
})

test.each([
  ['grep -r x .', true],
  ['grep x a', false],
  ['grep -rn x .', true],
  ['grep -d recurse x .', true],
  ['grep -d skip x .', false],
  ['grep --recu x .', true],
  ['rg x', true],
  ['find .', false],
  ['ls -lR', false],
  ['ls -l', false],
  ['cp -a x y', true],
  ['cp x y', false],
  ['git grep x', true],
  ['git log', false],
  ['cat x', false],
])('readsRecursively() knows %s', (command, expected) => {
  expect(readsRecursively(wordsOf(command), tables)).toBe(expected)
})
