import { describe, expect, test } from 'vitest'
import { compileTables } from '../../src/policy/compile-tables.ts'
import { readSections } from '../../src/policy/row-table.ts'

const readOnly = 'groups:\n  g: -g\nprograms:\n  a, b c:\n    groups: g\n    options: -x\nfind:\n  options: -H\n  expression: -name=text\n'
const facts = `danger:
  a:
    runs: -x
recursive:
  a: always
assignments:
  harmless: LANG LC_*
  special: path npm_* *_proxy
wrappers:
  a:
    skip: 1
`

describe('compileTables()', () => {
  test('reads rows by each of their names', () => {
    const tables = compileTables(readOnly, facts)
    expect([...tables.readOnly.names()]).toEqual(['a', 'b c'])
    expect([...(tables.readOnly.get('b c')?.options.rows.keys() ?? [])]).toEqual(['-g', '-x'])
    expect(tables.readOnly.get('c')).toBeUndefined()
    expect(tables.wrappers.get('a')).toMatchObject({ skip: 1, rest: 'command' })
  })

  test.each([
    ['an unknown key', readOnly.replace('options: -x', 'option: -x'), facts, /"read-only-commands\.yaml", line 4: programs\.a/],
    ['a bad option', readOnly.replace('-x', '-x='), facts, /programs\.a: Cannot read the option "-x="/],
    ['an unknown group', readOnly.replace('groups: g', 'groups: h'), facts, /Cannot find the row "h"/],
  ])('refuses %s at the first use', (_what, readOnlyText, factsText, message) => {
    const tables = compileTables(readOnlyText, factsText)
    expect(() => tables.readOnly.get('a')).toThrow(message)
  })

  test.each([
    ['a name that stands twice', `${readOnly}  options: -P\n`, /line 10: "options" stands in this section twice/],
    ['a line of its own', `${readOnly}x\n`, /line 10: it is neither/],
    ['a missing section', readOnly.replace('groups:', 'group:'), /has no section "groups"/],
  ])('refuses %s', (_what, text, message) => {
    expect(() => compileTables(text, facts)).toThrow(message)
  })
})

test('readSections() leaves comments and blank lines out', () => {
  const sections = readSections('# c\n\na:\n  # c\n  b: 1\n\n    c\n', 'f')
  expect(sections.get('a')?.get('b')).toEqual({ text: '  b: 1\n    c', line: 5 })
})
