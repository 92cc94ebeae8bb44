import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
})
afterAll(() => place.remove())

// Code as text beside what is near to it and is none.
const rows: readonly (readonly [code: string, none: string])[] = [
  ["python3 -c 'x'", 'python3 x.py -c y'],
  ["python3.12 -Bc 'x'", 'python3.12 -B x.py'],
  ["python -W error -c 'x'", 'python -W error x.py'],
  ["python3 - <<'E'\nx\nE", "python3 x.py <<'E'\nx\nE"],
  ['echo x | python3', 'echo x | python3 x.py'],
  ['python3 /dev/stdin', 'python3 ./dev/stdin'],
  ['python3 <(echo x)', 'python3 x.py <(echo x)'],
  ['python3 -m timeit x', 'python3 -m pytest -c x.cfg'],
  ['python3 $flags', 'python3 "$script"'],
  ["node -e 'x'", 'node x.js -e'],
  ["node -pe 'x'", 'node -v'],
  ["node --eval='x'", 'node --test'],
  ["node --eva 'x'", 'node --version'],
  ["node --inspect-port 9 -e 'x'", 'node --enable-source-maps x.js'],
  ["node --import 'data:text/javascript,x' x.js", 'node --require ./setup.js x.js'],
  ["perl -lane 'x' a", 'perl x.pl -e'],
  ["perl -i.bak -pe 's/a/b/' a", 'perl --version'],
  ["perl -0777 -ne 'x' a", 'perl -w x.pl'],
  ["perl '-MPOSIX;x' x.pl", 'perl -I lib x.pl'],
  ["ruby -ne 'x' a", 'ruby -r json x.rb'],
  ["php -r 'x'", 'php -f x.php'],
  ["lua -e 'x'", 'lua x.lua'],
  ["Rscript -e 'x'", 'Rscript x.R'],
  ["deno eval 'x'", 'deno run x.ts'],
  ["deno run 'data:text/javascript,x'", 'deno test'],
  ["bun -e 'x'", 'bun run build'],
  ['sqlite3 a.db ".shell x"', 'sqlite3 ./a.db "select 1"'],
  ['sqlite3 a.db < a.sql', 'sqlite3 a.db .tables'],
  ["timeout 5 node -e 'x'", 'timeout 5 node x.js'],
  ["env A=1 python3 -c 'x'", 'python3 --version'],
  ['uv run -', 'uv run x.py'],
  ['uv run python -c x', 'uv run python x.py'],
  ['deno run --allow-net -', 'deno run --allow-net x.ts'],
  ['deno repl', 'deno fmt'],
  ["ipython -c 'x'", 'ipython x.py'],
  ["python -m IPython -c 'x'", 'python -m json.tool x.json'],
  ["make --eval='x:; y'", 'make test'],
  ['make all -f -', 'make all -f x.mk'],
  ['make -f /dev/stdin', 'make -n all'],
  ['make -C sub -f-', 'make -C sub -j4 all'],
  ['make SHELL=./x', 'make CC=gcc'],
  ['make -f <(echo x)', 'make -f "$file"'],
  ['irb', 'irb --version'],
  ["pry -e 'x'", 'pry --help'],
  ['ghci', 'ghci --version'],
  ['jshell', 'jshell --version'],
  ['java --source 17 /dev/stdin', 'java --source 17 X.java'],
  ["kotlin -e 'x'", 'kotlin -cp a.jar MainKt'],
  ['dotnet fsi', 'dotnet build'],
  ['swift -', 'swift build'],
  ['at now', 'at -l'],
  ['batch', 'atq'],
  ['crontab -u bob -', 'crontab -l'],
  ["osascript -e 'x'", 'osascript x.scpt'],
  ["R -e 'x'", 'R --version'],
  ["julia -e 'x'", 'julia x.jl'],
  ["gdb -batch -ex 'shell x'", 'gdb --version'],
  ["vim -es -c '!x'", 'vim a.txt'],
  ['nvim a.txt -c x', 'nvim a.txt'],
  ['ex a.txt', 'expr 1'],
  ["tmux new-session -d 'x'", 'tmux ls'],
  ["tmux -L a send-keys -t b 'x' Enter", 'tmux -L a kill-session -t b'],
  ["tmux ls \\; run-shell 'x'", 'tmux list-sessions'],
  ["socat - EXEC:'x'", 'socat - TCP:localhost:80'],
  ['socat TCP-LISTEN:9 system:x', 'socat -V'],
  ['nc -e x host 9', 'nc -z host 9'],
  ['ncat host 9 --sh-exec x', 'ncat --version'],
  ['ncat -c x host 9', 'ncat -w 3 host 9'],
  ['nix-shell -p hello --run x', 'nix-shell -p hello'],
  ["psql -c '\\! x'", "psql -c 'select 1'"],
  ["psql db '-c\\!x'", "psql db -c '\\dt'"],
  ['echo x | psql db', 'psql db -f x.sql'],
  ["mysql -e 'system x'", "mysql -e 'select 1'"],
  ["mysql db -e 'select 1;  system x'", 'mysql db -e "select * from system_users"'],
  ["mysql -e 'select 1 \\! x'", 'mysql --version'],
  ["ansible all -m shell -a 'x'", 'ansible all -m ping'],
  ["ansible all -a 'x'", 'ansible --version'],
  ["yt-dlp --exec 'x' u", 'yt-dlp u'],
  ["capsh -- -c 'python3 -c x'", 'capsh --print'],
]

describe('an interpreter that is given code as text', () => {
  const guarded = { allow: ['Bash'], deny: ['Bash(mark *)'] }

  test.each(rows)('asks under bare Bash beside a deny rule: %s', async (code, none) => {
    expect((await place.decide(code, guarded)).decision).toBe('ask')
    expect((await place.decide(none, guarded)).decision).toBe('allow')
    expect((await place.decide(code, { allow: ['Bash'], ask: ['Bash(mark *)'] })).decision).toBe('ask')
    expect((await place.decide(code, { allow: ['Bash'] })).decision).toBe('allow')
  })

  test('is what a rule that names it is for', async () => {
    expect((await place.decide("node -e 'x'", { allow: ['Bash(node *)'], deny: ['Bash(mark *)'] })).decision).toBe('allow')
  })

  test('says why it asks', async () => {
    expect((await place.decide("node -e 'x'", guarded)).reason).toContain('code given to node')
  })
})

test.each([
  ["capsh -- -c 'mark x'", 'deny'],
  ["capsh --drop=all -- -c 'mark x'", 'deny'],
  ["capsh == -- -c 'mark x'", 'deny'],
  ["capsh -+ -c 'mark x'", 'deny'],
  ["capsh -- -c 'echo x'", 'ask'],
])('capsh starts a shell: %s', async (command, decision) => {
  expect((await place.decide(command, { allow: ['Bash(capsh *)', 'Bash(echo *)'], deny: ['Bash(mark *)'] })).decision).toBe(decision)
})
