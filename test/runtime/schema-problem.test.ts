import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseOptions } from '../../src/options.ts'
import { schemaProblem } from '../../src/schema-problem.ts'

const schema = z.strictObject({
  name: z.string('Expected a text'),
  list: z.array(z.strictObject({ id: z.number('Expected a number') })).optional(),
  map: z.record(z.string().regex(/^[a-z]$/, 'Expected one letter as name'), z.string('Expected a text')).optional(),
})

test.each([
  // value, problem
  [7, /^Invalid input: expected object/],
  [{}, /^name: Expected a text$/],
  [{ name: 'x', list: [{ id: 1 }, { id: 'y' }] }, /^list\[1\]\.id: Expected a number$/],
  [{ name: 'x', map: { AB: 'x' } }, /^map\.AB: Expected one letter as name$/],
  [{ name: 1, map: { a: 2 } }, /^name: Expected a text; map\.a: Expected a text$/],
  [{ name: 'x', list: Array(11).fill({ id: 'y' }) }, /^(?:list\[\d\]\.id: Expected a number; ){10}and 1 more$/],
])('schemaProblem() of %j', (value, problem) => {
  const { error } = schema.safeParse(value)
  expect(schemaProblem(error ?? { issues: [] })).toMatch(problem)
})

test('parseOptions() says the rule for names of servers', () => {
  expect(() => parseOptions({ mcpServers: { a__b: { command: 'x' } } })).toThrow(/mcpServers\.a__b: Expected 1 to 64 letters/)
  expect(() => parseOptions({ sandbox: 'perhaps' })).toThrow(/^Cannot use the options: sandbox: [^✖→\n]*$/)
})
