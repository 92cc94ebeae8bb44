// The example of the README from the command line: with a person in mind, and with events as lines.

import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Ended, openPlace } from './command-line.ts'

const example = fileURLToPath(new URL('../fixtures/fork-example', import.meta.url))

async function survey(...more: readonly string[]): Promise<Ended & { readonly root: string }> {
  const place = await openPlace()
  onTestFinished(() => place.remove())
  await cp(example, place.project, { recursive: true })
  const model = `script:${join(place.project, 'conversation.jsonl')}`
  return { ...(await place.run(['run', '/survey notes', '--model', model, ...more])), root: place.root }
}

test('run of a fork ends with its sums on stdout, and tells its work on stderr', async () => {
  const { exitCode, stdout, stderr } = await survey()
  expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'Invoked skill: survey (3 tools | 1,618 tokens)'])
  expect(stdout).toContain('- notes/garden.md: mend the fence')
  expect(stderr).toMatch(/^Invoking skill: survey \(Explore, script:.*\n {2}I look for the notes first\.\n {2}Glob notes\/\*\*\/\*\.md\n/)
})

test('run --json of a fork gives one event a line, the last one the end', async () => {
  const { exitCode, stdout } = await survey('--json')
  const events = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect([exitCode, events.at(-1)]).toMatchObject([0, { type: 'run.finished', reason: 'completed', result: { agent: { toolCalls: 3 } } }])
  expect(events.filter(event => event.type === 'run.finished')).toHaveLength(1)
  expect(events.map(event => event.sequence)).toEqual(events.map((_, index) => index))
  expect(events.some(event => event.type === 'text.delta')).toBe(true)
})

test('run --record keeps a conversation that can be played again', async () => {
  const place = await openPlace()
  onTestFinished(() => place.remove())
  await cp(example, place.project, { recursive: true })
  const record = join(place.root, 'kept.jsonl')
  const first = await place.run([
    'run',
    '/survey notes',
    '--model',
    `script:${join(place.project, 'conversation.jsonl')}`,
    '--record',
    record,
  ])
  const again = await place.run(['run', '/survey notes', '--model', `script:${record}`])
  expect([again.exitCode, again.stdout]).toEqual([0, first.stdout])
})

test('run of a fork without a model says what to give, and runs nothing', async () => {
  const place = await openPlace()
  onTestFinished(() => place.remove())
  await place.skill('work', 'Work !`touch made`.', 'context: fork\n')
  const { exitCode, stderr } = await place.run(['run', '/work'])
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^MODEL_UNAVAILABLE: .*default: none/)])
})
