// What a model reads when a call does not fit, and counts of one.

import { expect, test } from 'vitest'
import { allTools } from '../../src/tools/all-tools.ts'
import { renderGrep } from '../../src/tools/grep.ts'
import { renderRead } from '../../src/tools/read.ts'
import { inputProblem } from '../../src/tools/tool.ts'
import { renderWrite } from '../../src/tools/write.ts'

const problem = (name: string, input: object): string | undefined => {
  const tool = allTools.get(name)
  return tool && inputProblem(tool, input)
}

test.each<[tool: string, input: object, text: string]>([
  ['Read', { file_path: '' }, '"file_path": It may not be empty'],
  ['Read', { file_path: 'x'.repeat(4_097) }, '"file_path": It has at most 4,096 characters'],
  ['Read', { file_path: 'a', limit: 0 }, '"limit": It is at least 1'],
  ['Read', { file_path: 'a', limit: 100_001 }, '"limit": It is at most 100,000'],
  ['Grep', { pattern: '' }, '"pattern": It may not be empty'],
  ['Bash', { command: '' }, '"command": It may not be empty'],
])('a call of %s with %j is told in words', (tool, input, text) => {
  expect(problem(tool, input)).toContain(text)
  expect(problem(tool, input)).not.toMatch(/Too (?:small|big)|[<>]=/)
})

test.each(['a.txt/', 'a.txt//', 'a/.', 'a/..', '/'])('the path %s names no file', path => {
  for (const input of [{ file_path: path }, { file_path: path, content: '' }, { file_path: path, old_string: 'a', new_string: 'b' }]) {
    const tool = 'content' in input ? 'Write' : 'old_string' in input ? 'Edit' : 'Read'
    expect(problem(tool, input)).toContain('ends as the path of a folder')
  }
  expect(problem('Glob', { pattern: '*', path })).toBeUndefined()
})

test.each(['a.txt', '.', 'a/.hidden', 'a/...', '/etc/x'])('the path %s may name a file', path => {
  expect(problem('Read', { file_path: path })).toBe(undefined)
})

test('one line, one file, one byte', () => {
  expect(renderWrite({ path: 'a', action: 'created', lines: 1, bytes: 1 })).toContain('(1 line, 1 byte)')
  expect(renderWrite({ path: 'a', action: 'created', lines: 0, bytes: 0 })).toContain('(0 lines, 0 bytes)')
  expect(renderRead({ lines: ['x'], firstLine: 2, totalLines: 3, nextOffset: 3, notes: [] })).toContain(
    '[Line 2 of 3; go on with offset 3]',
  )
  expect(renderGrep({ mode: 'content', entries: [], more: 1, notes: [] })).toContain('1 more line;')
  expect(renderGrep({ mode: 'count', entries: [], more: 1, notes: [] })).toContain('1 more file;')
  expect(renderGrep({ mode: 'count', entries: [], more: 2, notes: [] })).toContain('2 more files;')
})
