// Several processes write one chain, and a process that is killed leaves one that goes on.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-verify.ts'
import { auditFolder, ended, logLines, message, startChild, writtenLog } from './support.ts'

test('four processes with 200 appends each make one chain of 800', async () => {
  const directory = auditFolder()
  const children = await Promise.all(Array.from({ length: 4 }, () => startChild('append', directory, 200)))
  expect(await Promise.all(children.map(ended))).toEqual([0, 0, 0, 0])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: 800, problems: [], head: { sequence: 800 } })
  // Whoever was last, the checkpoint covers all.
  expect(JSON.parse(readFileSync(join(directory, 'checkpoint.json'), 'utf8'))).toMatchObject({ sequence: 800 })
})

test.each([0, 1, 5])('a process killed in the middle of append %s leaves a torn line and a lock that the next one breaks', async count => {
  const directory = auditFolder()
  const child = await startChild('die-in-append', directory, count)
  expect(await ended(child)).toBe('SIGKILL')
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: count, problems: [{ line: count + 1, kind: 'torn' }] })
  await writtenLog(directory, ['next'])
  expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: count + 2, problems: [{ line: count + 1, kind: 'torn' }] })
  expect(JSON.parse(logLines(directory).at(-1) ?? '')).toMatchObject({ asked: { command: 'next' } })
})

test.each([0, 2])(
  'a process killed after %s appends, in the middle of one of three entries, leaves the whole ones and a torn line',
  async count => {
    const directory = auditFolder()
    const child = await startChild('die-in-three', directory, count)
    expect(await ended(child)).toBe('SIGKILL')
    const whole = count * 3 + 1
    expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: whole, problems: [{ line: whole + 1, kind: 'torn' }] })
    await writtenLog(directory, ['next'])
    expect(await verifyAudit(directory)).toMatchObject({ ok: true, lines: whole + 2, problems: [{ line: whole + 1, kind: 'torn' }] })
  },
)

test('processes killed at any moment, side by side, leave a chain that goes on', async () => {
  const directory = auditFolder()
  for (let round = 0; round < 3; round += 1) {
    const children = await Promise.all([startChild('endless', directory), startChild('endless', directory)])
    await Promise.all(children.map(message))
    const ends = children.map(ended)
    for (const child of children) child.kill('SIGKILL')
    expect(await Promise.all(ends)).toEqual(['SIGKILL', 'SIGKILL'])
    const before = await verifyAudit(directory)
    expect(before).toMatchObject({ ok: true })
    await writtenLog(directory, ['next'])
    const after = await verifyAudit(directory)
    expect(after).toMatchObject({ ok: true })
    expect(after.lines).toBeGreaterThan(before.lines)
  }
})
