import { expect, test } from 'vitest'
import { foundPath } from '../../src/files/found-path.ts'

test.each<[printed: string, real: string, shown: string, workspace: string, found: string]>([
  ['./a/b', '/w', '.', '/w', 'a/b'],
  ['./b', '/w/a', 'a', '/w', 'a/b'],
  ['./b', '/', '/', '/', 'b'],
  ['./b', '/etc', '/etc', '/', 'etc/b'],
  ['./b', '/w2', '/w2', '/w', '/w2/b'],
  ['./..b', '/w', '.', '/w', '..b'],
  ['./a\nb', '/w', '.', '/w', '"a\\nb"'],
])('foundPath(%j) in %s, which is %s, of the workspace %s is shown as %s', (printed, real, shown, workspace, found) => {
  expect(foundPath(printed, { real, shown }, workspace).shown).toBe(found)
})
