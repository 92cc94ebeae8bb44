// The verifier: every kind of tampering is found and named, and crashes are not taken for it.

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import { chainStart, nextLine } from '../../src/audit/audit-chain.ts'
import { maxLineBytes } from '../../src/audit/audit-lines.ts'
import { verifyAudit } from '../../src/audit/audit-verify.ts'
import { addHalfLine, auditFolder, entry, logLines, logPath, readLog, writeLog, writtenLog } from './support.ts'

const commands = ['one', 'two', 'three', 'four', 'five', 'six'] as const

test('verifyAudit() finds nothing in what was written', async () => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  const report = await verifyAudit(directory)
  const last = JSON.parse(logLines(directory).at(-1) ?? '')
  expect(report).toEqual({ ok: true, lines: 6, uncovered: 0, problems: [], problemCount: 0, head: { sequence: 6, hash: last.hash } })
})

test('verifyAudit() takes a folder that is not there, and one that was only opened, as good', async () => {
  const directory = auditFolder()
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 0, problems: [] })
  await createAudit({ directory, tenant: 'local' }).close()
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 0, problems: [] })
})

const without = (lines: readonly string[], ...numbers: readonly number[]): string[] =>
  lines.filter((_, index) => !numbers.includes(index + 1))

test.each<[string, (lines: string[]) => string[], readonly (readonly [number, string])[]]>([
  ['a changed word', lines => lines.map(line => line.replace('three', 'thief')), [[3, 'changed']]],
  [
    'two changed lines apart',
    lines => lines.map(line => line.replace('two', 'TWO').replace('five', 'FIVE')),
    [
      [2, 'changed'],
      [5, 'changed'],
    ],
  ],
  ['two changed lines together', lines => lines.map(line => line.replace('two', 'TWO').replace('three', 'THREE')), [[2, 'changed']]],
  ['a changed first line', lines => lines.map(line => line.replace('one', 'ONE')), [[1, 'changed']]],
  ['a changed last line', lines => lines.map(line => line.replace('six', 'SIX')), [[6, 'changed']]],
  ['a removed line', lines => without(lines, 3), [[3, 'missing']]],
  ['two removed lines', lines => without(lines, 3, 4), [[3, 'missing']]],
  ['a removed first line', lines => without(lines, 1), [[1, 'missing']]],
  ['a cut last line', lines => without(lines, 6), [[6, 'cut']]],
  ['three cut lines', lines => without(lines, 4, 5, 6), [[4, 'cut']]],
  ['all lines cut', () => [], [[1, 'cut']]],
  ['a repeated line', lines => lines.flatMap((line, index) => (index === 2 ? [line, line] : [line])), [[4, 'changed']]],
  ['a repeated last line', lines => [...lines, lines[5] ?? ''], [[7, 'changed']]],
  [
    'two lines exchanged',
    lines => [...lines.slice(0, 2), lines[3] ?? '', lines[2] ?? '', ...lines.slice(4)],
    [
      [3, 'missing'],
      [4, 'changed'],
    ],
  ],
  [
    'the first line moved to the end',
    lines => [...lines.slice(1), lines[0] ?? ''],
    [
      [1, 'missing'],
      [6, 'changed'],
    ],
  ],
  ['an inserted line of no form', lines => [...lines.slice(0, 2), 'hello', ...lines.slice(2)], [[3, 'changed']]],
  ['an inserted empty line', lines => [...lines.slice(0, 2), '', ...lines.slice(2)], [[3, 'changed']]],
  ['an empty line at the end', lines => [...lines, ''], [[7, 'changed']]],
  [
    'an inserted line with a good hash',
    lines => [...lines.slice(0, 2), forged(lines[1] ?? '', 'inserted'), ...lines.slice(2)],
    // Which of the two with number 3 is the true one cannot be told from them; nothing follows the inserted one.
    [
      [4, 'changed'],
      [5, 'changed'],
    ],
  ],
  ['a line changed and hashed anew', lines => [...lines.slice(0, 2), forged(lines[1] ?? '', 'thief'), ...lines.slice(3)], [[4, 'changed']]],
  ['the last line changed and hashed anew', lines => [...lines.slice(0, 5), forged(lines[4] ?? '', 'thief')], [[6, 'changed']]],
  ['all lines hashed anew from a change on', lines => rehashed(lines, 'three', 'thief'), [[6, 'changed']]],
  ['all lines hashed anew without one', lines => rehashed(without(lines, 2), 'x', 'x'), [[6, 'cut']]],
])('verifyAudit() finds %s', async (_, tamper, expected) => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  const lines = logLines(directory)
  writeLog(
    directory,
    tamper(lines)
      .map(line => `${line}\n`)
      .join(''),
  )
  const { ok, problems } = await verifyAudit(directory)
  expect(ok).toBe(false)
  expect(problems.map(({ line, kind }) => [line, kind])).toEqual(expected)
})

/** A line that follows another, as one who knows the format but has no key would make it. */
function forged(before: string, command: string): string {
  const { sequence, hash } = JSON.parse(before)
  return nextLine({ sequence, hash, bytes: 0 }, entry(command), '').bytes.toString().trimEnd()
}

function rehashed(lines: readonly string[], from: string, to: string): string[] {
  let position = chainStart
  return lines.map(line => {
    const { sequence, previous, hash, ...rest } = JSON.parse(line.replace(from, to))
    const next = nextLine(position, rest, '')
    position = next.position
    return next.bytes.toString().trimEnd()
  })
}

