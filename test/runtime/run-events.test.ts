import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { createRunEvents } from '../../src/run-events.ts'

const started = { type: 'run.started', skill: 's', arguments: { chars: 0 }, trigger: 'user-slash' } as const
const finished = { type: 'run.finished', reason: 'completed' } as const
const command = (index: number) => ({ type: 'command.started', index, command: 'true' }) as const

test('createRunEvents() gives a late reader every event, numbered without gaps', async () => {
  const events = createRunEvents('run_1')
  events.emit(started)
  for (let index = 0; index < 100; index += 1) events.emit(command(index))
  events.emit(finished)
  const seen = await collect(events)
  expect(seen.map(event => event.sequence)).toEqual(Array.from({ length: 102 }, (_, index) => index))
  expect(seen.every(event => event.runId === 'run_1')).toBe(true)
})

test('createRunEvents() gives two readers of different speed the same events', async () => {
  const events = createRunEvents('run_1')
  const fast = collect(events)
  const slow = events[Symbol.asyncIterator]()
  events.emit(started)
  expect((await slow.next()).value).toMatchObject({ type: 'run.started' })
  events.emit(command(0))
  events.emit(finished)
  expect((await fast).map(event => event.type)).toEqual(['run.started', 'command.started', 'run.finished'])
  expect((await slow.next()).value).toMatchObject({ type: 'command.started' })
  expect((await slow.next()).value).toMatchObject({ type: 'run.finished' })
  expect((await slow.next()).done).toBe(true)
})

test('createRunEvents() takes nothing after run.finished', async () => {
  const events = createRunEvents('run_1')
  events.emit(finished)
  events.emit(finished)
  events.emit(command(0))
  expect(await collect(events)).toHaveLength(1)
})

test('createRunEvents() lets a reader leave in the middle', async () => {
  const events = createRunEvents('run_1')
  events.emit(started)
  for await (const event of events) {
    expect(event.type).toBe('run.started')
    break
  }
  events.emit(finished)
  expect(await collect(events)).toHaveLength(2)
})

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const seen: RunEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}
