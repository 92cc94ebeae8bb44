import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInside } from '../../src/inside.ts'

test.each<[path: string, folder: string, isIn: boolean]>([
  ['/w', '/w', true],
  ['/w/', '/w', true],
  ['/w', '/w/', true],
  ['/w/a', '/w', true],
  ['/w/a', '/w/', true],
  ['/w/a/b', '/w', true],
  ['/wa', '/w', false],
  ['/w', '/w/a', false],
  ['/', '/w', false],
  ['/', '/', true],
  ['/w', '/', true],
  ['/..w', '/', true],
  ['/w/..a', '/w', true],
  ['/w/..', '/w', false],
  ['/w/../w/a', '/w', true],
  ['/w/../x', '/w', false],
  ['/w/a/../../w2', '/w', false],
  ['/w/...', '/w', true],
  ['/w/.git', '/w', true],
  ['/w/.git/x', '/w/.git', true],
  ['/w/.gitx', '/w/.git', false],
  ['/w/./a', '/w/a', true],
  ['//w/a', '/w', true],
  ['/w//a', '/w/a', true],
  ['/w/a', '/w/b/../a', true],
  ['/W/a', '/w', false],
  ['/w/a\nb', '/w', true],
  ['/w\n/a', '/w', false],
])('isInside(%j, %j) is %s', (path, folder, isIn) => {
  expect(isInside(path, folder)).toBe(isIn)
})

test('isInside() compares part by part, however both are written', () => {
  const part = fc.constantFrom('a', 'ab', '..', '.', '', '..a', 'a..', '...')
  const written = fc.array(part, { maxLength: 5 }).map(parts => `/${parts.join('/')}`)
  const partsOf = (path: string): string[] => resolve(path).split('/').filter(Boolean)
  fc.assert(
    fc.property(written, written, (path, folder) => {
      const [inner, outer] = [partsOf(path), partsOf(folder)]
      expect(isInside(path, folder)).toBe(outer.every((each, at) => inner[at] === each))
    }),
    { numRuns: 2_000 },
  )
})
