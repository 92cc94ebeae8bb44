import { describe, expect, test } from 'vitest'
import { wrapperForm, wrapperNames } from '../../src/bash/wrappers.ts'
import { planExpansion } from '../../src/expansion/expand.ts'
import { request } from './request.ts'

function refusalOf(command: string): string | undefined {
  const [planned] = planExpansion(request(`\`\`\`\`!\n${command}\n\`\`\`\``, 'a b', { hasArgumentHint: true })).commands
  if (!planned) throw new Error('No command was planned')
  return planned.refusal
}

/** How each program of the table is made to start a command. */
const starters = [...wrapperNames()].flatMap(name => {
  const form = wrapperForm(name)
  if (form?.rest !== 'command' || form.subCommands || form.shell) return []
  const skipped = 'x '.repeat(form.skip)
  if (form.behindDashes) return [`${name} x -- `]
  return [...form.seeks, ...form.needs].length > 0 ? [...form.seeks, ...form.needs].map(word => `${name} ${word} `) : [`${name} ${skipped}`]
})

describe('planExpansion() knows every program that starts another', () => {
  test('so the table is read', () => {
    expect(starters.length).toBeGreaterThan(100)
  })

  test.each(starters)('%s may not take an argument to a shell', before => {
    expect(refusalOf(`${before}sh -c "$1"`)).toBeDefined()
    expect(refusalOf(`${before}python3 -c "$ARGUMENTS"`)).toBeDefined()
  })

  test.each(starters)('%s may not start an argument', before => {
    expect(refusalOf(`${before}"$1" x`)).toBeDefined()
  })
})

describe('planExpansion() refuses an argument among the words of the program that starts another', () => {
  test.each([
    'timeout "$1" ls',
    'sudo -u "$1" ls',
    'xargs -a "$1" cat',
    'conda run -n "$1" pytest',
    'env -S "$1"',
    'env PATH="$1" ls',
    'env $ARGUMENTS ls',
    'git rebase --exec "$1"',
    'fd . --exec="$1"',
    'echo "$1" | numactl bash',
    'echo "$1" | xargs -n1 nice sh -c',
    'echo "$1" | xargs -I@ env sh -c "echo @"',
    'echo "$1" | env -S bash',
  ])('%s', command => {
    expect(refusalOf(command)).toBeDefined()
  })
})

describe('planExpansion() lets the started program have it as data', () => {
  test.each([
    'uv run pytest "$1"',
    'bundle exec rspec "$1"',
    'perf stat cat "$1"',
    'numactl -N 0 cat "$1"',
    'nice -n 5 timeout 9 cat "$1"',
    'env A="$1" B=$2 -- cat "$1"',
    '/usr/bin/env python3 s.py "$1"',
    'unbuffer cat "$1"',
    'fd "$1" -x cat',
    'git -C sub log "$1"',
    'npm run build -- "$1"',
    'echo "$1" | xargs -r -n1 grep x',
    'echo "$1" | xargs -I{} cp {} d',
    'echo "$1" | env cat',
    'command -v "$1"',
  ])('%s', command => {
    expect(refusalOf(command)).toBeUndefined()
  })
})
