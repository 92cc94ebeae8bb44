import { describe, expect, test } from 'vitest'
import { planExpansion } from '../../src/expansion/expand.ts'
import { request } from './request.ts'

const refusalOf = (command: string): string | undefined =>
  planExpansion(request(`!\`${command}\`\n`, 'value', { hasArgumentHint: true })).commands[0]?.refusal

describe('code read from where an argument may have gone unseen is refused, its harmless twin is not', () => {
  test.each([
    ['bash /dev/stdin <<< "$1"', 'bash ./script.sh <<< "$1"'],
    ['bash /proc/self/fd/0 <<< "$1"', 'bash ./script.sh "$1"'],
    ['. /dev/stdin <<< "$1"', '. ./script.sh; echo "$1"'],
    ['python3 /dev/stdin <<< "$1"', 'python3 ./script.py "$1"'],
    ['{ eval "$(cat)"; } <<< "$1"', '{ cat; } <<< "$1"'],
    ['echo "$1" | { x=$(cat); eval "$x"; }', 'echo "$1" | { x=$(cat); echo "$x"; }'],
    ['exec <<< "$1"; sh', 'exec 2>/dev/null; cat "$1"'],
    ['exec 3< <(echo "$1"); sh <&3', 'cat < <(echo "$1")'],
    ['echo "$1" > >(bash)', 'echo "$1" > >(cat)'],
    ['sed -ne "$1" f', 'sed -ne p "$1"'],
    ['sed --file=- f <<< "$1"', 'sed s/a/b/ <<< "$1"'],
    ['awk -f - <<< "$1"', 'awk \'{print $1}\' "$1"'],
    ['tar -I "$1" -cf a b', 'tar -cf a "$1"'],
    ['split --filter "$1" f', 'split "$1"'],
    ['git -c "$1" x', 'git log "$1"'],
    ['sg g -c "$1"', 'id -Gn "$1"'],
    ['read RANDOM <<< "$1"', 'read -r line <<< "$1"'],
    ['for RANDOM in "$1"; do :; done', 'for name in "$1"; do echo "$name"; done'],
    ['HISTCMD="$1"', 'name="$1"'],
  ])('%s beside %s', (refused, allowed) => {
    expect(refusalOf(refused)).toBeDefined()
    expect(refusalOf(allowed)).toBeUndefined()
  })
})
