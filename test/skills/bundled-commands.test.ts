// What the bundled skills tell people to type has to be there: each `skillcell …` in them is compared with the help of the command line.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { openPlace, type Place } from '../cli/command-line.ts'

interface Mention {
  readonly command: string
  readonly words: readonly string[]
  readonly flags: readonly string[]
}

/** Commands in code: spans, fences, and rules for Bash. Prose may name the program alone. */
function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(/(?<=`|\| |\(|^ *)skillcell ((?:[a-z]+ ?)+)([^`\n>)]*)/gm)].map(([command, words = '', rest = '']) => ({
    command: command.trim(),
    words: words.trim().split(' '),
    flags: [...`${rest}`.matchAll(/--[a-z-]+/g)].map(([flag]) => flag),
  }))
}

const folder = join(packageRoot, 'src/bundled')
const mentions = readdirSync(folder).flatMap(name =>
  mentionsIn(readFileSync(join(folder, name, 'SKILL.md'), 'utf8')).map(mention => ({ name, ...mention })),
)
// The first word is the command; those of two words are the ones that have commands below them.
const parents = ['policy', 'audit']

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(() => place.remove())

async function problemOf({ words, flags }: Mention): Promise<string | undefined> {
  const path = words.slice(0, parents.includes(words[0] ?? '') ? 2 : 1)
  const { stdout } = await place.runHere([...path, '--help'])
  if (!stdout.includes(`Usage: skillcell ${path.join(' ')} `)) return `there is no command "${path.join(' ')}"`
  const missing = flags.find(flag => !new RegExp(`(?<![a-z-])${flag}(?![a-z-])`).test(stdout))
  return missing && `"${path.join(' ')}" has no ${missing}`
}

test('mentionsIn() finds commands and their flags', () => {
  const text =
    'With skillcell all is well.\n`skillcell list --all` and Bash(skillcell policy check *)\n  printf x | skillcell expand N --json >y\n'
  expect(mentionsIn(text).map(({ words, flags }) => [words, flags])).toEqual([
    [['list'], ['--all']],
    [['policy', 'check'], []],
    [['expand'], ['--json']],
  ])
})

describe('bundled skills', () => {
  test('mention commands', () => expect(mentions.length).toBeGreaterThan(10))

  test.each(mentions)('$name: $command', async mention => expect(await problemOf(mention)).toBeUndefined())

  test('that mentioned a command or flag that is not there would be found', async () => {
    const wrong = mentionsIn('`skillcell bach jobs` `skillcell policy chek` `skillcell list --al`')
    expect(wrong).toHaveLength(3)
    for (const mention of wrong) expect(await problemOf(mention)).toMatch(/there is no command "(?:bach|policy chek)"|"list" has no --al/)
  })
})
