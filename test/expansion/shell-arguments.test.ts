import { describe, expect, test } from 'vitest'
import { planExpansion } from '../../src/expansion/expand.ts'
import type { ExpansionRequest, PlannedCommand } from '../../src/expansion/plan.ts'
import { request } from './request.ts'

function plan(command: string, argumentsText = `a "it's b"`, rest: Partial<ExpansionRequest> = {}): PlannedCommand {
  const body = `\`\`\`\`!\n${command}\n\`\`\`\``
  const [planned] = planExpansion(
    request(body, argumentsText, { hasArgumentHint: true, argumentNames: ['issue', 'pr-number'], ...rest }),
  ).commands
  if (!planned) throw new Error('No command was planned')
  return planned
}

describe('planExpansion() rewrites a command', () => {
  test.each<[string, string, string]>([
    ['cmd $1', 'cmd "${1-}"', `cmd 'a'`],
    ['cmd "$2"', 'cmd "${2-}"', `cmd "it's b"`],
    ['cmd $2', 'cmd "${2-}"', `cmd 'it'\\''s b'`],
    ['cmd $ARGUMENTS', 'cmd "$@"', `cmd 'a' 'it'\\''s b'`],
    ['cmd "$ARGUMENTS"', 'cmd "${ARGUMENTS-}"', `cmd "a \\"it's b\\""`],
    ["cmd 'x $ARGUMENTS'", `cmd 'x '"\${ARGUMENTS-}"''`, `cmd 'x a "it'\\''s b"'`],
    ['cmd $ARGUMENTS[1]', 'cmd "${ARG2-}"', `cmd 'it'\\''s b'`],
    ['cmd $issue $pr-number', 'cmd "${issue-}" "${ARG2-}"', `cmd 'a' 'it'\\''s b'`],
    ['x=$ARGUMENTS', 'x="${ARGUMENTS-}"', `x='a "it'\\''s b"'`],
    ['cmd > $1', 'cmd > "${1-}"', `cmd > 'a'`],
    ['cmd ${ARGUMENTS:-status}', 'cmd "${@:-status}"', `cmd 'a' 'it'\\''s b'`],
    ['cmd ${ARGUMENTS_FILE}', 'cmd "${ARGUMENTS_FILE}"', 'cmd "${ARGUMENTS_FILE}"'],
    ["awk '{print $1}' $1", `awk '{print $1}' "\${1-}"`, `awk '{print $1}' 'a'`],
    ['cmd \\$1 "\\$ARGUMENTS"', 'cmd \\$1 "\\$ARGUMENTS"', 'cmd \\$1 "\\$ARGUMENTS"'],
    ['cmd ${CLAUDE_SKILL_DIR}/x "$1"', `cmd '/skills/s'/x "\${1-}"`, `cmd '/skills/s'/x "a"`],
    ['cat <<EOF\n$1\nEOF', 'cat <<EOF\n${1-}\nEOF', 'cat <<EOF\n$1\nEOF'],
    ['x=$1; cmd $x', 'set -f; x="${1-}"; cmd $x', `x='a'; cmd $x`],
  ])('%s', (source, script, literal) => {
    const command = plan(source)
    expect(command.refusal).toBeUndefined()
    expect(command).toMatchObject({ source, script })
    expect(command.decisionTexts.at(-1)).toBe(literal)
  })

  test('and decides the template first', () => {
    expect(plan('cmd "$1" $ARGUMENTS').decisionTexts[0]).toBe('cmd "$1" "$@"')
    expect(plan('cmd "$1" $ARGUMENTS', '').decisionTexts).toEqual(['cmd "$1" "$@"'])
    expect(plan('cmd ${CLAUDE_SKILL_DIR}', '', { skillDir: '/a b;$(x)' }).decisionTexts).toEqual(["cmd '/a b;$(x)'"])
  })
})

