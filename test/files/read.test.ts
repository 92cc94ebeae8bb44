import { execFileSync } from 'node:child_process'
import { appendFileSync, closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileText, maxFileBytes, readLines } from '../../src/files/read.ts'
import { createReadLedger, type ReadLedger } from '../../src/files/read-ledger.ts'
import { decided, failing, put, temporaryFolder } from './support.ts'

async function read(
  content: string | Uint8Array,
  request: { offset?: number; limit?: number } = {},
  ledger: ReadLedger = createReadLedger(),
): Promise<FileText> {
  const folder = temporaryFolder()
  put(folder, { file: content })
  return readLines({ path: decided(folder, 'file'), ...request }, ledger)
}

test.each<[what: string, content: string | Uint8Array, lines: readonly string[], total: number]>([
  ['a last line without an end', 'a\nb', ['a', 'b'], 2],
  ['a last line with one', 'a\nb\n', ['a', 'b'], 2],
  ['empty lines', '\n\na\n\n', ['', '', 'a', ''], 4],
  ['an empty file', '', [], 0],
  ['CRLF', 'a\r\nb\r\n', ['a', 'b'], 2],
  ['a lone CR, which is no line end', 'a\rb\nc', ['a\rb', 'c'], 2],
  ['a mark of UTF-8', Buffer.from('\uFEFFa\nb'), ['a', 'b'], 2],
  ['UTF-16 LE', Buffer.from('\uFEFFaä\n😀', 'utf16le'), ['aä', '😀'], 2],
  ['UTF-16 BE', Buffer.from('\uFEFFaä\n😀', 'utf16le').swap16(), ['aä', '😀'], 2],
])('readLines() reads %s', async (_what, content, lines, total) => {
  expect(await read(content)).toMatchObject({ lines, totalLines: total, firstLine: 1, notes: [] })
})

test.each<[request: { offset?: number; limit?: number }, lines: readonly string[], next: number | undefined]>([
  [{ offset: 0, limit: 1 }, ['1'], 2],
  [{ offset: 1, limit: 2 }, ['1', '2'], 3],
  [{ offset: 4 }, ['4', '5'], undefined],
  [{ offset: 5 }, ['5'], undefined],
  [{ limit: 5 }, ['1', '2', '3', '4', '5'], undefined],
  [{ limit: 4 }, ['1', '2', '3', '4'], 5],
])('readLines(%j) chooses lines', async (request, lines, next) => {
  const found = await read('1\n2\n3\n4\n5\n', request)
  expect([found.lines, found.nextOffset, found.totalLines]).toEqual([lines, next, 5])
})

test('readLines() says how many lines there are when the first lies behind the end', async () => {
  await expect(read('1\n2\n', { offset: 3 })).rejects.toEqual(failing('TOOL_FAILED', /line 3: it has 2 lines/))
})

test.each([
  [1_999, 1_999, undefined],
  [2_000, 2_000, undefined],
  [2_001, 2_000, 2_001],
])('readLines() of %i lines gives %i', async (count, given, next) => {
  const found = await read('x\n'.repeat(count))
  expect([found.lines.length, found.nextOffset]).toEqual([given, next])
})

test.each([1_999, 2_000])('readLines() leaves a line of %i characters whole', async length => {
  expect((await read(`${'x'.repeat(length)}\r\ny`)).lines).toEqual(['x'.repeat(length), 'y'])
})

test('readLines() cuts a longer line, never inside a character, and says how much is missing', async () => {
  expect((await read(`${'x'.repeat(2_001)}\ny`)).lines).toEqual([`${'x'.repeat(2_000)}… [1 more characters]`, 'y'])
  expect((await read(`${'x'.repeat(1_999)}😀`)).lines).toEqual([`${'x'.repeat(1_999)}… [2 more characters]`])
  expect((await read('x'.repeat(5_000_000))).lines[0]).toMatch(/^x{2000}… \[4,998,000 more characters\]$/)
})

test('readLines() gives at most 100,000 characters, in whole lines, and where to go on', async () => {
  const found = await read(`${'x'.repeat(1_999)}\n`.repeat(100))
  expect([found.lines.length, found.nextOffset, found.totalLines]).toEqual([50, 51, 100])
})

