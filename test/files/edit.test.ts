import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DecidedPath } from '../../src/files/decided-path.ts'
import { type EditedFile, editFile } from '../../src/files/edit.ts'
import { readLines } from '../../src/files/read.ts'
import { createReadLedger, type ReadLedger } from '../../src/files/read-ledger.ts'
import { replaceText } from '../../src/files/replace-text.ts'
import { codeOf, decided, put, temporaryFolder } from './support.ts'

interface Known {
  readonly path: DecidedPath
  readonly ledger: ReadLedger
  edit(oldString: string, newString: string, replaceAll?: boolean): EditedFile
  bytes(): Buffer
}

async function known(content: string | Uint8Array): Promise<Known> {
  const folder = temporaryFolder()
  const path = decided(folder, 'file')
  const ledger = createReadLedger()
  put(folder, { file: content })
  await readLines({ path }, ledger)
  return {
    path,
    ledger,
    edit: (oldString, newString, replaceAll = false) => editFile({ path, oldString, newString, replaceAll }, ledger),
    bytes: () => readFileSync(path.real),
  }
}

test.each<[what: string, before: string, oldString: string, newString: string, after: string]>([
  ['one place', 'a b c', 'b', 'B', 'a B c'],
  ['with nothing', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
  ['the whole', 'a', 'a', 'b', 'b'],
  ['signs that replace() would read', 'a b', 'b', "$& $1 $$ $` $'", "a $& $1 $$ $` $'"],
  ['lines that end in CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
  ['lines that were given with CRLF', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
  ['a part of a line, among CRLF', 'a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
  ['mixed ends, the piece with LF', 'a\r\nb\nc\nd\r\ne\r\n', 'b\nc', 'x\ny', 'a\r\nx\ny\nd\r\ne\r\n'],
  ['mixed ends, the piece with CRLF', 'a\r\nb\r\nc\nd\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\nd\n'],
  ['with line ends that the file has not', 'a\nb\n', 'b', 'x\r\ny', 'a\nx\r\ny\n'],
  ['lines of a file of LF that were given with CRLF', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
  ['up to the line end', 'a\r\nb\r\n', 'a', 'x', 'x\r\nb\r\n'],
  ['from the line end on', 'a\r\nb\r\n', '\nb', '\nx', 'a\r\nx\r\n'],
])('editFile() replaces %s', async (_what, before, oldString, newString, after) => {
  const file = await known(before)
  expect(file.edit(oldString, newString).replacements).toBe(1)
  expect(file.bytes().toString()).toBe(after)
})

test.each<[encoding: string, encode: (text: string) => Buffer]>([
  ['UTF-8 with a mark', text => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 LE', text => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 BE', text => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
])('editFile() keeps %s', async (_encoding, encode) => {
  const file = await known(encode('aä\r\n😀\r\n'))
  file.edit('ä\n', '漢\n')
  expect(file.bytes()).toEqual(encode('a漢\r\n😀\r\n'))
})

test('editFile() does not write back bytes that it cannot decode', async () => {
  const bytes = Buffer.from('caf\xe9 au lait', 'latin1')
  const file = await known(bytes)
  expect(codeOf(() => file.edit('lait', 'x'))).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/damage/) })
  expect(file.bytes()).toEqual(bytes)
})

test('editFile() wants one place, or all', async () => {
  const file = await known('x\ny\nx\n')
  expect(codeOf(() => file.edit('x', 'z'))).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/2 times \(lines 1, 3\)/) })
  expect(file.edit('x', 'z', true).replacements).toBe(2)
  expect(file.bytes().toString()).toBe('z\ny\nz\n')
})

test('places that overlap are more than one, and all of them are those that do not', () => {
  expect(replaceText('aaa', { oldString: 'aa', newString: 'b', replaceAll: false })).toMatchObject({ type: 'ambiguous', count: 2 })
  expect(replaceText('aaa', { oldString: 'aa', newString: 'b', replaceAll: true })).toMatchObject({ text: 'ba', count: 1 })
})

test('replaceText() does what split and join do, for any text without CRLF', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '&'), maxLength: 30 })
  fc.assert(
    fc.property(
      letters,
      letters.filter(text => text !== ''),
      letters,
      (text, oldString, newString) => {
        const result = replaceText(text, { oldString, newString, replaceAll: true })
        const parts = text.split(oldString)
        expect(result.type === 'replaced' ? [result.text, result.count] : [text, 0]).toEqual([parts.join(newString), parts.length - 1])
      },
    ),
  )
})