describe('planExpansion() refuses where a value could be read as code, or split, or lost', () => {
  test.each([
    'echo $(( $1 + 1 ))',
    'echo $[ $1 ]',
    '(( $1 ))',
    '(( ARG1 > 2 ))',
    'for ((i=0; i<$1; i++)); do :; done',
    'x=$1; echo $((x + 1))',
    'let x=$1',
    '[[ $1 -eq 1 ]]',
    'x=$1; [[ $x -gt 1 ]]',
    '[[ -v $1 ]]',
    '[[ a =~ $1 ]]',
    'test "$1" "$2"',
    'test -v "$1"',
    '[ "$1" -a "$2" ]',
    '[ $ARGUMENTS = x ]',
    'eval echo $ARGUMENTS',
    'eval "$(echo "$1")"',
    'eval "$(cat "$ARGUMENTS_FILE")"',
    'bash -c "echo $ARGUMENTS"',
    "bash -c 'echo $ARGUMENTS'",
    'sh -c "$1"',
    'bash $1',
    'bash $ARGUMENTS',
    'bash "$ARGUMENTS_FILE"',
    'bash <(echo "$1")',
    'bash <<< "$1"',
    'bash <<EOF\n$1\nEOF',
    'bash < "$1"',
    'echo "$1" | sh',
    'cat "$ARGUMENTS_FILE" | bash',
    'printenv ARGUMENTS | sh',
    'echo "$1" | xargs sh -c',
    'echo "$1" | xargs -I{} sh -c \'echo {}\'',
    'echo "$1" | while read -r x; do eval "$x"; done',
    'source "$1"',
    '. $1',
    'trap "rm $1" EXIT',
    'echo ${a[$1]}',
    'a[$1]=2',
    'a=([$1]=2)',
    'echo "${x:$1}"',
    'echo "${ARGUMENTS@P}"',
    'echo "${!ARGUMENTS}"',
    'printf -v x %s "$1"',
    'printf "$1"',
    'read $1',
    'unset $1',
    'mapfile -C "$1"',
    'declare $1',
    'declare -i x="$1"',
    'export "$1"',
    'declare -n r=$1; echo $r',
    'export PATH=$1',
    'PATH=$1 ls',
    'IFS=$1 cmd',
    'GIT_SSH_COMMAND="$1" git fetch',
    '$1 x',
    '"$1"',
    'exec "$1"',
    'env $1 ls',
    'env -S "$1"',
    'env PATH="$1" ls',
    'timeout 5 $1',
    'sudo -u "$1" ls',
    'sed -n "s/a/$1/p" f',
    'sed -e "$1" f',
    'awk "{print $1}" f',
    "awk '$ARGUMENTS' f",
    'awk -f "$1" x',
    'perl -e "$1"',
    'perl -ne \'print\' "$1"',
    'python3 -c "print($1)"',
    'python3 "$1"',
    'node -e \'x\' "$1"',
    'node --require "$1" x.js',
    'jq ".$1" f',
    'ssh host "$1"',
    'make $1',
    'npx "$1"',
    'docker exec c $1',
    'find . -exec sh -c "$1" \\;',
    'git submodule foreach "$1"',
    'echo `echo $1`',
    "echo $'$ARGUMENTS'",
    "cat <<'EOF'\n$ARGUMENTS\nEOF",
    'echo {a,$1}',
    'echo [$1]*',
    'x=$1; echo $x *.md',
    'echo hi >&$1',
    'f() { cmd $ARGUMENTS; }; f',
    'set -- a; cmd $ARGUMENTS',
    'f() { eval "$1"; }; f "$ARGUMENTS"',
    'echo "$1" (',
    '"$HOME/bin/bash" -c $ARGUMENTS',
    '$program $1',
  ])('%s', source => {
    expect(plan(source).refusal).toMatch(/^\S.*[^.]$/)
  })
})

describe('planExpansion() does not refuse the near miss', () => {
  test.each([
    'echo $(( 1 + 1 )) $1',
    '[ "$1" -eq 1 ]',
    '[ ! "$1" = x ]',
    '[[ $1 == a* && -n $2 ]]',
    '[[ $1 =~ ^[0-9]+$ ]]',
    'bash ./x.sh $ARGUMENTS',
    'bash -eu ./x.sh "$1"',
    '"$HOME/bin/setup.sh" $ARGUMENTS',
    'echo "$1" | xargs rm',
    'echo "$1" | grep x',
    'printf %s "$1"',
    'printf -- %s "$1"',
    'export X="$1"',
    'local x=$1',
    'env X="$1" ls',
    'timeout 5 git log "$1"',
    'sed \'s/a/b/\' "$1"',
    'sed -e \'s/a/b/\' "$1"',
    'awk -v x="$1" \'{print x}\' f',
    'jq --arg x "$1" \'.a\' f',
    'python3 -c \'import sys\' "$1"',
    'python3 -m json.tool "$1"',
    'node x.mjs "$1"',
    'find . -name "$1" -exec rm {} \\;',
    'find . -exec grep "$1" {} +',
    'git commit -m "$ARGUMENTS"',
    'command -v "$1"',
    'f() { eval "$1"; }; f "ls"',
    'ls | while read -r x; do eval "$x"; done',
    'set -euo pipefail; cmd $ARGUMENTS',
    'echo "${#ARGUMENTS}" "$#"',
    'eval "ls"',
    "cat <<'EOF'\n$1\nEOF",
  ])('%s', source => {
    expect(plan(source).refusal).toBeUndefined()
  })
})

