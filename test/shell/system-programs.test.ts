// Which programs the shell host may start by itself: those that lie in the folders of the system, first in PATH.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findSystemPrograms } from '../../src/shell/system-programs.ts'

test.each([
  [['ls'], '/usr/bin:/bin', ['/usr/bin/ls']],
  [['ls', 'cat'], '/nowhere:/usr/bin', ['/usr/bin/ls', '/usr/bin/cat']],
  [['/usr/bin/ls'], '', ['/usr/bin/ls']],
  [[], '', []],
  [['ls', 'no-such-program'], '/usr/bin', undefined],
  [['ls'], '', undefined],
  [['ls'], '.:/usr/bin', undefined],
  [['ls'], 'bin:/usr/bin', undefined],
  [['ls'], '/nowhere', undefined],
  [['/usr/lib/os-release'], '/usr/bin', undefined],
  [['/usr/bin/no-such-program'], '/usr/bin', undefined],
  [['a'.repeat(300)], '/usr/bin', undefined],
] as const)('findSystemPrograms() of %j in %j', (names, path, found) => {
  const places = findSystemPrograms(names, path)
  expect(places && [...places.values()]).toEqual(found)
})

test('findSystemPrograms() takes nothing that another folder has first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillcell-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(findSystemPrograms(['ls'], `${folder}:/usr/bin`)?.get('ls')).toBe('/usr/bin/ls')
  writeFileSync(join(folder, 'ls'), '')
  expect(findSystemPrograms(['ls'], `${folder}:/usr/bin`)).toBeUndefined()
  expect(findSystemPrograms(['ls'], `/usr/bin:${folder}`)?.get('ls')).toBe('/usr/bin/ls')
})
