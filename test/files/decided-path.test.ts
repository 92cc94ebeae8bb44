import { expect, test } from 'vitest'
import { explained, toolFailed } from '../../src/files/decided-path.ts'
import { codeOf } from './support.ts'

test.each<[system: string, said: RegExp]>([
  ['ENOENT', /no such file; Glob/],
  ['EACCES', /permission is denied/],
  ['EPERM', /permission is denied/],
  ['EROFS', /read-only/],
  ['ENOSPC', /disk is full.*untouched/],
  ['EDQUOT', /disk is full.*untouched/],
  ['EMFILE', /too many files/],
  ['ENXIO', /no ordinary file/],
  ['EIO', /the system says EIO/],
])('explained() of %s says what to do, and no path of the system', (code, said) => {
  const act = () => {
    throw Object.assign(new Error(`${code}: open '/proc/self/fd/9/a'`), { code })
  }
  const { code: told, message } = codeOf(() => explained('read "a"', act))
  expect([told, message]).toEqual(['TOOL_FAILED', expect.stringMatching(said)])
  expect(message).not.toContain('/proc')
})

test('explained() gives what an act gives, and errors of ours as they are', () => {
  expect(explained('read "a"', () => 1)).toBe(1)
  const error = toolFailed('read "a"', 'why')
  expect(() => explained('read "b"', () => raise(error))).toThrow(error)
})

function raise(error: Error): never {
  throw error
}
