import { expect, test } from 'vitest'
import { isRecord } from '../../src/is-record.ts'

test.each<[value: unknown, is: boolean]>([
  [{}, true],
  [{ a: 1 }, true],
  [Object.create(null), true],
  [JSON.parse('{"__proto__": 1}'), true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [1, false],
  [() => {}, false],
])('isRecord(%j) is %s', (value, is) => {
  expect(isRecord(value)).toBe(is)
})
