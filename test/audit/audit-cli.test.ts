// skillcell audit: what it prints and how it exits.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAudit } from '../../src/audit/audit.ts'
import { maxLastEntries, readLastEntries } from '../../src/audit/audit-last.ts'
import { auditShow, auditVerify } from '../../src/cli/audit.ts'
import { addHalfLine, auditFolder, entry, logLines, writeLog, writtenLog } from './support.ts'

let home = ''
let printed = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillcell-audit-home-'))
  vi.stubEnv('XDG_STATE_HOME', undefined)
  vi.stubEnv('SKILLCELL_AUDIT_KEY', undefined)
  printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    printed += String(text)
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

const directory = (): string => join(home, '.local', 'state', 'skillcell', 'local', 'audit')
const context = (json: boolean): Parameters<typeof auditVerify>[0] => ({
  json,
  input: false,
  flags: { home },
  signal: new AbortController().signal,
  lastWords: () => {},
})

test('audit verify exits 0 for a good log and for none, 1 for a changed one', async () => {
  expect(await auditVerify(context(true))).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ ok: true, lines: 0 })
  await writtenLog(directory(), ['pwd', 'ls'])
  printed = ''
  expect(await auditVerify(context(true))).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ ok: true, lines: 2, problems: [], directory: directory() })
  writeLog(directory(), `${logLines(directory())[1]}\n`)
  printed = ''
  expect(await auditVerify(context(true))).toBe(1)
  expect(JSON.parse(printed)).toMatchObject({ ok: false, problems: [{ line: 1, kind: 'missing' }] })
  printed = ''
  expect(await auditVerify(context(false))).toBe(1)
  expect(printed).toContain('line 1: ')
})

test('audit verify takes the key from SKILLCELL_AUDIT_KEY and refuses one that is none', async () => {
  const key = Buffer.alloc(32, 9)
  const audit = createAudit({ directory: directory(), tenant: 'local', key })
  audit.append(entry('pwd'))
  await audit.close()
  expect(await auditVerify(context(true))).toBe(1)
  vi.stubEnv('SKILLCELL_AUDIT_KEY', key.toString('hex'))
  expect(await auditVerify(context(true))).toBe(0)
  vi.stubEnv('SKILLCELL_AUDIT_KEY', 'secret')
  const refused = auditVerify(context(true))
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await expect(refused).rejects.not.toThrow('secret')
})

test('audit show prints the last entries, oldest first', async () => {
  await writtenLog(directory(), ['one', 'two\u001b[2J', 'three'])
  expect(await auditShow(context(true), { last: '2' })).toBe(0)
  expect(JSON.parse(printed).entries.map((each: { asked: { command: string } }) => each.asked.command)).toEqual(['two\u001b[2J', 'three'])
  printed = ''
  expect(await auditShow(context(false), {})).toBe(0)
  expect(printed.trimEnd().split('\n')).toHaveLength(4)
  expect(printed).toContain('Bash three')
  expect(printed).not.toContain('\u001b')
})

test.each(['0', '-1', '1.5', 'x', '', String(maxLastEntries + 1)])('audit show refuses --last "%s"', async last => {
  await expect(auditShow(context(true), { last })).rejects.toMatchObject({ code: 'USAGE' })
})

test('audit show takes the most there may be', async () => {
  expect(await auditShow(context(true), { last: String(maxLastEntries) })).toBe(0)
  expect(JSON.parse(printed)).toEqual({ entries: [], unreadable: 0 })
})

test('readLastEntries() finds entries of any length from the end, and counts what is damaged', async () => {
  const folder = auditFolder()
  await writtenLog(
    folder,
    Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(16_000)}`),
  )
  addHalfLine(folder)
  const { entries, unreadable } = await readLastEntries(folder, 250)
  expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 250 }, (_, index) => index + 51))
  expect(unreadable).toBe(1)
  expect((await readLastEntries(folder, 1000)).entries).toHaveLength(300)
})
