import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitArguments } from '../../src/expansion/arguments.ts'

test.each<[string, string, string[]]>([
  ['nothing', '', []],
  ['blanks', ' \t\n', []],
  ['words', 'a  b\tc\nd', ['a', 'b', 'c', 'd']],
  ['double quotes', 'a "b c" d', ['a', 'b c', 'd']],
  ['single quotes', "'it is' b", ['it is', 'b']],
  ['an empty one', '"" b \'\'', ['', 'b', '']],
  ['a quote inside a word', 'a"b c"d', ['ab cd']],
  ['neighbours', `'it'"'"'s' ok`, ["it's", 'ok']],
  ['a backslash', 'a\\ b \\"c', ['a b', '"c']],
  ['a backslash in double quotes', '"say \\"hi\\" \\\\ \\n"', ['say "hi" \\ \\n']],
  ['a backslash in single quotes', "'a\\b'", ['a\\b']],
  ['a backslash at the end', 'a\\', ['a\\']],
  ['an unclosed single quote', "a\t 'b c", ['a', 'b c']],
  ['an unclosed double quote', 'a "b c', ['a', 'b c']],
  ['shell signs are plain', '$HOME ~ * $(x) {a,b} ; > #', ['$HOME', '~', '*', '$(x)', '{a,b}', ';', '>', '#']],
  ['a no-break space is no separator', 'a\u00a0b', ['a\u00a0b']],
])('splitArguments() reads %s', (_, text, words) => {
  expect(splitArguments(text)).toEqual(words)
})

test('splitArguments() gives back any list of words that was quoted', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), words => {
      expect(splitArguments(words.map(word => `'${word.replaceAll("'", `'"'"'`)}'`).join(' '))).toEqual(words)
    }),
  )
})
