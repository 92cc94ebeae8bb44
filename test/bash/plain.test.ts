// Which texts need no look for variables, functions and quotes: a decision on any other text takes the long way.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBash, walkNodes } from '../../src/bash/parse.ts'
import { readVariables } from '../../src/bash/variables.ts'

const rows: readonly (readonly [string, boolean])[] = [
  ['git log --oneline -20 | grep -v merge | wc -l', true],
  ['ls; pwd && cat a || true &', true],
  ['! ls | wc', false],
  ['read x', true],
  ['echo a\\ b', true],
  ['echo $x', false],
  ['echo "a"', false],
  ["echo 'a'", false],
  ['echo `a`', false],
  ['echo *.ts', false],
  ['echo {a,b}', false],
  ['a=1', false],
  ['a=1 ls', false],
  ['export a=1', false],
  ['ls > f', false],
  ['{fd}>f ls', false],
  ['cat <<E\nx\nE', false],
  ['(ls)', false],
  ['{ ls; }', false],
  ['f() { ls; }', false],
  ['for i in a b; do ls; done', false],
  ['if a; then b; fi', false],
  ['while a; do b; done', false],
  ['coproc ls', false],
  ['[[ a == b ]]', false],
  ['((a=1))', false],
  ['ls |', false],
  ['ls )', false],
  ['ls \u200b', false],
]

test.each(rows)('parseBash() says whether %j is plain: %s', (text, isPlain) => {
  expect(parseBash(text).isPlain).toBe(isPlain)
})

test('parseBash() calls no text plain that was not read whole', () => {
  const limits = { maxChars: 5, maxDepth: 256 }
  expect(['ls ab', 'ls abc'].map(text => parseBash(text, limits).isPlain)).toEqual([true, false])
})

test('in a plain text nothing is set besides by builtins, and no word of it expands', () => {
  const words = ['ls', 'a=1', '$a', '"q"', '|', ';', '&&', '>', 'f', '(', ')', '{', '}', 'for', 'read', 'do', 'done', '`', '!', '\n', '*']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 10 }), parts => {
      const parsed = parseBash(parts.join(' '))
      if (!parsed.isPlain) return
      expect([...readVariables(parsed.script, parsed.text).setBesides]).toEqual([])
      walkNodes(parsed.script, node => {
        expect(['Script', 'Statement', 'AndOr', 'Pipeline', 'Command', 'Word']).toContain(node.type)
        if (node.type === 'Word') expect(node.parts).toBeUndefined()
        return undefined
      })
    }),
  )
})
