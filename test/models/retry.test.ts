import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryAfterMs, retryDelayMs } from '../../src/models/retry.ts'
import { modelSettings } from '../../src/models/settings.ts'

const now = Date.UTC(2026, 0, 1)
const settings = { ...modelSettings, backoffMs: 100, maxBackoffMs: 1_000, maxRetryAfterMs: 5_000 }

test.each([
  ['seconds', { 'retry-after': '2' }, 2_000],
  ['a part of a second', { 'retry-after': '0.25' }, 250],
  ['none', { 'retry-after': '0' }, 0],
  ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }, 3_000],
  ['a date that is past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  ['milliseconds first', { 'retry-after-ms': '70.2', 'retry-after': '9' }, 71],
  ['milliseconds that are none', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
  ['a negative number', { 'retry-after': '-5' }, undefined],
  ['a word', { 'retry-after': 'soon' }, undefined],
  ['a number without end', { 'retry-after': '9'.repeat(400) }, undefined],
  ['nothing', {}, undefined],
])('retryAfterMs() reads %s', (_, headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected)
})

test.each([
  [1, 0, 0],
  [1, 0.5, 50],
  [1, 0.999, 100],
  [2, 0.5, 100],
  [3, 0.5, 200],
  [4, 0.5, 400],
  [5, 0.5, 500],
  [40, 0.5, 500],
])('retryDelayMs() after try %d with dice %d is %d ms', (attempt, dice, expected) => {
  expect(retryDelayMs(attempt, undefined, now, { ...settings, random: () => dice })).toBe(expected)
})

test.each([
  ['4', 4_000],
  ['5', 5_000],
  ['6', 5_000],
])('retryDelayMs() waits the %s seconds that are asked for, up to its limit', (seconds, expected) => {
  expect(retryDelayMs(1, new Headers({ 'retry-after': seconds }), now, settings)).toBe(expected)
})

test('retryDelayMs() is a whole number within its limits for any header', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.string({ unit: 'grapheme-ascii' }), (attempt, value) => {
      const wait = retryDelayMs(attempt + 1, new Headers({ 'retry-after': value.trim() }), now, settings)
      return Number.isInteger(wait) && wait >= 0 && wait <= settings.maxRetryAfterMs
    }),
  )
})
