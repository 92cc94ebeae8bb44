// Errors between threads. A class is lost in the structured clone, so what crosses is code, message and details (SPEC R7.3).
// Stacks stay where they arose: they name files of this machine.

import { type ErrorCode, errorCodes, messageOf, SkillcellError } from '../errors.ts'

export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export function toWireError(error: unknown): WireError {
  if (!(error instanceof SkillcellError)) return { code: codeOf(error), message: messageOf(error), details: {} }
  return { code: error.code, message: error.message, details: plain(error.details) }
}

export function fromWireError(error: WireError): SkillcellError {
  return new SkillcellError(error.code, error.message, { details: error.details })
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCodes, value)
}

// V8 refuses a string above its longest with a RangeError and keeps the heap whole: for the caller it is the same fault.
function codeOf(error: unknown): ErrorCode {
  return error instanceof RangeError && /invalid (string|array) length/i.test(error.message) ? 'WORKER_OUT_OF_MEMORY' : 'INTERNAL'
}

/** Details that cannot cross a thread (functions, circles) must not turn one error into another. */
function plain(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(details))
  } catch {
    return {}
  }
}
