// Which programs the shell host may start by itself: those that lie in the folders of the system, first in PATH.

import { expect, test } from 'vitest'
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
] as const)('findSystemPrograms() of %j in %j', (names, path, found) => {
  expect(findSystemPrograms(names, path)).toEqual(found)
})