test('replaceText() touches nothing outside its places, for any line ends', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), maxLength: 30 })
  fc.assert(
    fc.property(texts, texts, texts, fc.boolean(), (before, oldString, after, crlf) => {
      fc.pre(!`${before}|${after}`.includes('X'))
      const text = `${before}X${oldString.replaceAll('\r\n', '\n').replaceAll('\n', crlf ? '\r\n' : '\n')}X${after}`
      const result = replaceText(text, { oldString: `X${oldString}X`, newString: 'Y', replaceAll: false })
      // A \r before a line end is a part of it, however it is written.
      fc.pre(!/\r\r\n|\r\n\n/.test(text) && !oldString.includes('\r\r') && !/\r$/.test(before))
      expect(result).toMatchObject({ type: 'replaced', text: `${before}Y${after}` })
    }),
  )
})

test.each<[what: string, content: string, oldString: string, said: RegExp]>([
  [
    'other white space',
    'if (a) {\n\treturn  b\n}\n',
    'if (a) {\n    return b',
    /line 1 has the same text with other white space:\n1→if \(a\) \{\n2→\treturn {2}b/,
  ],
  ['line numbers', 'const a = 1\n', '   1→const a = 1', /line numbers/],
  ['a word that differs', 'x\nconst total = sum(items, tax)\ny\n', 'const total = sum(items, vat)', /most like it are:\n2→const total/],
  ['nothing like it', 'x\ny\n', 'something else', /read the file again/],
])('editFile() of what does not stand there tells of %s', async (_what, content, oldString, said) => {
  const file = await known(content)
  expect(codeOf(() => file.edit(oldString, 'new'))).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(said) })
})

test('what is said of a text that does not stand there is bounded', async () => {
  const file = await known(`${'word '.repeat(100_000)}\n`.repeat(4))
  const started = performance.now()
  expect(codeOf(() => file.edit(`word ${'other '.repeat(100_000)}`, 'new')).message.length).toBeLessThan(2_000)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('editFile() makes a new file of an empty old_string, and no other', async () => {
  const folder = temporaryFolder()
  const ledger = createReadLedger()
  const make = () => editFile({ path: decided(folder, 'sub/new'), oldString: '', newString: 'a\nb\n', replaceAll: false }, ledger)
  expect(make()).toEqual({ path: 'sub/new', created: true, replacements: 0, snippet: { firstLine: 1, lines: ['a', 'b'] } })
  expect(codeOf(make)).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/it exists/) })
  expect(
    codeOf(() => editFile({ path: decided(folder, 'none'), oldString: 'x', newString: 'y', replaceAll: false }, ledger)).message,
  ).toMatch(/no such file/)
  expect(readdirSync(folder)).toEqual(['sub'])
})

test('editFile() refuses what changes nothing, what was not read, and what changed since', async () => {
  const file = await known('a b')
  expect(codeOf(() => file.edit('a', 'a'))).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/same/) })
  expect(
    codeOf(() => editFile({ path: file.path, oldString: 'a', newString: 'x', replaceAll: false }, createReadLedger())).message,
  ).toMatch(/read it first/)
  writeFileSync(file.path.real, 'a c')
  expect(codeOf(() => file.edit('a', 'x'))).toMatchObject({ code: 'FILE_CHANGED', message: expect.stringMatching(/read it again/) })
  expect(file.bytes().toString()).toBe('a c')
})

test('a link that takes the place of a file that was read is not followed', async () => {
  const file = await known('a b')
  const outside = join(temporaryFolder(), 'secret')
  writeFileSync(outside, 'a b')
  unlinkSync(file.path.real)
  symlinkSync(outside, file.path.real)
  expect(codeOf(() => file.edit('a', 'x')).code).toBe('FILE_CHANGED')
  expect(readFileSync(outside, 'utf8')).toBe('a b')
})

test('of many edits of one file at once none is lost', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `<${index}>`)
  const file = await known(names.join('\n'))
  chmodSync(file.path.real, 0o640)
  await Promise.all(names.map(async name => file.edit(name, name.toUpperCase().replace('<', '['))))
  expect(file.bytes().toString()).toBe(names.map(name => name.replace('<', '[')).join('\n'))
  expect(statSync(file.path.real).mode & 0o777).toBe(0o640)
})

test('the snippet shows the change with the lines around it, and no more than twenty', async () => {
  const file = await known(`${Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n')}\n`)
  expect(file.edit('line 50\n', 'x\ny\n').snippet).toEqual({
    firstLine: 47,
    lines: ['line 47', 'line 48', 'line 49', 'x', 'y', 'line 51', 'line 52', 'line 53'],
  })
  expect(file.edit('line 1\n', 'z\n'.repeat(200)).snippet.lines).toHaveLength(20)
  expect(file.edit('line 100\n', `${'w'.repeat(300)}\n`).snippet.lines.at(-1)).toBe(`${'w'.repeat(199)}…`)
})
