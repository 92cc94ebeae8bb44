// The output text: counting, trimming, cutting, decoding.

import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText } from '../../src/cut-text.ts'
import { createTextCap, readCapped, type TextLimits } from '../../src/shell/output.ts'
import { temporaryFolder } from './support.ts'

const limits: TextLimits = { maxOutputChars: 10, previewChars: 4, trim: 'trailing-newlines' }
const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })

test.each([
  // text, trim, what is left, chars, truncated
  ['', 'trailing-newlines', '', 0, false],
  ['\n\n\n', 'trailing-newlines', '', 0, false],
  ['a\r\n\n', 'trailing-newlines', 'a\r', 2, false],
  [' a \n', 'trailing-newlines', ' a ', 3, false],
  [' \n a\t\n', 'both-ends', 'a', 1, false],
  ['   \n', 'both-ends', '', 0, false],
  ['123456789', 'trailing-newlines', '123456789', 9, false],
  ['1234567890', 'trailing-newlines', '1234567890', 10, false],
  ['12345678901', 'trailing-newlines', '1234', 11, true],
  [`1234567890${'\n'.repeat(100)}`, 'trailing-newlines', '1234567890', 10, false],
  [`1234567890${'\n'.repeat(100)}x`, 'trailing-newlines', '1234', 111, true],
  [`  1234567890${' '.repeat(100)}`, 'both-ends', '1234567890', 10, false],
  ['123😀567890', 'trailing-newlines', '123😀567890', 11, true],
] as const)('createTextCap() of %j with %s', (text, trim, left, chars, truncated) => {
  const whole = createTextCap({ ...limits, trim })
  whole.push(text)
  const expected = { text: truncated ? cutText(left, 4) : left, chars, truncated }
  expect(whole.finish()).toEqual(expected)
})

test('createTextCap() gives the same for any pieces of a text', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(character, fc.constantFrom('\n', ' ', '\t', '\r')), { maxLength: 30 }), fc.boolean(), (pieces, both) => {
      const options: TextLimits = { ...limits, trim: both ? 'both-ends' : 'trailing-newlines' }
      const inPieces = createTextCap(options)
      for (const piece of pieces) inPieces.push(piece)
      const whole = pieces.join('')
      const trimmed = both ? whole.trim() : whole.replace(/\n+$/, '')
      const truncated = trimmed.length > 10
      expect(inPieces.finish()).toEqual({
        text: truncated ? cutText(trimmed, 4) : trimmed,
        chars: trimmed.length,
        truncated,
      })
    }),
  )
})

test('cutText() keeps at most the length and never half a character, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 12 }), fc.nat({ max: 14 }), (text, length) => {
      const cut = cutText(text, length)
      expect(text.startsWith(cut)).toBe(true)
      expect(Buffer.from(cut).toString()).toBe(cut)
      expect(cut.length).toBeLessThanOrEqual(length)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1)
    }),
  )
})

test('readCapped() decodes characters that lie across the border of two reads', async () => {
  const path = join(temporaryFolder(), 'output')
  for (const shift of [1, 2, 3]) {
    const text = 'x'.repeat(64 * 1024 - shift) + '😀'.repeat(40_000)
    writeFileSync(path, text)
    const descriptor = openSync(path, 'r')
    const whole = await readCapped([descriptor], { ...limits, maxOutputChars: 1_000_000 })
    closeSync(descriptor)
    expect(whole.text === text).toBe(true)
  }
})

test.each([
  ['half a character at the end', [0xe4, 0xb8], '\ufffd'],
  ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ['bytes that are no UTF-8', [0x61, 0xff, 0xfe, 0x62], 'a\ufffd\ufffdb'],
  ['NUL, ESC and CR', [0x00, 0x1b, 0x0d], '\0\u001b\r'],
])('readCapped() with %s', async (_what, bytes, text) => {
  const path = join(temporaryFolder(), 'output')
  writeFileSync(path, Buffer.from(bytes))
  const descriptor = openSync(path, 'r')
  const result = await readCapped([descriptor, descriptor], limits)
  closeSync(descriptor)
  expect(result.text).toBe(text + text)
})
