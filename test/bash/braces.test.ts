import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expandBraces } from '../../src/bash/braces.ts'
import { parseBash, type Word } from '../../src/bash/parse.ts'

function operand(text: string): Word | undefined {
  const [statement] = parseBash(`x ${text}`).script.commands
  const command = statement?.command
  const [word] = command?.type === 'Command' ? command.args : []
  return word?.type === 'Word' && parseBash(`x ${text}`).problems.length === 0 ? word : undefined
}

function expanded(text: string): readonly string[] | undefined {
  const word = operand(text)
  return word && expandBraces(word)?.map(each => each.text)
}

test.each<[string, readonly string[] | undefined]>([
  ['{a,b}.txt', ['a.txt', 'b.txt']],
  ['x{1..3}y', ['x1y', 'x2y', 'x3y']],
  ['{3..1}', ['3', '2', '1']],
  ['{-1..1}', ['-1', '0', '1']],
  ['{a..c}', ['a', 'b', 'c']],
  ['a{,b}', ['a', 'ab']],
  ['{,x}', ['x']],
  ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
  ['{a,{b,c}}d', ['ad', 'bd', 'cd']],
  ['*.{ts,js}', ['*.ts', '*.js']],
  ['"q r"/{a,b}', ['q r/a', 'q r/b']],
  ['{1..64}', Array.from({ length: 64 }, (_, index) => String(index + 1))],
  // Not certain, too many, or no braces at all.
  ['{1..65}', undefined],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', undefined],
  ['{01..03}', undefined],
  ['{1..9..2}', undefined],
  ['{a,$x}', undefined],
  ['$x{a,b}', undefined],
  ['{a,`ls`}', undefined],
  ['{a,~}', undefined],
  ['~/{a,b}', undefined],
  ['{a\\,b,c}', undefined],
  ['{a,"b"}', undefined],
  ['{a,b}$', undefined],
  ['a', undefined],
  ['{a}', undefined],
])('expandBraces() reads %s', (text, words) => {
  expect(expanded(text)).toEqual(words)
})

test('expandBraces() agrees with bash on whatever it takes', () => {
  const sign = fc.constantFrom('a', 'b', '1', '3', '{', '}', ',', '..', '.', '-', '/', '=', '"q"', "'s'", '~', '\\', '$', '0', '%', ':')
  const piece = fc.array(sign, { maxLength: 3 }).map(signs => signs.join(''))
  const plain = fc.constantFrom('', 'a', 'b1', '-', '/x', '.')
  const list = fc.array(fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: piece }), { minLength: 1, maxLength: 4 })
  const braces = list.map(choices => `{${choices.join(',')}}`)
  const range = fc.tuple(fc.integer({ min: -4, max: 12 }), fc.integer({ min: -4, max: 12 })).map(([from, to]) => `{${from}..${to}}`)
  const inner = fc.tuple(plain, braces, plain).map(([before, each, after]) => `{x,${before}${each}${after}}`)
  const part = fc.oneof(braces, range, inner, plain, piece)
  const texts = [
    ...new Set(fc.sample(fc.array(part, { minLength: 1, maxLength: 3 }), { numRuns: 3_000, seed: 5 }).map(each => each.join(''))),
  ]
  const taken = texts.flatMap(text => {
    const words = expanded(text)
    return words ? [{ text, words }] : []
  })
  expect(taken.length).toBeGreaterThan(200)
  const script = taken.map(({ text }) => `printf '%s\\n' ${text}; echo @@@`).join('\n')
  const answers = execFileSync('bash', ['--norc', '--noprofile', '-f', '-c', script], { env: { HOME: '/home' } })
    .toString()
    .split('@@@\n')
  for (const [index, { text, words }] of taken.entries())
    expect({ text, words: answers[index] }).toEqual({ text, words: words.length === 0 ? '\n' : `${words.join('\n')}\n` })
})
