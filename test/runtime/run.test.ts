import { expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import type { ExpansionResult, RunEvent } from '../../src/events.ts'
import { createRunId, type Run, type RunStart, startRun } from '../../src/run.ts'

const result: ExpansionResult = {
  prompt: 'p',
  skill: 's',
  baseDir: '/s',
  allowedTools: [],
  disallowedTools: [],
  dialect: 'skillcell',
  commands: [],
  diagnostics: [],
}

function start(given: Partial<RunStart>): Run {
  return startRun({
    id: 'run_1',
    skill: 's',
    argumentChars: 3,
    trigger: 'user-slash',
    abandonAfterMs: 20,
    work: async () => result,
    record: async () => {},
    release: async () => {},
    ...given,
  })
}

/** Work that ends by the signal alone. */
const untilAborted: RunStart['work'] = signal =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('broken by the abort')))
  })

test('createRunId() has 128 random bits', () => {
  expect(createRunId()).toMatch(/^run_[0-9a-f]{32}$/)
  expect(createRunId()).not.toBe(createRunId())
})

test('startRun() tells start and end, and the result with nobody reading', async () => {
  const run = start({})
  expect(await run.result).toEqual({ reason: 'completed', result })
  expect((await read(run)).map(event => event.type)).toEqual(['run.started', 'run.finished'])
})

const endings: readonly [what: string, error: unknown, reason: string, code: string][] = [
  ['a denial', new SkillcellError('COMMAND_DENIED', 'no'), 'refused', 'COMMAND_DENIED'],
  ['a skill that may not be invoked', new SkillcellError('SKILL_NOT_INVOCABLE', 'no'), 'refused', 'SKILL_NOT_INVOCABLE'],
  ['a dead thread', new SkillcellError('WORKER_FAILED', 'no'), 'failed', 'WORKER_FAILED'],
  ['a fault of ours', new TypeError('no'), 'failed', 'INTERNAL'],
  ['something that is no error', 'no', 'failed', 'INTERNAL'],
]

test.each(endings)('startRun() ends once after %s', async (_, error, reason, code) => {
  const run = start({ work: () => Promise.reject(error) })
  expect(await run.result).toMatchObject({ reason, error: { code, message: 'no' } })
  expect((await read(run)).filter(event => event.type === 'run.finished')).toHaveLength(1)
})

test('startRun() ends once after work that throws before it has a promise', async () => {
  const run = start({
    work: () => {
      throw new Error('at once')
    },
  })
  expect(await run.result).toMatchObject({ reason: 'failed', error: { code: 'INTERNAL' } })
})

test('startRun() does no work for a signal that is aborted already, and releases', async () => {
  const calls: string[] = []
  const run = start({
    signal: AbortSignal.abort(),
    work: async () => {
      calls.push('work')
      return result
    },
    release: async () => void calls.push('release'),
  })
  expect(await run.result).toMatchObject({ reason: 'aborted', error: { code: 'ABORTED' } })
  expect(calls).toEqual(['release'])
})

test('startRun() ends as aborted, whatever the abort broke', async () => {
  const controller = new AbortController()
  const run = start({
    signal: controller.signal,
    work: (signal, emit) => {
      queueMicrotask(() => controller.abort())
      return untilAborted(signal, emit)
    },
  })
  expect(await run.result).toMatchObject({ reason: 'aborted', error: { code: 'ABORTED' } })
})

test('startRun() ends as timed-out at its deadline', async () => {
  const run = start({ deadlineMs: 10, work: untilAborted })
  expect(await run.result).toMatchObject({ reason: 'timed-out', error: { code: 'TIMED_OUT' } })
})

test('startRun() keeps the first cause: an abort after the deadline changes nothing', async () => {
  const controller = new AbortController()
  const run = start({
    signal: controller.signal,
    deadlineMs: 5,
    work: signal =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          controller.abort()
          reject(signal.reason)
        })
      }),
  })
  expect(await run.result).toMatchObject({ reason: 'timed-out' })
})

test('startRun() ends without a step that never answers, and releases when it does', async () => {
  const controller = new AbortController()
  let answer = (): void => {}
  let released = false
  const run = start({
    signal: controller.signal,
    work: () =>
      new Promise(resolve => {
        answer = () => resolve(result)
        controller.abort()
      }),
    release: async () => {
      released = true
    },
  })
  expect(await run.result).toMatchObject({ reason: 'aborted' })
  expect(released).toBe(false)
  answer()
  await new Promise(setImmediate)
  expect(released).toBe(true)
})

test('startRun() leaves no listener on the signal of its caller', async () => {
  const controller = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = controller.signal
  controller.signal.addEventListener = (...given: Parameters<AbortSignal['addEventListener']>) => {
    listeners += 1
    addEventListener.apply(controller.signal, given)
  }
  controller.signal.removeEventListener = (...given: Parameters<AbortSignal['removeEventListener']>) => {
    listeners -= 1
    removeEventListener.apply(controller.signal, given)
  }
  await start({ signal: controller.signal }).result
  expect(listeners).toBe(0)
})

async function read(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

test('a run that cannot be recorded has not succeeded', async () => {
  const run = start({ record: () => Promise.reject(new SkillcellError('AUDIT_FAILED', 'Cannot write')) })
  expect(await run.result).toMatchObject({ reason: 'failed', error: { code: 'AUDIT_FAILED' } })
  expect((await read(run)).map(event => event.type)).toEqual(['run.started', 'run.finished'])
})
