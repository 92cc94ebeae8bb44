// What the writer refuses: it never goes on behind a log that is not what was written, or in a place that is not its own.

import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import { auditFolder, entry, logLines, logPath, readLog, writeLog, writtenLog } from './support.ts'

const start = { tenant: 'local' } as const

test.each<[string, (directory: string) => void]>([
  ['the folder is gone', directory => renameSync(directory, `${directory}-moved`)],
  ['the log is gone', directory => rmSync(logPath(directory))],
  ['the log is another file', directory => writeFileSync(`${logPath(directory)}.new`, readLog(directory))],
  ['the log is shorter', directory => writeLog(directory, readLog(directory).subarray(0, 20))],
  ['the log is empty', directory => writeLog(directory, '')],
  ['there is a foreign line', directory => writeLog(directory, Buffer.concat([readLog(directory), Buffer.from('{"type":"decision"}\n')]))],
])('append() throws when %s, and writes nothing', async (name, act) => {
  const directory = auditFolder()
  const audit = createAudit({ directory, ...start })
  audit.append(entry('one'))
  await audit.flush()
  act(directory)
  if (name.includes('another')) renameSync(`${logPath(directory)}.new`, logPath(directory))
  const before = existsSync(logPath(directory)) ? readLog(directory) : undefined
  expect(() => audit.append(entry('two'))).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  expect(existsSync(logPath(directory)) ? readLog(directory) : undefined).toEqual(before)
  await audit.close().catch(() => {})
})

test.each<[string, (directory: string) => void]>([
  ['lines at the end were cut', directory => writeLog(directory, `${logLines(directory).slice(0, -1).join('\n')}\n`)],
  ['the log is gone', directory => rmSync(logPath(directory))],
  ['the last line is another', directory => writeLog(directory, readLog(directory).toString().replace('three', 'thief'))],
  ['the checkpoint is gone', directory => rmSync(join(directory, 'checkpoint.json'))],
  ['the checkpoint is empty', directory => writeFileSync(join(directory, 'checkpoint.json'), '')],
  ['the key is gone', directory => rmSync(join(directory, 'key'))],
  ['the key is short', directory => writeFileSync(join(directory, 'key'), 'short')],
  ['the key is another', directory => writeFileSync(join(directory, 'key'), Buffer.alloc(32))],
  ['a line was added', directory => writeLog(directory, `${readLog(directory).toString()}${logLines(directory)[0]}\n`)],
])('createAudit() refuses when %s, and leaves the log as it is', async (name, act) => {
  const directory = auditFolder()
  await writtenLog(directory, ['one', 'two', 'three'])
  if (name === 'the last line is another') {
    // Hashed anew, so that the line itself is good.
    const other = auditFolder()
    await writtenLog(other, ['one', 'two', 'thief'])
    writeLog(directory, readLog(other))
  } else act(directory)
  const before = existsSync(logPath(directory)) ? readLog(directory) : Buffer.alloc(0)
  expect(() => createAudit({ directory, ...start })).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  expect(existsSync(logPath(directory)) ? readLog(directory) : Buffer.alloc(0)).toEqual(before)
  expect(existsSync(join(directory, 'lock'))).toBe(false)
})

test('createAudit() refuses the log of another tenant, append() an entry of another', async () => {
  const directory = auditFolder()
  await writtenLog(directory, ['one'])
  expect(() => createAudit({ directory, tenant: 'other' })).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  const audit = createAudit({ directory, ...start })
  expect(() => audit.append(entry('two', { who: { tenant: 'other', as: 'model' } }))).toThrow(
    expect.objectContaining({ code: 'AUDIT_FAILED' }),
  )
  await audit.close()
  expect(logLines(directory)).toHaveLength(1)
})

test('createAudit() refuses a folder and a log that are links', async () => {
  const directory = auditFolder()
  mkdirSync(dirname(directory), { recursive: true })
  mkdirSync(`${directory}-elsewhere`)
  symlinkSync(`${directory}-elsewhere`, directory)
  expect(() => createAudit({ directory, ...start })).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  rmSync(directory)
  mkdirSync(directory)
  symlinkSync('/dev/null', logPath(directory))
  expect(() => createAudit({ directory, ...start })).toThrow(expect.objectContaining({ code: 'AUDIT_FAILED' }))
  expect(lstatSync(logPath(directory)).isSymbolicLink()).toBe(true)
})
