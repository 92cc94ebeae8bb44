// The tables of codes, limits and dialects have one row each in the README, and the README no row of its own.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { dialects } from '../../src/dialect.ts'
import { errorCodes } from '../../src/errors.ts'
import { limits } from '../../src/limits.ts'

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')

test('the README has a row for each error code, and none of its own', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { exitCode, meaning, remedy }]) => `| \`${code}\` | ${exitCode} | ${meaning} | ${remedy} |`,
  )
  expect(rowsOf('Errors')).toEqual(rows)
})

test('the README has a row for each limit, and none of its own', () => {
  const rows = Object.entries(limits).map(
    ([name, row]) => `| \`${name}\` | ${row.bounds} | ${row.unit} | ${row.default.toLocaleString('en-US')} | ${row.reached} |`,
  )
  expect(rowsOf('Limits')).toEqual(rows)
})

test('the README has a row for each column of a dialect, and none of its own', () => {
  const { skillcell, wave, claude } = dialects
  const shown = (value: unknown): string => `\`${Array.isArray(value) ? value.join(' > ') : String(value)}\``
  const rows = Object.entries({ skillcell, wave, claude }).map(([name, dialect]) => [
    shown(name),
    ...Object.entries(dialect).flatMap(([column, value]) => (column === 'name' ? [] : [shown(value)])),
  ])
  const cells = [headOf('Dialects'), ...rowsOf('Dialects')].map(row => row.split(' | '))
  expect(cells.map(([column]) => column)).toEqual([
    '| column',
    ...Object.keys(skillcell).flatMap(column => (column === 'name' ? [] : [`| \`${column}\``])),
  ])
  for (const [index, row] of rows.entries()) expect(cells.map(each => each[index + 2]?.replace(/ \|$/, ''))).toEqual(row)
})

test('each code says what it means and what to do', () => {
  for (const { meaning, remedy } of Object.values(errorCodes)) expect(meaning.length > 0 && remedy.length > 0).toBe(true)
})

test('no limit is above its most', () => {
  for (const row of Object.values(limits)) expect(row.default).toBeLessThanOrEqual(row.max ?? Number.MAX_SAFE_INTEGER)
})

function headOf(heading: string): string {
  return sectionOf(heading).find(line => line.startsWith('| ')) ?? ''
}

/** The rows of the table under a heading, without its head. */
function rowsOf(heading: string): readonly string[] {
  return sectionOf(heading).filter(line => line.startsWith('| `'))
}

function sectionOf(heading: string): readonly string[] {
  const section = readme.split(/^## /m).find(each => each.startsWith(`${heading}\n`)) ?? ''
  return section.split('\n')
}
