import { describe, expect, test } from 'vitest'
import { compileTables } from '../../src/policy/compile-tables.ts'
import { readSections } from '../../src/policy/row-table.ts'
import { loadTables } from '../../src/policy/tables.ts'

const readOnly = 'groups:\n  g: -g\nprograms:\n  a, b c:\n    groups: g\n    options: -x\nfind:\n  options: -H\n  expression: -name=text\n'
const facts = `danger:
  a:
    runs: -x
recursive:
  a: always
assignments:
  harmless: LANG LC_*
code:
  a: {}
gitConfig:
  a: b
`

describe('compileTables()', () => {
  test('reads rows by each of their names', () => {
    const tables = compileTables(readOnly, facts)
    expect([...tables.readOnly.names()]).toEqual(['a', 'b c'])
    expect([...(tables.readOnly.get('b c')?.options.rows.keys() ?? [])]).toEqual(['-g', '-x'])
    expect(tables.readOnly.get('c')).toBeUndefined()
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

describe('loadTables()', () => {
  const tables = loadTables()

  test('has no row that cannot be used', () => {
    for (const rows of [tables.readOnly, tables.danger, tables.recursive])
      for (const name of rows.names()) expect(rows.get(name), name).toBeDefined()
    expect(tables.find.expression.rows.size).toBeGreaterThan(40)
    expect(tables.find.options.rows.size).toBeGreaterThan(1)
    expect(tables.assignments.harmless).toMatchObject({ exact: expect.any(Set) })
  })

  test('gives every sub-command row a program that has sub-commands', () => {
    for (const rows of [tables.readOnly, tables.danger])
      for (const name of rows.names())
        if (name.includes(' ')) expect(rows.get(name.slice(0, name.lastIndexOf(' '))), name).toMatchObject({ subCommands: true })
  })
})
