import { expect, test } from 'vitest'
import { holdsName, readNames } from '../../src/bash/names.ts'
import { isDecidingName, isReservedName } from '../../src/bash/variable-names.ts'

test.each([
  // name, decides what runs, is closed to arguments
  ['PATH', true, true],
  ['LD_PRELOAD', true, true],
  ['BASH_ENV', true, true],
  ['GIT_SSH_COMMAND', true, true],
  ['http_proxy', true, true],
  ['npm_config_prefix', true, true],
  ['MANPAGER', true, true],
  ['HISTFILE', true, true],
  ['path', true, false],
  ['prompt', true, false],
  ['USER', false, true],
  ['ARG1', false, true],
  ['REPLY', false, true],
  ['LC_ALL', false, true],
  ['AWS_PROFILE', false, true],
  ['MANIFEST', false, false],
  ['ZIPCODE', false, false],
  ['EMAIL', false, false],
  ['file', false, false],
  ['HISTORY', false, false],
])('%s', (name, decides, reserved) => {
  expect([isDecidingName(name), isReservedName(name)]).toEqual([decides, reserved])
})

test('readNames() reads exact names, beginnings, endings and all', () => {
  const names = readNames('A  B*\n*C')
  expect(['A', 'AB', 'B', 'Bx', 'xC', 'C', 'CB'].filter(name => holdsName(names, name))).toEqual(['A', 'B', 'Bx', 'xC', 'C'])
  expect(holdsName(readNames('*'), 'anything')).toBe(true)
  expect(holdsName(readNames(''), '')).toBe(false)
})
