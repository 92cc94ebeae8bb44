// What git reads in a configuration file, compared with git itself.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readGitConfig } from '../../src/shell/git-config.ts'
import { temporaryFolder } from './support.ts'

/** Undefined where git refuses the file. */
function asGit(file: string, text: string): string[] | undefined {
  writeFileSync(file, text)
  try {
    const said = execFileSync('git', ['config', '--no-includes', '--list', '-z', '--file', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return said.split('\0').slice(0, -1)
  } catch {
    return undefined
  }
}

const ours = (text: string): string[] => readGitConfig(text).map(({ key, value }) => (value === undefined ? key : `${key}\n${value}`))

test.each([
  '[core]\n\thooksPath = .githooks\n',
  '[CORE] HooksPath=.githooks ; why\n# [core] x = y\n[core]\nhookspath\n',
  '[include]\n\tpath = "a b/c\\"d" e  f  # rest\n',
  '[includeIf "gitdir:~/w\\"x/"]\r\n\tpath = one\\\r\n two\\\n   three\r\n',
  '[diff "My Tool"] command = "./x \\t y"\\n;z\n',
  '[section.Sub.More]\nkey = "open # ; " end # gone\n',
  '[core]\n a = \n b=""\n c="  "\n d = x \\\n\n e = \\"\n',
  '\ufeff[core]\n\ta = b',
  '[a "b]\\\\c#d"]\n\tx = 1 [core] y\n[e]f=g\n',
  '[core]\n a = "x\\\ny"\n b = z\n',
  '[core]\n\tx = \v a\f\n',
  'k = a\n[core]\nx = y\n',
  '[core]\nhooksPath=\\',
  '[core]\nhooksPath=.githooks\\',
  '[core]\nhooksPath=.githooks\\\n',
  '[core]\nhooksPath=.githooks # x\\',
])('readGitConfig() reads %j as git does', text => {
  expect(ours(text)).toEqual(asGit(join(temporaryFolder(), 'config'), text))
})

test.each(['\tk = a\\ b', '\tk-1 = "a', '\t1k = b', '\ta b = c', '\ta # c', '[core', '=x'])(
  'readGitConfig() stops at %j, where git does',
  line => {
    const text = `[core]\n\tx = y\n${line}\n[core]\n\tz = 1\n`
    expect(asGit(join(temporaryFolder(), 'config'), text)).toBeUndefined()
    expect(ours(text)).toEqual(['core.x\ny'])
  },
)

test('readGitConfig() reads whatever git reads as git does', () => {
  const file = join(temporaryFolder(), 'config')
  const piece = fc.constantFrom(
    ...[
      '[core]',
      '[a "B c"]',
      '[a.B]',
      '\n',
      '\n\t',
      ' = ',
      '=',
      'key',
      'hooksPath',
      '"',
      '\\\n',
      '\\"',
      '\\\\',
      '\\t',
      ' ',
      '#',
      ';',
      '\r\n',
    ],
    ...['x', '.githooks', 'ä', '\\', '\t', ']', '-', '7', '\r', '\v'],
  )
  let read = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), pieces => {
      const text = `[core]\n${pieces.join('')}`
      const said = asGit(file, text)
      if (said === undefined) return
      read += 1
      // Of blanks inside a value older versions make plain ones.
      const plain = (values: readonly string[]) => values.map(value => value.replaceAll(/[\t\r]/g, ' '))
      expect(plain(ours(text))).toEqual(plain(said))
    }),
    { numRuns: 60 },
  )
  expect(read).toBeGreaterThan(5)
})
