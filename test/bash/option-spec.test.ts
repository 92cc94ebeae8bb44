import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileKind, compileOptions, type ParseMode, parseOptions } from '../../src/bash/option-spec.ts'
import { shownWord } from '../../src/bash/words.ts'
import { wordsOf } from './words-of.ts'

const notation = '-a -b=text -c[=text] --all --bytes=number --color[=text] -NUMBER'

/** Options as `-b:value`, operands as they are, unknown ones as `?word`, open ones as `$word`, what is left as `|word`. */
function told(command: string, mode: ParseMode = {}, options = notation): string {
  const words = wordsOf(command)
  const parsed = parseOptions(words, compileOptions(options), mode)
  return [
    ...parsed.options.map(({ row, value }) => row.name + (value ? `:${shownWord({ ...value, text: '…' })}` : '')),
    ...parsed.operands.map(({ word }) => shownWord(word)),
    ...parsed.unknown.map(word => `?${shownWord(word)}`),
    ...parsed.open.map(word => `$${shownWord(word)}`),
    ...(mode.stopAtOperand ? words.slice(parsed.next).map(word => `|${shownWord(word)}`) : []),
  ].join(' ')
}

describe('parseOptions()', () => {
  test.each([
    ['p -a x', '-a x'],
    ['p x -a', '-a x'],
    ['p -ab v x', '-a -b:v x'],
    ['p -abv x', '-a -b:v x'],
    ['p -ba x', '-b:a x'],
    ['p -b', '-b'],
    ['p -c x', '-c x'],
    ['p -cx y', '-c:x y'],
    ['p --bytes 5 x', '--bytes:5 x'],
    ['p --bytes=5 x', '--bytes:5 x'],
    ['p --color red', '--color red'],
    ['p --color=red', '--color:red'],
    ['p --all=x', '?--all=x'],
    ['p --al', '?--al'],
    ['p --other -a', '-a ?--other'],
    ['p -az', '-a ?-az'],
    ['p -5', ''],
    ['p -5a', '-a'],
    ['p -- -a --all', '-a --all'],
    ['p - -a', '-a -'],
    ['p -b -- -a', '-b:-- -a'],
    ['p "$x"', '$"$x"'],
    ['p $x', '$$x'],
    ['p a"$x"', 'a"$x"'],
    ['p a$x', '$a$x'],
    ['p a*', 'a*'],
    ['p *', '*'],
    ['p -- $x', '$x'],
    ['p -b "$x" y', '-b:… y'],
    ['p -b"$x" y', '-b:… y'],
    ['p -a"$x"', '-a $-a"$x"'],
    ['p --bytes="$x"', '--bytes:…'],
    ['p --by"$x"', '$--by"$x"'],
  ])('reads %s as "%s"', (command, expected) => {
    expect(told(command)).toBe(expected)
  })

  test.each([
    ['p -a x -b y', '-a |x |-b |y'],
    ['p -b -a x', '-b:-a |x'],
    ['p -- -a', '|-a'],
    ['p -a', '-a'],
    ['p "$x" y', '$"$x" |"$x" |y'],
  ])('stops at the first operand of %s', (command, expected) => {
    expect(told(command, { stopAtOperand: true })).toBe(expected)
  })

  test.each([
    ['p --byt=5', '--bytes:5 ?--byt=5'],
    ['p --b', '--bytes ?--b'],
    ['p --', ''],
    ['p -zqa', '-a'],
    ['p --bytesx', '?--bytesx'],
  ])('when lenient, takes every option that %s may be', (command, expected) => {
    expect(told(command, { lenient: true })).toBe(expected)
  })

  test('reads `+5` only where the notation has it', () => {
    expect(told('p +5 x', {}, '+NUMBER')).toBe('x')
    expect(told('p +5 x', {}, '-a')).toBe('+5 x')
    expect(told('p +x', {}, '+NUMBER')).toBe('+x')
  })

  test('accounts for every known word once, whatever the words are', () => {
    const word = fc.stringMatching(/^(-{0,2}[abcxyz]{0,3}(=[a-z]?)?)$/).filter(text => text !== '')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), words => {
        const parsed = parseOptions(wordsOf(['p', ...words].join(' ')), compileOptions('-a -x -y -z -c'))
        const seen = new Set([...parsed.options.map(({ word }) => word), ...parsed.operands.map(({ word }) => word), ...parsed.unknown])
        const dashes = words.includes('--') ? 1 : 0
        expect(seen.size + dashes).toBe(words.length)
      }),
    )
  })
})

test.each(['-', '--', 'x', '-a=', '-a=unknown', '--long[=text', '-a[text]', '--long='])('compileOptions() refuses "%s"', part => {
  expect(() => compileOptions(part)).toThrow(/Cannot read/)
})

test('compileKind() reads a closed set', () => {
  expect(compileKind('a|b')).toEqual(new Set(['a', 'b']))
  expect(compileKind('text')).toBe('text')
})
