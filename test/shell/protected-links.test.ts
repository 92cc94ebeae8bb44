import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protectedLinks } from '../../src/shell/protected-links.ts'
import { temporaryFolder } from './support.ts'

// A link to nothing: what it names is laid aside when it comes to be in the workspace, and is no concern of ours elsewhere.
test.each<[name: string, target: string, isOurs: boolean]>([
  ['a name', 'none', true],
  ['a name that begins with dots', '..none', true],
  ['a name beside the workspace', '../none', false],
  ['a name beside it that begins like it', '../workspace-none', false],
])('protectedLinks() of a link to %s keeps it from coming to be: %s, %s', (_, target, isOurs) => {
  const workspace = join(temporaryFolder(), 'workspace')
  mkdirSync(workspace)
  symlinkSync(target, join(workspace, '.git'))
  const links = protectedLinks(workspace)
  expect(links?.mend()).toBeUndefined()
  mkdirSync(join(workspace, target))
  expect(typeof links?.mend()).toBe(isOurs ? 'string' : 'undefined')
  expect([existsSync(join(workspace, target)), readlinkSync(join(workspace, '.git'))]).toEqual([!isOurs, target])
  expect(readdirSync(workspace).some(name => name.includes('.replaced-'))).toBe(isOurs)
})
