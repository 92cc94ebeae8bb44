import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/protocol/agent-task.ts'
import { createEventFlow } from '../../src/protocol/event-flow.ts'

const delta = (text: string, agentId?: string): AgentEvent => ({ type: 'text.delta', ...(agentId !== undefined && { agentId }), text })
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('push() joins the deltas of one tick and asks nobody to wait while there is credit', async () => {
  const sent: (readonly AgentEvent[])[] = []
  const flow = createEventFlow(events => sent.push(events), 2)
  for (const text of ['a', 'b', 'c']) expect(flow.push(delta(text))).toBeUndefined()
  expect(sent).toEqual([])
  await turn()
  expect(sent).toEqual([[delta('abc')]])
})

test('push() joins nothing of two agents, or over another event', async () => {
  const sent: (readonly AgentEvent[])[] = []
  const flow = createEventFlow(events => sent.push(events), 2)
  const line: AgentEvent = { type: 'turn.recorded', line: '{}' }
  for (const event of [delta('a'), delta('b', 'child'), delta('c', 'child'), line, delta('d', 'child'), delta('e')]) flow.push(event)
  await turn()
  expect(sent).toEqual([[delta('a'), delta('bc', 'child'), line, delta('d', 'child'), delta('e')]])
})

test('push() makes the producer wait without credit, and joins what it still has', async () => {
  const sent: (readonly AgentEvent[])[] = []
  const flow = createEventFlow(events => sent.push(events), 1)
  flow.push(delta('a'))
  await turn()
  let went = false
  const waited = flow.push(delta('b'))?.then(() => {
    went = true
  })
  flow.push(delta('c'))
  await turn()
  expect([sent.length, went]).toEqual([1, false])
  flow.grant(1)
  await waited
  expect(sent).toEqual([[delta('a')], [delta('bc')]])
})

test.each([
  [8_191, 0],
  [8_192, 1],
  [8_193, 1],
])('push() of %s characters sends %s lists at once', (chars, lists) => {
  let sent = 0
  const flow = createEventFlow(() => (sent += 1), 4)
  flow.push(delta('x'.repeat(chars)))
  expect(sent).toBe(lists)
  flow.end('over')
})

test.each([
  [63, 0],
  [64, 1],
])('push() of %s events sends %s lists at once', (count, lists) => {
  let sent = 0
  const flow = createEventFlow(() => (sent += 1), 4)
  for (let event = 0; event < count; event += 1) flow.push({ type: 'turn.recorded', line: '' })
  expect(sent).toBe(lists)
  flow.end('over')
})

test('flush() resolves when all is sent, and end() ends who waits with its reason', async () => {
  const flow = createEventFlow(() => {}, 1)
  flow.push(delta('a'))
  expect(flow.flush()).toBeUndefined()
  const waiting = flow.push(delta('b'))
  const flushing = flow.flush()
  flow.end('over')
  await expect(waiting).rejects.toBe('over')
  await expect(flushing).rejects.toBe('over')
  await expect(flow.push(delta('c'))).rejects.toBe('over')
  await expect(flow.flush()).rejects.toBe('over')
})

test('for any events and any rhythm of credit, everything arrives once, in order, and never more lists than credit', async () => {
  const event = fc.oneof(
    fc
      .record({ text: fc.string({ maxLength: 5 }), agentId: fc.constantFrom(undefined, 'child') })
      .map(({ text, agentId }) => delta(text, agentId)),
    fc.constant<AgentEvent>({ type: 'turn.recorded', line: '{}' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 100 }), fc.integer({ min: 1, max: 4 }), async (events, credit) => {
      const sent: AgentEvent[] = []
      let underWay = 0
      const flow = createEventFlow(list => {
        sent.push(...list)
        underWay += 1
        expect(underWay).toBeLessThanOrEqual(credit)
        setImmediate(() => {
          underWay -= 1
          flow.grant(1)
        })
      }, credit)
      for (const each of events) await flow.push(each)
      for (let rest = flow.flush(); rest; rest = flow.flush()) await rest
      expect(joined(sent)).toEqual(joined(events))
    }),
    { numRuns: 100 },
  )
})

/** As one line per agent and event: what was joined reads like what was not. */
function joined(events: readonly AgentEvent[]): readonly unknown[] {
  const lines: unknown[] = []
  let last: { agentId: string | undefined; text: string } | undefined
  for (const event of events) {
    if (event.type !== 'text.delta') {
      lines.push(event.type)
      last = undefined
    } else if (last && last.agentId === event.agentId) last.text += event.text
    else {
      last = { agentId: event.agentId, text: event.text }
      lines.push(last)
    }
  }
  return lines
}
