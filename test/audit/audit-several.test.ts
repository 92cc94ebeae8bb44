// Several entries at once: in one piece, all or none; and what is looked at before it is made shorter.

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import { auditDisk } from '../../src/audit/audit-disk.ts'
import { bounded, isBounded, maxTextChars } from '../../src/audit/audit-entry.ts'
import { verifyAudit } from '../../src/audit/audit-verify.ts'
import { auditFolder, entry, logLines, readLog } from './support.ts'

const start = { tenant: 'local' } as const

test('append() of several writes them in one piece, in order, and nothing for none', async () => {
  const directory = auditFolder()
  const write = vi.fn(auditDisk.write)
  const audit = createAudit({ directory, ...start }, { write, sync: auditDisk.sync })
  audit.append(entry('one'), entry('two'), entry('three'))
  audit.append()
  expect(write).toHaveBeenCalledOnce()
  audit.append(entry('four'))
  await audit.close()
  expect(logLines(directory).map(line => JSON.parse(line).asked.command)).toEqual(['one', 'two', 'three', 'four'])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 4, problems: [] })
})

test('append() of several leaves none of them when one is of another tenant or the disk takes only some', async () => {
  const directory = auditFolder()
  let room = Number.POSITIVE_INFINITY
  const audit = createAudit(
    { directory, ...start },
    {
      sync: auditDisk.sync,
      write: (descriptor, bytes) => {
        const count = auditDisk.write(descriptor, bytes.subarray(0, room))
        room -= count
        return count
      },
    },
  )
  audit.append(entry('one'))
  const before = readLog(directory)
  const fails = expect.objectContaining({ code: 'AUDIT_FAILED' })
  expect(() => audit.append(entry('two'), entry('three', { who: { tenant: 'another', as: 'user' } }))).toThrow(fails)
  // The first of the two fits.
  room = before.length + 40
  expect(() => audit.append(entry('two'), entry('three'))).toThrow(fails)
  expect(readLog(directory)).toEqual(before)
  room = Number.POSITIVE_INFINITY
  audit.append(entry('two'), entry('three'))
  await audit.close()
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 3, problems: [] })
})

test.each<[string, unknown, boolean]>([
  ['a text at the limit', { asked: { command: 'x'.repeat(maxTextChars) } }, true],
  ['a text one over', { asked: { command: 'x'.repeat(maxTextChars + 1) } }, false],
  ['a list at the limit', { rules: Array.from({ length: 100 }, () => 'x') }, true],
  ['a list one over', { rules: Array.from({ length: 101 }, () => 'x') }, false],
  ['a long text in a list', { rules: ['x', 'x'.repeat(maxTextChars + 1)] }, false],
  ['what is neither', { a: 1, b: null, c: undefined, d: true }, true],
])('isBounded() of %s', (_, value, expected) => {
  expect(isBounded(value)).toBe(expected)
})

test('isBounded() is true just for what bounded() leaves as it is', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(maxTextChars, maxTextChars + 1).map(length => 'x'.repeat(length)),
  )
  const leaf = fc.oneof(text, fc.integer(), fc.constant(null), fc.boolean())
  const list = fc.constantFrom(99, 100, 101).map(length => Array.from({ length }, () => 1))
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      list,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, any => {
      expect(isBounded(any)).toBe(JSON.stringify(bounded(any)) === JSON.stringify(any))
    }),
  )
})
