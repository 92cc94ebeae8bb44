// The short ways to an argument hint give what the long ways give.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseFrontmatter } from '../../src/skills/frontmatter.ts'
import { parsePlainLines } from '../../src/skills/plain-lines.ts'
import { parseHint } from '../../src/skills/yaml-fields.ts'

const inside = fc.string({ unit: fc.constantFrom(...`ab1 [](){}<>:#,|&*!%@-?.~$/é'"\\`), maxLength: 20 })

test('parseHint() reads quotes as YAML does', () => {
  fc.assert(
    fc.property(inside, fc.constantFrom('"', "'"), (text, quote) => {
      const source = ` ${quote}${text}${quote}`
      let value: unknown
      try {
        value = parse(`h:${source}`).h
      } catch {
        return
      }
      expect(parseHint(source)).toBe(String(value).trim())
    }),
    { numRuns: 500 },
  )
})

const line = fc.oneof(
  inside.map(text => `argument-hint: ${text}`),
  inside.map(text => `argumentHint:${text}`),
  inside.map(text => `argument_hint: "${text}"`),
  fc.constantFrom('name: a', 'description: some text', '# remark', '', 'argument-hint:', '  more', '\tmore', 'ARGUMENT-HINT: x'),
)

test('a hint is the same in a simple block and in one that YAML reads', () => {
  let short = 0
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), lines => {
      const block = `${lines.join('\n')}\n`
      // The list makes the long way take all of the block.
      const forced = parseFrontmatter(`${block}zz: [1]\n`, 2, 'f')
      if (parsePlainLines(block, 0, parseHint) === undefined || forced.diagnostics.length > 0 || forced.error !== undefined) return
      short += 1
      const shapes = parseFrontmatter(block, 2, 'f').fields.map(({ value, ...rest }) => ({ ...rest, read: value() }))
      const others = forced.fields.filter(({ name }) => name !== 'zz').map(({ value, ...rest }) => ({ ...rest, read: value() }))
      expect(shapes).toEqual(others)
    }),
    { numRuns: 1_000 },
  )
  expect(short).toBeGreaterThan(50)
})
