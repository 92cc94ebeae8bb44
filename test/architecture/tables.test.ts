// The tables of codes and limits have one row each in the README, and the README no row of its own.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import { limits } from '../../src/options.ts'

const path = fileURLToPath(new URL('../../README.md', import.meta.url))
const readme = existsSync(path) ? readFileSync(path, 'utf8') : undefined

test.skipIf(readme === undefined)('the README has a row for each error code', () => {
  expect(firstCells(/^`[A-Z][A-Z_]+`$/)).toEqual(Object.keys(errorCodes).toSorted())
})

test.skipIf(readme === undefined)('the README has a row for each limit', () => {
  expect(firstCells(/^`[a-z]\w+(Ms|Chars|Bytes|Mb|Depth|Threads|Concurrency)`$/)).toEqual(Object.keys(limits).toSorted())
})

test('each code says what it means and what to do', () => {
  for (const { meaning, remedy } of Object.values(errorCodes)) expect(meaning.length > 0 && remedy.length > 0).toBe(true)
})

test('no limit is above its most', () => {
  for (const row of Object.values(limits)) expect(row.default).toBeLessThanOrEqual(row.max ?? Number.MAX_SAFE_INTEGER)
})

/** The first cells of table rows that look like this, without their backticks. */
function firstCells(like: RegExp): string[] {
  return (readme ?? '')
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line => line.split('|')[1]?.trim() ?? '')
    .filter(cell => like.test(cell))
    .map(cell => cell.slice(1, -1))
    .toSorted()
}
