import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkRecording, openRecording } from '../../src/fork/recording.ts'
import { calls, createForkWorkspace, says, tell } from './support.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skillcell-recording-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const usage = (message: RegExp): unknown => expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) })
const thrownBy = (act: () => void): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

test('openRecording() writes beside the file, and the file is there at the end', () => {
  const path = join(root, 'kept.jsonl')
  writeFileSync(path, 'before')
  const recording = openRecording(path)
  recording.add('{"one":1}')
  const [partial = ''] = readdirSync(root).filter(name => name.startsWith('kept.jsonl.partial-'))
  // What a killed run leaves.
  expect(readFileSync(join(root, partial), 'utf8')).toBe('{"one":1}\n')
  expect(statSync(join(root, partial)).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toBe('before')
  recording.add('{"two":2}')
  recording.close()
  expect(readFileSync(path, 'utf8')).toBe('{"one":1}\n{"two":2}\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(root)).toEqual(['kept.jsonl'])
})

test('openRecording() leaves what was there when no turn came', () => {
  const path = join(root, 'kept.jsonl')
  writeFileSync(path, 'before')
  openRecording(path).close()
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(root)).toEqual(['kept.jsonl'])
})

test('openRecording() replaces a link, not what it leads to', () => {
  writeFileSync(join(root, 'mine'), 'precious')
  symlinkSync('mine', join(root, 'kept.jsonl'))
  const recording = openRecording(join(root, 'kept.jsonl'))
  recording.add('{}')
  recording.close()
  expect(readFileSync(join(root, 'mine'), 'utf8')).toBe('precious')
  expect(lstatSync(join(root, 'kept.jsonl')).isFile()).toBe(true)
})

test.each<[what: string, pathOf: () => string, message: RegExp]>([
  ['a folder', () => join(root, 'folder'), /it is a folder/],
  ['a FIFO', () => join(root, 'fifo'), /no ordinary file/],
  ['a device', () => '/dev/null', /no ordinary file/],
  ['a folder that is not there', () => join(root, 'nowhere/x'), /its folder is not there/],
  ['a file as folder', () => join(root, 'file/x'), /is no folder/],
])('checkRecording() refuses %s, in words', (_, pathOf, message) => {
  mkdirSync(join(root, 'folder'))
  writeFileSync(join(root, 'file'), '')
  execFileSync('mkfifo', [join(root, 'fifo')])
  const error = thrownBy(() => checkRecording(pathOf()))
  expect(error).toEqual(usage(message))
  expect(String(error)).not.toMatch(/E[A-Z]{4,}|open '/)
})

test.each<[what: string, make: (script: string, path: string) => void]>([
  ['a link', (script, path) => symlinkSync(script, path)],
  ['another name', (script, path) => linkSync(script, path)],
])('checkRecording() refuses the script by %s', (_, make) => {
  const script = join(root, 'script.jsonl')
  writeFileSync(script, '{}')
  make(script, join(root, 'other'))
  for (const path of [script, join(root, 'other')]) expect(thrownBy(() => checkRecording(path, script))).toEqual(usage(/it is the script/))
  expect(thrownBy(() => checkRecording(join(root, 'new'), script))).toBeUndefined()
})

test('a run does not record over the script that it plays, and nothing of it runs', async () => {
  const place = createForkWorkspace()
  place.skill('work', 'Do it !`touch ran`', 'context: fork\n')
  const model = place.script(says('done'))
  const file = model.slice('script:'.length)
  const before = readFileSync(file, 'utf8')
  const runtime = await place.open({ allow: ['Bash(touch *)'], modelAliases: { kept: model } })
  for (const name of [model, 'kept']) {
    const { outcome } = await tell(runtime, '/work', { model: name, record: file })
    expect(outcome).toMatchObject({ reason: 'failed', error: { code: 'USAGE' } })
  }
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(readdirSync(place.project)).not.toContain('ran')
})

test('a run that records nothing says so', async () => {
  const place = createForkWorkspace()
  place.skill('plain', 'Text')
  const runtime = await place.open()
  const { events, outcome } = await tell(runtime, '/plain', { record: join(place.root, 'kept.jsonl') })
  expect(outcome.reason).toBe('completed')
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'diagnostic', diagnostic: expect.objectContaining({ code: 'RECORD_UNUSED' }) }),
  )
  expect(readdirSync(place.root)).not.toContain('kept.jsonl')
})

test('what a run records replays, and a changed file does not fit', async () => {
  const place = createForkWorkspace()
  place.skill('work', 'Read the note', 'context: fork\n')
  place.write('note.md', 'first\n')
  const kept = join(place.root, 'kept.jsonl')
  const runtime = await place.open()
  const model = place.script(calls(['Read', { file_path: 'note.md' }]), says('done'))
  expect((await tell(runtime, '/work', { model, record: kept })).outcome).toMatchObject({ reason: 'completed' })
  expect((await tell(runtime, '/work', { model: `script:${kept}` })).outcome.reason).toBe('completed')
  place.write('note.md', 'second\n')
  expect((await tell(runtime, '/work', { model: `script:${kept}` })).outcome.error?.code).toBe('MODEL_MISMATCH')
})
