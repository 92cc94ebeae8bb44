import { expect, test } from 'vitest'
import { toolNames } from '../../src/tool-names.ts'
import { allTools } from '../../src/tools/all-tools.ts'
import { renderBash } from '../../src/tools/bash.ts'
import { renderEdit } from '../../src/tools/edit.ts'
import { renderGlob } from '../../src/tools/glob.ts'
import { grepWish, renderGrep } from '../../src/tools/grep.ts'
import { oneLine } from '../../src/tools/input-fields.ts'
import { renderRead } from '../../src/tools/read.ts'
import { renderTodoWrite } from '../../src/tools/todo-write.ts'
import { inputSchemaOf } from '../../src/tools/tool.ts'
import { renderWebFetch } from '../../src/tools/web-fetch.ts'
import { renderWrite } from '../../src/tools/write.ts'

const inputs: Readonly<Record<string, { readonly least: object; readonly shown: string; readonly readOnly: boolean }>> = {
  Read: { least: { file_path: 'a.txt' }, shown: 'a.txt', readOnly: true },
  Write: { least: { file_path: 'a.txt', content: '' }, shown: 'a.txt', readOnly: false },
  Edit: { least: { file_path: 'a.txt', old_string: '', new_string: 'x' }, shown: 'a.txt', readOnly: false },
  Glob: { least: { pattern: '*' }, shown: '*', readOnly: true },
  Grep: { least: { pattern: 'x' }, shown: 'x', readOnly: true },
  Bash: { least: { command: 'ls' }, shown: 'ls', readOnly: false },
  Skill: { least: { skill_name: 'a' }, shown: 'a', readOnly: false },
  TodoWrite: { least: { todos: [] }, shown: '0/0 done', readOnly: false },
  WebFetch: { least: { url: 'https://a.test/' }, shown: 'https://a.test/', readOnly: true },
}

const toolOf = (name: string) => {
  const tool = allTools.get(name)
  if (!tool) throw new Error(`There is no tool ${name}`)
  return tool
}

test('the tools are the nine of the specification, under names that rules know', () => {
  expect([...allTools.keys()].toSorted()).toEqual(Object.keys(inputs).toSorted())
  expect([...allTools.keys()].filter(name => !toolNames.includes(name))).toEqual([])
})

test.each(Object.keys(inputs))('%s takes its least input, refuses what it does not know, and shows a call', name => {
  const { least, shown, readOnly } = inputs[name] ?? { least: {}, shown: '', readOnly: false }
  const tool = toolOf(name)
  expect(tool.input.safeParse(least)).toEqual({ success: true, data: least })
  expect(tool.input.safeParse({ ...least, other: 1 }).success).toBe(false)
  for (const key of Object.keys(least)) expect(tool.input.safeParse({ ...least, [key]: undefined }).success, key).toBe(false)
  expect([tool.mainParameter(least), tool.isReadOnly, tool.name]).toEqual([shown, readOnly, name])
})

test.each(Object.keys(inputs))('%s has a JSON schema of an object that names what it needs, and descriptions', name => {
  const schema = inputSchemaOf(toolOf(name))
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: Object.keys(inputs[name]?.least ?? {}) })
  expect(JSON.stringify(schema).length).toBeLessThan(3_000)
  expect(toolOf(name).description.length).toBeLessThan(900)
})

test.each<[tool: string, input: object]>([
  ['Read', { file_path: '' }],
  ['Read', { file_path: 'a\0b' }],
  ['Read', { file_path: 'x'.repeat(4_097) }],
  ['Read', { file_path: 'a', offset: -1 }],
  ['Read', { file_path: 'a', limit: 0 }],
  ['Read', { file_path: 'a', limit: 1.5 }],
  ['Glob', { pattern: '' }],
  ['Glob', { pattern: 'x'.repeat(1_001) }],
  ['Grep', { pattern: 'x', type: '--pre=x y' }],
  ['Grep', { pattern: 'x', output_mode: 'other' }],
  ['Grep', { pattern: 'x', '-A': 1_001 }],
  ['Bash', { command: 'ls', timeout: 600_001 }],
  ['Bash', { command: '' }],
  ['TodoWrite', { todos: [{ content: 'a', status: 'done', activeForm: 'b' }] }],
  ['WebFetch', { url: '' }],
])('%s refuses %j', (tool, input) => {
  expect(toolOf(tool).input.safeParse(input).success).toBe(false)
})

test.each<[tool: string, input: object]>([
  ['Read', { file_path: 'x'.repeat(4_096), offset: 0, limit: 100_000 }],
  ['Glob', { pattern: 'x'.repeat(1_000), path: '/a' }],
  [
    'Grep',
    {
      pattern: 'x',
      type: 'c++',
      '-A': 1_000,
      '-B': 0,
      '-C': 1,
      '-i': true,
      '-n': false,
      multiline: true,
      head_limit: 0,
      offset: 1,
      glob: '*.ts',
      path: 'a',
      output_mode: 'count',
    },
  ],
  ['Bash', { command: 'ls', timeout: 600_000, description: 'List files' }],
  ['Edit', { file_path: 'a', old_string: 'a', new_string: '', replace_all: true }],
  ['TodoWrite', { todos: [{ content: 'a', status: 'in_progress', activeForm: 'b' }] }],
])('%s takes %j', (tool, input) => {
  expect(toolOf(tool).input.safeParse(input)).toEqual({ success: true, data: input })
})

