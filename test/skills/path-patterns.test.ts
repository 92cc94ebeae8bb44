import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
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
    [['**/'], 'a.ts', false],
    [['**/'], 'x/a.ts', true],
    [['x/**/'], 'x/a.ts', false],
    [['x/**/'], 'x/y/a.ts', true],
    [['x/**/'], 'y/x/z/a.ts', false],
    [['**/x/**/'], 'y/x/z/a.ts', true],
    [['a/*/'], 'a/b', false],
    [['a/*/'], 'a/b/c', true],
    [['**/**/a'], 'a', true],
    [['*a*b*c*'], 'xxaxxbxxcxx', true],
    [['*a*b*c*'], 'xxbxxaxxcxx', false],
    [['*ab*ab'], 'ab', false],
    [['*ab*ab'], 'xabab', true],
    [['a*[0-9]*?z'], 'a-7-yz', true],
    [['a*[0-9]*?z'], 'a-7z', false],
    [['[*]*[*]'], '*x*', true],
    [['[*]*[*]'], 'axb', false],
    [['\\**\\*'], '*x*', true],
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
    [['[\\(a'], '[(a', true],
    [['x*[\\('], 'x', false],
    [['src//a.ts'], 'src/a.ts', true],
    [['*.ts'], '', false],
    [[], 'a', false],
  ])('%j and %j: %j', (patterns, path, matches) => expect(compilePaths(patterns).matches(path)).toBe(matches))

  test.each([
    // a pattern, the sign that nothing closes
    ['*.[ab', '['],
    ['[]', '['],
    ['[!]', '['],
    ['a[b/c]d', '['],
    ['*.{ts,tsx', '{'],
    ['{a,{b,c}', '{'],
    ['[]]', undefined],
    ['[!]]', undefined],
    ['[[]', undefined],
    ['[{]', undefined],
    ['a]b}c', undefined],
    ['\\[a\\{b', undefined],
    ['{a,{b,c}}/[ab]*.ts', undefined],
  ])('of %j nothing closes %j', (pattern, sign) => {
    const told = sign === undefined ? [] : [`Took the "${sign}" of "${pattern}" as a character: nothing closes it`]
    expect(compilePaths([pattern]).problems).toEqual(told)
  })

  test.each([[['../x']], [['/']], [['']], [['./']], [['a/../b']], [['x'.repeat(1_025)]]])('tells of %j', patterns => {
    const compiled = compilePaths([...patterns, '*.ok'])
    expect(compiled.problems).toHaveLength(1)
    expect(compiled.matches('a.ok')).toBe(true)
  })

  test('takes 256 patterns in all, braces written out; one whose braces give more is taken as written', () => {
    const fours = '{0,1,2,3}'
    expect(compilePaths([fours.repeat(3), fours.repeat(3), fours.repeat(3), fours.repeat(3)]).problems).toEqual([])
    expect(compilePaths([fours.repeat(4)]).problems).toEqual([])
    const over = compilePaths([fours.repeat(3), '{a,b}{a,b}{a,b}'.repeat(3)])
    expect([over.problems.length, over.matches('333'), over.matches('aaaaaaaaa')]).toEqual([1, true, false])
    const many = compilePaths([...Array.from({ length: 256 }, (_, index) => `f${index}`), 'g', 'h'])
    expect([many.problems.length, many.matches('f255'), many.matches('g')]).toEqual([1, true, false])
  })

  test.each([
    // characters in all, whether the last pattern is taken
    [8_191, true],
    [8_192, true],
    [8_193, false],
  ])('of patterns with %i characters in all the last is taken: %j', (chars, isTaken) => {
    const last = 'z.ts'
    const before = [...Array(7).fill('x'.repeat(1024)), 'y'.repeat(chars - 7 * 1024 - last.length)]
    const compiled = compilePaths([...before, last])
    expect([compiled.problems.length, compiled.matches(last)]).toEqual([isTaken ? 0 : 1, isTaken])
    expect(compilePaths([...before, last, 'more', 'and more']).problems).toHaveLength(1)
  })

  test('the longest lists and paths are a matter of milliseconds', () => {
    const deep = Array(2_047).fill('a').join('/')
    const long = Array(16).fill('a'.repeat(255)).join('/')
    const lists = [
      Array.from({ length: 256 }, (_, index) => `a/**/a/**/a/**/b${index}`),
      Array.from({ length: 8 }, () => `${'*a'.repeat(500)}b`),
      Array.from({ length: 8 }, () => `${'**/a/'.repeat(200)}b`),
      Array.from({ length: 8 }, () => `${'**/*a*a/'.repeat(120)}b`),
      Array.from({ length: 8 }, () => `*${'?'.repeat(1_000)}b*`),
      Array.from({ length: 8 }, () => `*${'[ab]'.repeat(250)}c*`),
    ]
    for (const patterns of lists)
      for (const path of [deep, long]) {
        const compiled = compilePaths(patterns)
        const startedAt = performance.now()
        expect(compiled.matches(path)).toBe(false)
        expect(performance.now() - startedAt).toBeLessThan(1_000)
      }
  })

  test('says of a file what git says, for any pattern of both', () => {
    const folder = mkdtempSync(join(tmpdir(), 'skillcell-paths-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    execFileSync('git', ['init', '-q', folder])
    const name = fc.stringMatching(/^[ab]{1,3}$/)
    // Two stars in a name are what one is, says gitignore(5). A git before 2.53 cuts off the plain text before them first and takes the
    // rest for `**`, so that `a**/*` ignores `a`: no oracle for those, which have rows of their own.
    const named = fc.stringMatching(/^(?:[ab]|\*|\?|\[ab\]|\[!a\]){1,5}$/).filter(text => /^\*+$/.test(text) || !text.includes('**'))
    const part = fc.oneof({ weight: 3, arbitrary: named }, { weight: 1, arbitrary: fc.constant('**') })
    const pattern = fc
      .tuple(fc.constantFrom('', '/'), fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '/'))
      .map(([before, parts, after]) => before + parts.join('/') + after)
    const paths = fc.array(
      fc.array(name, { minLength: 1, maxLength: 5 }).map(names => names.join('/')),
      { minLength: 20, maxLength: 20 },
    )
    fc.assert(
      fc.property(pattern, paths, (text, files) => {
        writeFileSync(join(folder, '.gitignore'), `${text}\n`)
        const ignored = new Set(ignoredBy(folder, files))
        const compiled = compilePaths([text])
        for (const file of files) expect([text, file, compiled.matches(file)]).toEqual([text, file, ignored.has(file)])
      }),
      { numRuns: 60 },
    )
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

function ignoredBy(folder: string, files: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('git', ['-C', folder, '-c', 'core.excludesFile=', 'check-ignore', '--no-index', '--stdin', '-z'], {
    input: files.map(file => `${file}\0`).join(''),
    encoding: 'utf8',
  })
  return stdout.split('\0').filter(file => file !== '')
}

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