describe('planExpansion() guards directories', () => {
  test.each<[string, string, boolean]>([
    ['bash -c "cd ${CLAUDE_SKILL_DIR} && ls"', '/plain/path', false],
    ['bash -c "cd ${CLAUDE_SKILL_DIR} && ls"', '/a b', true],
    ["bash -c 'cd ${CLAUDE_SKILL_DIR} && ls'", '/a$(x)', true],
    ['node -e \'x("${CLAUDE_SKILL_DIR}")\'', "/a'", true],
    ['bash ${CLAUDE_SKILL_DIR}/x.sh', '/a b', false],
    ['make -C ${CLAUDE_SKILL_DIR}', '/a b', false],
    ['echo `ls ${CLAUDE_SKILL_DIR}`', '/plain', false],
    ['echo `ls ${CLAUDE_SKILL_DIR}`', '/a b', true],
  ])('%s in %s', (source, skillDir, refused) => {
    expect(plan(source, '', { skillDir }).refusal !== undefined).toBe(refused)
  })

  test('and leaves one that the command sets itself', () => {
    const source = 'CLAUDE_SKILL_DIR=/x; ls ${CLAUDE_SKILL_DIR}'
    expect(plan(source, '').script).toBe(source)
  })
})

describe('planExpansion() gives values to the shell', () => {
  test('as environment, and declared names as variables only', () => {
    const command = plan('cmd', 'a b', { pluginRoot: '/plug', effort: 'high' })
    expect(command.variables).toEqual({ issue: 'a' })
    expect(command.environment).toMatchObject({
      ARGUMENTS: 'a b',
      ARG1: 'a',
      ARG2: 'b',
      ARGUMENTS_FILE: '/state/args',
      CLAUDE_EFFORT: 'high',
      CLAUDE_PLUGIN_ROOT: '/plug',
      SKILLCELL_SKILL_DIR: '/skills/s',
      WAVE_PROJECT_DIR: '/work space',
      CLAUDE_SESSION_ID: 'session-1',
    })
  })

  test('without a plugin root outside plugins', () => {
    expect(Object.keys(plan('cmd').environment).filter(name => name.includes('PLUGIN'))).toEqual([])
  })

  test.each<[string, number, boolean]>([
    ['one under', 98, true],
    ['at', 97, true],
    ['one over', 96, false],
  ])('not exported above the limit: %s', (_, maxExportedBytes, exported) => {
    // ARGUMENTS and ARG1, each with `=` and an end mark: 9 + 2 + 40 and 4 + 2 + 40 bytes.
    const command = plan('cmd', 'x'.repeat(40), { maxExportedBytes })
    expect('ARGUMENTS' in command.environment).toBe(exported)
    expect('ARGUMENTS' in command.variables).toBe(!exported)
    expect(command.environment.ARGUMENTS_FILE).toBe('/state/args')
  })

  test('and says so when a program gets a word of that size, and not for a builtin', () => {
    const codes = (command: string): string[] =>
      planExpansion(request(`!\`${command}\``, 'x'.repeat(70_000))).diagnostics.map(({ code }) => code)
    expect(codes('git log $ARGUMENTS')).toEqual(['ARGUMENTS_TOO_LARGE'])
    expect(codes("printf '[%s]' $ARGUMENTS")).toEqual([])
  })

  test('only to a command that uses them as parameters', () => {
    expect(plan('cmd "$ARGUMENTS"').parameters).toEqual([])
    expect(plan('cmd $1').parameters).toEqual(['a', "it's b"])
  })

  test('but refuses a NUL', () => {
    expect(plan('cmd $1', 'a\0b').refusal).toMatch(/NUL/)
    expect(plan('cmd', 'a\0b').environment.ARGUMENTS).toBe('ab')
  })
})

test('planExpansion() counts from zero in commands too', () => {
  expect(plan('cmd $0 $1 ${1:-x}', 'a b').script).toBe('cmd "${1-}" "${2-}" "${2:-x}"')
})

test('planExpansion() runs text that bash cannot read when no argument stands in it', () => {
  expect(plan('ls src/(x)/[id]')).toMatchObject({ script: 'ls src/(x)/[id]', parameters: [] })
})

test('planExpansion() tells where a command stands', () => {
  const [command] = planExpansion(request('a\n\n- b !`cmd`', '', { bodyLine: 10 })).commands
  expect(command).toMatchObject({ source: 'cmd', line: 12, column: 7 })
})

test('planExpansion() plans any command of the limit in bounded time', () => {
  for (const unit of ['$1 ', 'x=$x; ', 'a=$b;b=$1;', '$(echo $1) ', '${x:-', '$((', 'f(){ ', '{a,', "'$ARGUMENTS'"]) {
    const start = performance.now()
    plan(unit.repeat(Math.floor(9_900 / unit.length)))
    expect(performance.now() - start, unit).toBeLessThan(5_000)
  }
})
