import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, shorten, wellFormed } from '../../src/cut-text.ts'

test.each<[text: string, maxChars: number, cut: string, short: string]>([
  ['', 0, '', ''],
  ['abc', 0, '', '…'],
  ['abc', 1, 'a', '…'],
  ['abc', 2, 'ab', 'a…'],
  ['abc', 3, 'abc', 'abc'],
  ['abc', 4, 'abc', 'abc'],
  ['a😀b', 1, 'a', '…'],
  ['a😀b', 2, 'a', 'a…'],
  ['a😀b', 3, 'a😀', 'a…'],
  ['a😀b', 4, 'a😀b', 'a😀b'],
  ['😀', 1, '', '…'],
  ['ab', -1, '', '…'],
])('of %j with room for %i are kept %j and %j', (text, maxChars, cut, short) => {
  expect([cutText(text, maxChars), shorten(text, maxChars)]).toEqual([cut, short])
})

test('cutText() keeps all it may of any text, and never half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, maxChars) => {
      const cut = cutText(text, maxChars)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(maxChars)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, maxChars) - 1)
      expect(wellFormed(cut)).toBe(cut)
      expect(shorten(text, maxChars + 1).length).toBeLessThanOrEqual(maxChars + 1)
    }),
  )
})

test('wellFormed() replaces halves of characters and nothing else', () => {
  expect(wellFormed('a\ud83d b\ude00 😀')).toBe('a\ufffd b\ufffd 😀')
})
