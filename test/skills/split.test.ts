import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitFrontmatter } from '../../src/skills/split.ts'

describe('splitFrontmatter()', () => {
  const rows: readonly (readonly [string, string, string, string, string, number, number])[] = [
    // what, text, status, block, body, line of the body, oddities
    ['plain', '---\na: 1\n---\nB\n', 'block', 'a: 1\n', 'B\n', 4, 0],
    ['CRLF', '---\r\na: 1\r\n---\r\nB\r\n', 'block', 'a: 1\n', 'B\n', 4, 0],
    ['lone CR', '---\ra: 1\r---\rB\r', 'block', 'a: 1\n', 'B\n', 4, 0],
    ['byte order mark', '\uFEFF---\na: 1\n---\nB', 'block', 'a: 1\n', 'B', 4, 0],
    ['blanks behind the dashes', '---  \na: 1\n--- \t\nB', 'block', 'a: 1\n', 'B', 4, 0],
    ['closed at the end of the file', '---\na: 1\n---', 'block', 'a: 1\n', '', 3, 0],
    ['empty block', '---\n---\nB', 'block', '', 'B', 3, 0],
    ['glued text', '---\na: 1\n---# T\nB', 'block', 'a: 1\n', '# T\nB', 3, 1],
    ['closed with dots', '---\na: 1\n...\nB', 'block', 'a: 1\n', 'B', 4, 1],
    ['closed with four dashes', '---\na: 1\n----\nB', 'block', 'a: 1\n', 'B', 4, 1],
    ['closed by an indented line', '---\na: 1\n  ---\nB', 'block', 'a: 1\n', 'B', 4, 1],
    ['indented dashes before the end are text', '---\na: |\n  ---\n  x\n---\nB', 'block', 'a: |\n  ---\n  x\n', 'B', 6, 0],
    ['blank lines first', '\n \n---\na: 1\n---\nB', 'block', 'a: 1\n', 'B', 6, 1],
    ['comment first', '<!-- x\ny -->\n---\na: 1\n---\nB', 'block', 'a: 1\n', 'B', 6, 1],
    ['code fence around', '```markdown\n---\na: 1\n---\nB\n```\n', 'block', 'a: 1\n', 'B\n', 5, 1],
    ['rules in the body', '---\na: 1\n---\nB\n\n---\n\nC', 'block', 'a: 1\n', 'B\n\n---\n\nC', 4, 0],
    ['none', '# T\n---\na: 1\n---\n', 'none', '', '# T\n---\na: 1\n---\n', 1, 0],
    ['four dashes are no opening', '----\na: 1\n---\n', 'none', '', '----\na: 1\n---\n', 1, 0],
    ['empty', '', 'none', '', '', 1, 0],
    ['never closed', '---\na: 1\nB', 'unclosed', 'a: 1\nB', '---\na: 1\nB', 1, 0],
  ]
  test.each(rows)('reads: %s', (_, text, status, block, body, bodyLine, oddities) => {
    const split = splitFrontmatter(text)
    expect({ ...split, oddities: split.oddities.length, blockLine: 0 }).toEqual({ status, block, body, bodyLine, oddities, blockLine: 0 })
  })

  const piece = fc.constantFrom(
    '---',
    '---\n',
    '\n',
    'a: 1\n',
    '<!--',
    '-->',
    '```\n',
    '  ---\n',
    '----\n',
    '...\n',
    'x',
    '\r\n',
    '\r',
    '\uFEFF',
    ' ',
    '---# T\n',
  )
  test('never changes its answer about the beginning of a file when more of it is there', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), fc.nat(60), (pieces, cut) => {
        const text = pieces.join('')
        const early = splitFrontmatter(text.slice(0, cut), { complete: false })
        if (early === undefined) return
        const whole = splitFrontmatter(text)
        expect({ status: early.status, block: early.block, line: early.blockLine }).toEqual({
          status: whole.status,
          block: whole.block,
          line: whole.blockLine,
        })
      }),
      { numRuns: 3000 },
    )
  })
})
