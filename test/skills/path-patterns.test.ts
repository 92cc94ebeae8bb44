import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePaths, expandBraces } from '../../src/skills/path-patterns.ts'

describe('compilePaths()', () => {
  test.each([
    // patterns, path, matches
    [['*.rs'], 'main.rs', true],
    [['*.rs'], 'src/main.rs', true],
    [['*.rs'], 'main.rsx', false],
    [['src/*.ts'], 'src/a.ts', true],
    [['./src/*.ts'], 'src/a.ts', true],
    [['././src/a.ts'], 'src/a.ts', true],
    [['src/*.ts'], 'src/deep/a.ts', false],
    [['src/*.ts'], 'lib/src/a.ts', false],
    [['/src/*.ts'], 'src/a.ts', true],
    [['/a.ts'], 'a.ts', true],
    [['/a.ts'], 'src/a.ts', false],
    [['a.ts'], 'src/a.ts', true],
    [['src/**'], 'src/a/b.ts', true],
    [['src/**'], 'src', false],
    [['src/**/*.ts'], 'src/a.ts', true],
    [['src/**/*.ts'], 'src/x/y/a.ts', true],
    [['**/test/*.ts'], 'test/a.ts', true],
    [['**/test/*.ts'], 'x/y/test/a.ts', true],
    [['**'], 'any/thing', true],
    [['docs'], 'docs/a/b.md', true],
    [['docs/'], 'docs/a.md', true],
    [['docs/'], 'docs', false],
    [['docs/'], 'x/docs/a.md', true],
    [['/docs/'], 'x/docs/a.md', false],
    [['app/(protected)/**'], 'app/(protected)/x.ts', true],
    [['app/(protected)/**'], 'app/protected/x.ts', false],
    [['app/[slug]/page.tsx'], 'app/[slug]/page.tsx', true],
    [['app/[slug]/page.tsx'], 'app/s/page.tsx', true],
    [['[a-c].ts'], 'b.ts', true],
    [['[!a-c].ts'], 'b.ts', false],
    [['[!a-c].ts'], 'd.ts', true],
    [['?.ts'], 'a.ts', true],
    [['?.ts'], 'ab.ts', false],
    [['*.{ts,tsx}'], 'a.tsx', true],
    [['{src,lib}/**/*.{js,{m,c}js}'], 'lib/x/a.cjs', true],
    [['{src,lib}/**/*.{js,{m,c}js}'], 'bin/a.cjs', false],
    [['a{b}.ts'], 'a{b}.ts', true],
    [['*'], '.env', true],
    [['.github/**'], '.github/workflows/ci.yml', true],
    [['*.yml'], '.github/workflows/ci.yml', true],
    [['*.ts', '!*.test.ts'], 'a.ts', true],
    [['*.ts', '!*.test.ts'], 'a.test.ts', false],
    [['*.ts', '!*.test.ts', 'keep.test.ts'], 'keep.test.ts', true],
    [['!docs/**'], 'src/a.ts', true],
    [['!docs/**'], 'docs/a.md', false],
    [['\\!odd.ts'], '!odd.ts', true],
    [['a\\*.ts'], 'a*.ts', true],
    [['a\\*.ts'], 'ab.ts', false],
    [['a+b@c$d|e^f.*'], 'a+b@c$d|e^f.ts', true],
    [['+(a|b).*'], 'a.ts', false],
    [['my file.*'], 'my file.md', true],
    [['ä*.md'], 'ähre.md', true],
    [['[ab'], 'a', false],
    [['[ab'], '[ab', true],
    [['src//a.ts'], 'src/a.ts', true],
    [['*.ts'], '', false],
    [[], 'a', false],
  ])('%j and %j: %j', (patterns, path, matches) => expect(compilePaths(patterns).matches(path)).toBe(matches))

  test.each([[['../x']], [['/']], [['']], [['./']], [['a/../b']], [['*a*b*c*d*e*']], [['x'.repeat(1_025)]]])('tells of %j', patterns => {
    const compiled = compilePaths([...patterns, '*.ok'])
    expect(compiled.problems).toHaveLength(1)
    expect(compiled.matches('a.ok')).toBe(true)
  })

  test('expands 1,000 patterns in all; one more is taken as written', () => {
    const of = (count: number): string => `{${Array.from({ length: count }, (_, index) => `f${index}`).join(',')}}`
    expect(compilePaths([of(100), of(100)]).problems).toEqual([])
    const tens = '{0,1,2,3,4,5,6,7,8,9}'
    expect(compilePaths([tens.repeat(3)]).problems).toEqual([])
    const over = compilePaths([tens.repeat(3), 'a'.concat('{b,c}')])
    expect([over.problems.length, over.matches('999'), over.matches('ab'), over.matches('a{b,c}')]).toEqual([1, true, false, true])
  })

  test('is done in no time, whatever the pattern and the path', () => {
    const part = fc.stringMatching(/^[ab*?[\]{},!\\()]{0,12}$/)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.nat(200), (parts, length) => {
        const compiled = compilePaths([parts.join('/')])
        const startedAt = performance.now()
        compiled.matches(Array(6).fill('a'.repeat(length)).join('/'))
        expect(performance.now() - startedAt).toBeLessThan(500)
      }),
      { numRuns: 200 },
    )
  })

  test('a path made of plain names matches itself', () => {
    const name = fc.stringMatching(/^[a-z0-9 ._()+@$-]{1,10}$/).filter(text => !/^\.{1,2}$/.test(text) && text.trim() === text)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), names => {
        expect(compilePaths([`/${names.join('/')}`]).matches(names.join('/'))).toBe(true)
      }),
    )
  })
})

test.each([
  ['a', ['a']],
  ['{a,b}', ['a', 'b']],
  ['{a,{b,c}}d', ['ad', 'bd', 'cd']],
  ['{a}', ['{a}']],
  ['{a,b', ['{a,b']],
  ['\\{a,b}', ['\\{a,b}']],
  ['{,x}', ['', 'x']],
])('expandBraces() of %j', (text, expanded) => {
  expect(expandBraces(text, 3)).toEqual(expanded)
  expect(expandBraces(text, expanded.length - 1)).toBeUndefined()
})
