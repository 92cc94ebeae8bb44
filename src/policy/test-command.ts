// `[[ … ]]` as uses of `test`, for a text that holds nothing else: one for each comparison in it. What reads code there is opaque before.

import type { TestExpression } from '../bash/parse.ts'
import { literalWord, readWord, type ShellWord } from '../bash/words.ts'

const fileTest = /^-[abcdefghkLNOGprsSuwx]$/
const fileComparison = /^-(?:nt|ot|ef)$/

/** The words of each `test`. Strings and numbers are only compared: they are left out. */
export function testsOf(expression: TestExpression): readonly (readonly ShellWord[])[] {
  switch (expression.type) {
    case 'TestUnary':
      return [fileTest.test(expression.operator) ? [test, literalWord(expression.operator), oneWord(readWord(expression.operand))] : [test]]
    case 'TestBinary':
      return fileComparison.test(expression.operator)
        ? [[test, oneWord(readWord(expression.left)), literalWord(expression.operator), oneWord(readWord(expression.right))]]
        : [[test]]
    case 'TestLogical':
      return expression.operands.flatMap(testsOf)
    case 'TestNot':
      return testsOf(expression.operand)
    case 'TestGroup':
      return testsOf(expression.expression)
  }
}

const test = literalWord('test')

/** Nothing is split or looked up on the disk there. A glob stays as it is written. */
function oneWord(word: ShellWord): ShellWord {
  const pieces = word.pieces.map(piece => (piece.type === 'glob' ? { type: 'literal' as const, value: piece.text } : piece))
  const known = pieces.every(piece => piece.type === 'literal')
  return { ...word, pieces, value: known ? pieces.map(piece => (piece.type === 'literal' ? piece.value : '')).join('') : undefined }
}