test.each<[text: string, line: string]>([
  ['a\n  b\tc', 'a b c'],
  ['\u001b[2J\u202ex', '\\u{1b}[2J\\u{202e}x'],
  ['x'.repeat(120), 'x'.repeat(120)],
  ['x'.repeat(121), `${'x'.repeat(119)}…`],
  [`${'x'.repeat(118)}😀😀`, `${'x'.repeat(118)}…`],
  [`${' '.repeat(1_000)}x`, '…'],
])('oneLine(%j)', (text, line) => {
  expect(oneLine(text)).toBe(line)
})

test('renderRead() numbers lines and says where to go on', () => {
  expect(renderRead({ lines: ['a', ''], firstLine: 9, totalLines: 12, nextOffset: 11, notes: ['Note'] })).toBe(
    '   9→a\n  10→\n[Lines 9–10 of 12; go on with offset 11]\n[Note]',
  )
  expect(renderRead({ lines: [], firstLine: 1, totalLines: 0, notes: [] })).toBe('(The file is empty)')
})

test('renderWrite() and renderEdit() say what was done', () => {
  expect(renderWrite({ path: 'a', action: 'created', lines: 1, bytes: 1_234 })).toBe('Created "a" (1 line, 1,234 bytes)')
  expect(renderWrite({ path: 'a', action: 'overwritten', lines: 2, bytes: 3 })).toBe('Overwrote "a" (2 lines, 3 bytes)')
  expect(renderEdit({ path: 'a', created: false, replacements: 2, snippet: { firstLine: 3, lines: ['x'] } })).toBe(
    'Edited "a": 2 replacements\n   3→x',
  )
  expect(renderEdit({ path: 'a', created: true, replacements: 0, snippet: { firstLine: 1, lines: [] } })).toBe('Created "a"')
})

test('renderGlob() lists, and says what is missing', () => {
  expect(renderGlob({ paths: ['b', 'a'], more: 1_000, notes: [] })).toBe('b\na\n[1,000 more files; use a narrower pattern or path]')
  expect(renderGlob({ paths: [], more: 0, notes: ['Note'] })).toBe('No files found\n[Note]')
})

test('renderGrep() reads like grep', () => {
  const entries = [
    { path: 'a', line: 1, text: 'x', isContext: true },
    { path: 'a', line: 2, text: 'y' },
    { path: 'a', line: 9, text: 'z' },
    { path: 'b', line: 10, text: 'z' },
  ]
  expect(renderGrep({ mode: 'content', entries, more: 2, notes: [] })).toBe(
    'a-1-x\na:2:y\n--\na:9:z\n--\nb:10:z\n[2 more lines; use offset, or a narrower pattern or path]',
  )
  expect(renderGrep({ mode: 'content', entries: entries.slice(1, 3), more: 0, notes: [] })).toBe('a:2:y\na:9:z')
  expect(renderGrep({ mode: 'content', entries: [{ path: 'a', text: 'x' }], more: 0, notes: [] })).toBe('a:x')
  expect(renderGrep({ mode: 'count', entries: [{ path: 'a', count: 3 }], more: 1, notes: [] })).toMatch(/^a:3\n\[1 more file;/)
  expect(renderGrep({ mode: 'files_with_matches', entries: [], more: 0, notes: [] })).toBe('No matches found')
})

test('renderBash() shows output, then how it ended when that is not well', () => {
  expect(renderBash({ reason: 'exited', exitCode: 0, output: 'a' })).toBe('a')
  expect(renderBash({ reason: 'exited', exitCode: 0, output: '', note: 'Note' })).toBe('(No output)\n[Note]')
  expect(renderBash({ reason: 'exited', exitCode: 2, output: 'a' })).toBe('a\n[Exit code 2]')
  expect(renderBash({ reason: 'timed-out', exitCode: 124, output: 'a' })).toBe(
    'a\n[Exit code 124, the time limit was reached; a longer timeout may help]',
  )
  expect(renderBash({ reason: 'killed', exitCode: 137, output: 'a', signal: 'SIGKILL' })).toBe(
    'a\n[Exit code 137 (SIGKILL), it was killed]',
  )
})

test('renderTodoWrite() and renderWebFetch()', () => {
  const todos = [
    { content: 'a', status: 'completed', activeForm: 'aing' },
    { content: 'b', status: 'in_progress', activeForm: 'bing' },
    { content: 'c', status: 'pending', activeForm: 'cing' },
  ] as const
  expect(renderTodoWrite({ todos })).toBe('The list is now:\n[x] a\n[>] b\n[ ] c')
  expect(toolOf('TodoWrite').mainParameter({ todos })).toBe('1/3 done: bing')
  expect(renderWebFetch({ url: 'https://a.test/', status: 200, contentType: 'text/plain', text: 'x', notes: ['Note'] })).toBe(
    'https://a.test/ (200, text/plain)\n\nx\n[Note]',
  )
})

test('grepWish() fills in what an input leaves out', () => {
  const least = {
    mode: 'files_with_matches',
    before: 0,
    after: 0,
    ignoreCase: false,
    lineNumbers: true,
    multiline: false,
    headLimit: 250,
    offset: 0,
  }
  expect(grepWish({ pattern: 'x' })).toEqual({ pattern: 'x', ...least })
  expect(grepWish({ pattern: 'x', '-C': 3, '-A': 1, glob: '*', type: 'ts', head_limit: 0, '-i': true, '-n': false })).toEqual({
    ...{ ...least, pattern: 'x', before: 3, after: 1, glob: '*', type: 'ts', headLimit: 0, ignoreCase: true, lineNumbers: false },
  })
})
