import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { runProblem } from '../../src/run-problem.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'

test.each<[text: unknown, options: unknown, message: RegExp]>([
  [undefined, {}, /undefined came/],
  [null, {}, /null came/],
  [5, {}, /a value of type number came/],
  [['/d'], {}, /a list came/],
  ['', {}, /a run is `\/name arguments`$/],
  ['d x', {}, /did you mean `\/d x`\?/],
  ['  d x ', {}, /did you mean `\/d x`\?/],
  ['d\u001b[2J', {}, /arguments`$/],
  [`d ${'x'.repeat(100)}`, {}, /arguments`$/],
  ['/d', 5, /options are no object/],
  ['/d', { deadlineMs: 0 }, /deadlineMs 0: it is a number of milliseconds from 1/],
  ['/d', { deadlineMs: -1 }, /deadlineMs -1/],
  ['/d', { deadlineMs: Number.NaN }, /deadlineMs NaN/],
  ['/d', { deadlineMs: '5' }, /deadlineMs "5"/],
  ['/d', { deadlineMs: Number.POSITIVE_INFINITY }, /deadlineMs Infinity/],
  ['/d', { model: '' }, /model "": it is anthropic:ID, openai:ID or script:FILE/],
  ['/d', { record: '' }, /record to ""/],
  ['/d', { signal: {} }, /no AbortSignal/],
])('runProblem(%j, %j)', (text, options, message) => {
  expect(runProblem(text, options)).toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) })
})

test.each<[options: unknown]>([
  [undefined],
  [null],
  [{}],
  [{ deadlineMs: 1 }],
  [{ deadlineMs: undefined, model: 'openai:x', record: 'f', signal: new AbortController().signal }],
])('runProblem() takes %j', options => {
  expect(runProblem('/d x', options)).toBeUndefined()
})

async function open(): Promise<Runtime> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillcell-run-')))
  mkdirSync(join(root, 'home'))
  const runtime = await createRuntime({ cwd: root, home: join(root, 'home'), sandbox: 'off' })
  onTestFinished(async () => {
    await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  return runtime
}

test('run() never throws, whatever it is given', async () => {
  const runtime = await open()
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.anything(), async (text, options) => {
      // Callers without types.
      const run = Reflect.apply(runtime.run, runtime, [text, options])
      const { reason, error } = await run.result
      expect(reason).toBe('failed')
      expect(error?.code).not.toBe('INTERNAL')
    }),
    { numRuns: 60 },
  )
})