test.each<[kind: string, content: Uint8Array | string]>([
  ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
  ['a JPEG image', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1')],
  ['a WebP image', Buffer.from('RIFF\0\0\0\0WEBPVP8 \0', 'latin1')],
  ['a PDF document', '%PDF-1.7\n1 0 obj\n'],
  ['a program', Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1')],
  ['a binary file', 'text\0text'],
  ['a binary file', `${'x\n'.repeat(200_000)}\0`],
  ['a binary file', Buffer.from('\x01\x02\x03\x04abc', 'latin1')],
])('readLines() refuses %s and says so', async (kind, content) => {
  await expect(read(content)).rejects.toEqual(failing('TOOL_FAILED', new RegExp(`it is ${kind} of [\\d,]+ bytes`)))
})

test.each(['BM is a text', 'GIF89 too', 'PK', 'MM*', '\x1b[31mred\x1b[0m\n'])('readLines() takes %j for text', async text => {
  expect((await read(text)).lines).toEqual([text.trimEnd()])
})

test('readLines() shows bytes that are no UTF-8 and says so', async () => {
  const found = await read(Buffer.from('caf\xe9\n', 'latin1'))
  expect([found.lines, found.notes.length]).toEqual([['caf\uFFFD'], 1])
})

test('readLines() reads a whole file up to 10 MiB, and parts of a larger one', async () => {
  const line = `${'x'.repeat(1_023)}\n`
  const atLimit = line.repeat(maxFileBytes / line.length)
  expect((await read(atLimit)).totalLines).toBe(10_240)
  await expect(read(`${atLimit}y`)).rejects.toEqual(failing('TOOL_FAILED', /10,485,761 bytes.*Grep.*offset and limit/))
  expect(await read(`${atLimit}y`, { offset: 10_241 })).toMatchObject({ lines: ['y'], totalLines: 10_241 })
  const part = await read(`${atLimit}y`, { limit: 2 })
  expect([part.lines.length, part.totalLines, part.nextOffset]).toEqual([2, undefined, 3])
})

test('readLines() of a sparse file of a gigabyte neither takes its memory nor its time', async () => {
  const folder = temporaryFolder()
  const descriptor = openSync(join(folder, 'file'), 'w')
  writeSync(descriptor, 'first\nsecond\n'.repeat(1_000))
  ftruncateSync(descriptor, 1024 ** 3)
  closeSync(descriptor)
  const before = process.memoryUsage().rss
  await expect(readLines({ path: decided(folder, 'file') }, createReadLedger())).rejects.toEqual(failing('TOOL_FAILED', /1,073,741,824/))
  await expect(readLines({ path: decided(folder, 'file'), offset: 5_000 }, createReadLedger())).rejects.toEqual(
    failing('TOOL_FAILED', /binary/),
  )
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
})

test('readLines() reads no further than the file was long at the beginning', async () => {
  const folder = temporaryFolder()
  put(folder, { file: 'old\n'.repeat(300_000) })
  const ledger = createReadLedger()
  const reading = readLines({ path: decided(folder, 'file') }, ledger)
  // The first piece is on its way: reading has begun with the length of that time.
  appendFileSync(join(folder, 'file'), 'new\n'.repeat(1_000))
  const found = await reading
  expect([found.totalLines, found.notes]).toEqual([300_000, ['The file changed while it was read']])
  expect(ledger.find(join(folder, 'file'))?.hash).toBeUndefined()
})

const pseudoFiles = ['/proc/self/environ', '/proc/version', '/proc/1/cmdline'].map(path => path.replace('self', String(process.pid)))

test.each(pseudoFiles)('readLines() refuses %s, which the kernel makes up', async path => {
  await expect(readLines({ path: { real: path, shown: path } }, createReadLedger())).rejects.toEqual(failing('FILE_CHANGED', /kernel/))
})

test('readLines() refuses what is no file, at once, and names only the path that was given', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('loop', join(folder, 'loop'))
  symlinkSync('/etc/passwd', join(folder, 'link'))
  const before = readdirSync('/proc/self/fd').length
  for (const [name, code, said] of [
    ['folder', 'FILE_CHANGED', /folder.*Glob/],
    ['pipe', 'FILE_CHANGED', /pipe/],
    ['loop', 'FILE_CHANGED', /link/],
    ['link', 'FILE_CHANGED', /link/],
    ['absent', 'TOOL_FAILED', /no such file/],
    ['absent/deeper', 'TOOL_FAILED', /no such file/],
    ['x'.repeat(300), 'TOOL_FAILED', /too long/],
    ['nul\0', 'FILE_CHANGED', /absolute path/],
  ] as const) {
    const error = await readLines({ path: decided(folder, name) }, createReadLedger()).catch((thrown: Error) => thrown)
    expect(error, name).toEqual(failing(code, said))
    expect((error as Error).message).not.toContain(folder)
  }
  await expect(readLines({ path: { real: '/dev/zero', shown: 'zero' } }, createReadLedger())).rejects.toEqual(
    failing('FILE_CHANGED', /device/),
  )
  expect(readdirSync('/proc/self/fd').length).toBe(before)
})

test('readLines() ends with the reason of its signal', async () => {
  const folder = temporaryFolder()
  put(folder, { file: 'x\n'.repeat(1_000_000) })
  const controller = new AbortController()
  const reading = readLines({ path: decided(folder, 'file') }, createReadLedger(), controller.signal)
  controller.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
})
