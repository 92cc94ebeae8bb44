import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBash, walkNodes } from '../../src/bash/parse.ts'

const problemOf = (text: string): string | undefined => parseBash(text).problems[0]?.reason

describe('parseBash() reports what makes a text opaque', () => {
  test.each([
    ['echo "unterminated', 'a syntax error'],
    ['git status )', 'a syntax error'],
    ['echo $(echo $(echo "x)', 'a syntax error'],
    ['echo `if`', 'a syntax error'],
    ['cat <<EOF\nno end', 'a here-document without its closing line'],
    ['r=( $(x) )glued', 'an expansion that the parser did not take apart'],
    ['ls (', 'a bracket that belongs to nothing'],
    ['f() { echo (a; }', 'a bracket that belongs to nothing'],
    ['echo "$(ls ("', 'a'],
    ['git\u00a0status', 'a character that does not show (U+00A0)'],
    ['g\u200bit status', 'a character that does not show (U+200B)'],
    ['\ufeffgit status', 'a character that does not show (U+FEFF)'],
    ['git\u000bstatus', 'a character that does not show (U+000B)'],
    ['git status\r', 'a character that does not show (U+000D)'],
    ['echo "a\0b"', 'a character that does not show (U+0000)'],
    ['echo "$(g\u200bit x)"', 'a character that does not show (U+200B)'],
  ])('%j: %s', (text, reason) => {
    expect(problemOf(text)).toContain(reason)
  })

  test.each([
    ["echo 'a\u00a0b'"],
    ['echo "a\r"'],
    ['cat <<EOF\na\u00a0b\nEOF'],
    ['echo "日本語 🎉 ⚠️"'],
    ['echo ⚠️ done'],
    ['echo "$(git status)"'],
    ['echo a\tb\n'],
    ["echo '$(x)' \\$(x"],
    ['# a (comment\nls'],
    ['f() { ls; }; (f); case a in (a) ls ;; esac; x=(a b); [[ (a) ]]; echo $((1+(2))) <(ls) "(" `ls`'],
    ['echo \\( \'(\' "(" a\\(b'],
  ])('%j is readable or not for another reason', text => {
    expect(problemOf(text) ?? '').not.toMatch(/does not show|take apart/)
  })
})

test('parseBash() has limits: one under, at, one over', () => {
  const limits = { maxChars: 10, maxDepth: 256 }
  expect(parseBash('echo 3456', limits).problems).toEqual([])
  expect(parseBash('echo 34567', limits).problems).toEqual([])
  expect(parseBash('echo 345678', limits).problems).toHaveLength(1)
})

test('parseBash() reads 256 nested substitutions and no more', () => {
  const nested = (levels: number): string => `${'echo $('.repeat(levels)}true${')'.repeat(levels)}`
  expect(parseBash(nested(100)).problems).toEqual([])
  expect(parseBash(nested(300)).problems.length).toBeGreaterThan(0)
  expect(parseBash(nested(1_200)).problems.length).toBeGreaterThan(0)
})

test('parseBash() and walkNodes() never throw, whatever the bytes', () => {
  const signs = fc.constantFrom(
    '$(',
    ')',
    '`',
    '"',
    "'",
    '${',
    '}',
    '((',
    '))',
    '<<',
    'EOF',
    '\n',
    ';',
    '&',
    '|',
    '\\',
    'if',
    'fi',
    'case',
    ' ',
    'a',
    '[',
    ']',
    '\0',
    '\u{1F600}',
    '\ud800',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.array(signs, { maxLength: 120 }).map(parts => parts.join('')),
      ),
      text => {
        const parsed = parseBash(text)
        let nodes = 0
        walkNodes(parsed.script, () => {
          nodes += 1
          return undefined
        })
        expect(nodes).toBeGreaterThan(0)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('what bash refuses has a problem', () => {
  const pieces = fc.constantFrom(
    'echo a',
    ';',
    '&&',
    '||',
    '|',
    '(',
    ')',
    '{',
    '}',
    'if true',
    'then',
    'fi',
    'for x in a',
    'do',
    'done',
    'case x in',
    'x)',
    ';;',
    'esac',
    '"',
    "'",
    '\n',
    '&',
    '$(',
    '`',
    '<',
    '>',
    'f()',
    '!',
    '[[',
    ']]',
    '((',
    '))',
    'x=(',
  )
  const texts = fc
    .sample(fc.array(pieces, { minLength: 1, maxLength: 9 }), { numRuns: 400, seed: 20_261_130 })
    .map(parts => parts.join(' '))
  const refused = refusedByBash(texts)
  expect(refused.size).toBeGreaterThan(50)
  const missed = [...refused].filter(text => parseBash(text).problems.length === 0)
  expect(missed).toEqual([])
})

/** The texts that real bash does not accept, all asked in one process. */
function refusedByBash(texts: readonly string[]): ReadonlySet<string> {
  const script =
    'while IFS= read -r -d "" text; do if bash --norc --noprofile -n -c "$text" 2>/dev/null; then echo 1; else echo 0; fi; done'
  const answers = execFileSync('bash', ['--norc', '--noprofile', '-c', script], { input: texts.map(text => `${text}\0`).join('') })
    .toString()
    .trim()
    .split('\n')
  return new Set(texts.filter((_, index) => answers[index] === '0'))
}
