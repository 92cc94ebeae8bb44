import { expect, test } from 'vitest'
import { SkillcellError } from '../../src/errors.ts'
import { fromWireError, toWireError } from '../../src/protocol/wire-error.ts'

test('toWireError() and fromWireError() keep code, message and details', () => {
  const error = new SkillcellError('COMMAND_DENIED', 'no', { details: { pattern: 'rm', line: 3 } })
  const back = fromWireError(structuredClone(toWireError(error)))
  expect(back).toBeInstanceOf(SkillcellError)
  expect(back).toMatchObject({ code: 'COMMAND_DENIED', message: 'no', details: { pattern: 'rm', line: 3 } })
})

test('toWireError() drops details that cannot cross a thread and keeps the error', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(toWireError(new SkillcellError('USAGE', 'no', { details: circle }))).toEqual({ code: 'USAGE', message: 'no', details: {} })
  const withFunction = toWireError(new SkillcellError('USAGE', 'no', { details: { call: () => 1, line: 2 } }))
  expect(structuredClone(withFunction).details).toEqual({ line: 2 })
})

const foreign: readonly [what: string, error: unknown, code: string][] = [
  ['an error of another class', new TypeError('x is no function'), 'INTERNAL'],
  ['a string', 'thrown', 'INTERNAL'],
  ['a string that grew too long', tooLong(), 'WORKER_OUT_OF_MEMORY'],
  ['another range', new RangeError('toString() radix must be between 2 and 36'), 'INTERNAL'],
]

test.each(foreign)('toWireError() of %s', (_, error, code) => {
  expect(toWireError(error).code).toBe(code)
})

function tooLong(): unknown {
  try {
    return 'x'.repeat(2 ** 30)
  } catch (error) {
    return error
  }
}