test.each<[string, (directory: string) => void]>([
  ['a removed checkpoint', directory => rmSync(join(directory, 'checkpoint.json'))],
  ['an empty checkpoint', directory => writeFileSync(join(directory, 'checkpoint.json'), '')],
  ['a checkpoint of another key', directory => writeFileSync(join(directory, 'key'), Buffer.alloc(32))],
  ['a checkpoint that covers less', directory => edit(join(directory, 'checkpoint.json'), '"sequence":6', '"sequence":5')],
  ['a removed key', directory => rmSync(join(directory, 'key'))],
  ['a short key', directory => writeFileSync(join(directory, 'key'), 'x')],
  [
    'log and checkpoint removed together',
    directory => ['audit.jsonl', 'checkpoint.json'].forEach(name => void rmSync(join(directory, name))),
  ],
])('verifyAudit() finds %s', async (_, tamper) => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  tamper(directory)
  const { ok, problems } = await verifyAudit(directory)
  expect(ok).toBe(false)
  expect(problems.map(({ line, kind }) => [line, kind])).toEqual([[0, 'checkpoint']])
})

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(from)
  writeFileSync(path, text.replace(from, to))
}

test('verifyAudit() finds a removed log', async () => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  rmSync(logPath(directory))
  expect(await verifyAudit(directory)).toMatchObject({ ok: false, lines: 0, problems: [{ line: 1, kind: 'cut' }] })
})

test('verifyAudit() takes a line that a crash cut short as torn, before and after the next writer', async () => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  const half = addHalfLine(directory)
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 6, problems: [{ line: 7, kind: 'torn' }] })

  await writtenLog(directory, ['seven'])
  const lines = logLines(directory)
  expect(lines[6]).toBe(half)
  expect(JSON.parse(lines[7] ?? '')).toMatchObject({ sequence: 7, type: 'audit.torn', torn: { bytes: half.length } })
  expect(JSON.parse(lines[8] ?? '')).toMatchObject({ sequence: 8, asked: { command: 'seven' } })
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 8, problems: [{ line: 7, kind: 'torn' }] })
})

test('a crash in the record of a crash is recorded too', async () => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  const half = addHalfLine(directory)
  appendFileSync(logPath(directory), '\n{"sequence":7,"at"')
  await writtenLog(directory, ['seven'])
  expect(JSON.parse(logLines(directory)[8] ?? '')).toMatchObject({ sequence: 7, torn: { bytes: half.length + 19 } })
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 8, problems: [{ line: 7, kind: 'torn' }] })
})

test('a crash just before the newline leaves a good line', async () => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  appendFileSync(logPath(directory), forged(logLines(directory).at(-1) ?? '', 'seven'))
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 7, uncovered: 1, problems: [{ line: 7, kind: 'torn' }] })
  await writtenLog(directory, ['eight'])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 8, uncovered: 0, problems: [] })
})

test.each([1, 30, 200])('verifyAudit() takes %s bytes cut from the end as a cut, not as a crash', async count => {
  const directory = auditFolder()
  await writtenLog(directory, commands)
  writeLog(directory, readLog(directory).subarray(0, -count))
  const { ok, problems } = await verifyAudit(directory)
  expect(ok).toBe(false)
  expect(problems.map(({ kind }) => kind)).toEqual(['cut'])
})

test('verifyAudit() finds any change of a single byte', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['one', 'grün\u0007 "😀"', '\ud800'])
  addHalfLine(directory)
  await writtenLog(directory, ['after the crash', 'x'.repeat(300)])
  const good = readLog(directory)
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, problemCount: 1 })
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
      const changed = Buffer.from(good)
      changed[at] = (changed[at] ?? 0) ^ difference
      writeLog(directory, changed)
      expect((await verifyAudit(directory)).ok).toBe(false)
    }),
    { numRuns: 400 },
  )
})

test('verifyAudit() finds any cut at the end and any removed byte', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['one', 'two', 'three'])
  const good = readLog(directory)
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.boolean(), async (at, toTheEnd) => {
      writeLog(directory, Buffer.concat([good.subarray(0, at), toTheEnd ? Buffer.alloc(0) : good.subarray(at + 1)]))
      expect((await verifyAudit(directory)).ok).toBe(false)
    }),
    { numRuns: 200 },
  )
})

test('verifyAudit() tells the first 100 problems and counts all', async () => {
  const directory = auditFolder()
  await writtenLog(
    directory,
    Array.from({ length: 250 }, (_, index) => `echo ${index}`),
  )
  writeLog(
    directory,
    logLines(directory)
      .filter((_, index) => index % 2 === 1)
      .map(line => `${line}\n`)
      .join(''),
  )
  const { problems, problemCount, ok } = await verifyAudit(directory)
  expect([ok, problems.length, problemCount]).toEqual([false, 100, 125])
})

test('verifyAudit() keeps little of a line that is too long to be one', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['one'])
  for (let index = 0; index < 64; index += 1) appendFileSync(logPath(directory), Buffer.alloc(maxLineBytes, 0x78))
  const before = process.memoryUsage().rss
  const { ok, problems } = await verifyAudit(directory)
  expect([ok, problems.map(({ kind }) => kind)]).toEqual([false, ['changed']])
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
})
