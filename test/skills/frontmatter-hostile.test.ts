import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/errors.ts'
import { parseFrontmatter } from '../../src/skills/frontmatter.ts'
import { interpretFields } from '../../src/skills/frontmatter-fields.ts'
import { parsePlainLines } from '../../src/skills/plain-lines.ts'
import { parseYamlFields } from '../../src/skills/yaml-fields.ts'

function read(block: string) {
  const frontmatter = parseFrontmatter(block, 2, '/s/SKILL.md')
  const diagnostics: Diagnostic[] = [...frontmatter.diagnostics]
  const fields = interpretFields(frontmatter.fields, { block, firstLine: 2, path: '/s/SKILL.md' }, diagnostics)
  return {
    ...fields,
    diagnostics,
    error: frontmatter.error,
    places: diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`),
  }
}

describe('hostile text', () => {
  test('keys of the object prototype are only keys', () => {
    const result = read('name: n\n__proto__:\n  userInvocable: false\n  disable-model-invocation: true\nconstructor: x\ntoString: y')
    expect(result).toMatchObject({ userInvocable: true, modelInvocable: true })
    expect(Object.getPrototypeOf(result.extra)).toBe(Object.prototype)
    expect(Object.keys(result.extra)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.hasOwn({}, 'userInvocable')).toBe(false)
  })

  test('aliases and merge keys are not followed', () => {
    const result = read('metadata:\n  a: &a [x, x]\n  b: *a\n  <<: *a')
    expect(result.places).toEqual(['FRONTMATTER_REPAIRED 2:10'])
    expect(typeof result.extra.metadata).toBe('string')
  })

  test('nesting and repetition end soon', () => {
    const sources = [
      '['.repeat(60_000),
      '{'.repeat(60_000),
      '- '.repeat(30_000),
      `[${'b: '.repeat(20_000)}]`,
      `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
      '&a '.repeat(20_000),
      `"${'\n'.repeat(60_000)}x"`,
      `a${' '.repeat(60_000)}b #`,
    ]
    const startedAt = performance.now()
    for (const source of sources) {
      read(`description: ${source}\nname: n`)
      read(`hooks: ${source}\nname: n`)
    }
    // Seconds would be a fault; this only ends one that is quadratic.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test.each(['\n: \n? ', ': \n? ', ': a\n? b', 'a: b\n? a'])('a key alone in %j is told where it stands', block => {
    for (const { line = 0, column = 0 } of read(block).diagnostics) expect(line >= 2 && column >= 1).toBe(true)
  })

  test('any text gives fields or an error, and never throws', () => {
    const piece = fc.constantFrom(
      'name',
      ': ',
      '\n',
      '- ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '!t',
      '#',
      ' ',
      '|',
      '>',
      '<<',
      'hooks',
      '\t',
      '%',
      '`',
      '? ',
      'argument-hint',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        const result = read(pieces.join(''))
        for (const { line = 0, column = 0 } of result.diagnostics) expect(line >= 2 && column >= 1).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('parsePlainLines()', () => {
  const value = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'B', '7', ' ', ':', '#', '"', "'", ',', '(', ')', '*', '-', '.', 'é', '[', '{', '!', '\\', '\t'),
      maxLength: 12,
    }),
    fc.constantFrom(
      'null',
      'true',
      '1.0',
      'NULL',
      'nULL',
      '0x1f',
      '.inf',
      '~',
      '"q"',
      '"a: b"',
      'a # b',
      'https://x.y:80/z',
      '2020-01-01',
      '1e3',
    ),
  )
  const line = fc.tuple(
    fc.constantFrom('name', 'description', 'allowed-tools', 'model', 'x-own', 'metadata', 'version', '#c', 'user_invocable'),
    fc.constantFrom(': ', ':  ', ':'),
    value,
  )
  test('gives what YAML gives, or leaves it to YAML', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), lines => {
        const block = lines.map(parts => parts.join('')).join('\n')
        const short = parsePlainLines(block)
        if (short === undefined) return
        plain++
        const long = parseYamlFields(block, 0, { block, firstLine: 1, path: 'f' })
        if ('problem' in long) throw new Error(`YAML refuses ${JSON.stringify(block)}: ${long.problem.message}`)
        expect(long.diagnostics).toEqual([])
        const flat = (fields: typeof short) =>
          fields.map(({ name, written, offset, shape, text, items, value }) => ({
            name,
            written,
            offset,
            shape,
            text,
            items,
            value: shape === 'null' ? null : name.startsWith('x-') || name === 'metadata' ? value() : text,
          }))
        expect(flat(short)).toEqual(flat([...long.fields]))
      }),
      { numRuns: 5000 },
    )
    expect(plain).toBeGreaterThan(500)
  })
})
