// Compares what a turn of a script expects with what it is asked, and says the first difference: expected and got, shortened. Pure.

import { shorten } from '../cut-text.ts'
import type { ModelRequest, ToolResult } from './model.ts'
import type { ExpectedResult, ScriptTurn } from './script-file.ts'

const shownChars = 160

/** Undefined when the request is as expected. */
export function differenceOf({ expect }: ScriptTurn, request: ModelRequest): string | undefined {
  const wanted = expect?.lastUserIncludes
  if (wanted !== undefined) {
    const user = lastUserText(request)
    const missing = (typeof wanted === 'string' ? [wanted] : wanted).find(text => user?.includes(text) !== true)
    if (missing !== undefined)
      return `expected a user message that includes ${quoted(missing)}, got ${user === undefined ? 'none' : quoted(user)}`
  }
  return expect?.toolResults === undefined ? undefined : differenceOfResults(expect.toolResults, newResults(request))
}

/** The newest message of the user, also when tool results came after it. */
export function lastUserText({ messages }: ModelRequest): string | undefined {
  for (const message of messages.toReversed()) if (message.role === 'user') return message.text
  return undefined
}

/** The results that the model has not yet seen: those after its last turn. */
export function newResults({ messages }: ModelRequest): readonly ToolResult[] {
  const last = messages.findLastIndex(message => message.role === 'assistant')
  return messages.slice(last + 1).flatMap(message => (message.role === 'tool' ? message.results : []))
}

function differenceOfResults(wanted: readonly (string | ExpectedResult)[], results: readonly ToolResult[]): string | undefined {
  if (wanted.length !== results.length) {
    const names = results.map(({ name }) => name).join(', ')
    return `expected ${countOf(wanted.length)}, got ${countOf(results.length)}${names === '' ? '' : ` (${shorten(names, shownChars)})`}`
  }
  for (const [at, each] of wanted.entries()) {
    const result = results[at]
    const expected = typeof each === 'string' ? { includes: each } : each
    if (result !== undefined && !isAsExpected(expected, result))
      return `expected tool result ${at + 1} to be ${describe(expected)}, got ${describe({
        name: result.name,
        isError: result.isError,
        equals: result.output,
      })}`
  }
  return undefined
}

function isAsExpected({ name, includes, equals, isError }: ExpectedResult, result: ToolResult): boolean {
  return (
    (name === undefined || name === result.name) &&
    (includes === undefined || result.output.includes(includes)) &&
    (equals === undefined || equals === result.output) &&
    (isError === undefined || isError === result.isError)
  )
}

function describe({ name, includes, equals, isError }: ExpectedResult): string {
  const kind = isError === undefined ? 'a result' : isError ? 'an error' : 'a success'
  const of = name === undefined ? '' : ` of ${name}`
  const text = equals === undefined ? '' : ` with ${quoted(equals)}`
  return `${kind}${of}${includes === undefined ? text : ` that includes ${quoted(includes)}`}`
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, shownChars))
}

function countOf(results: number): string {
  return results === 1 ? '1 tool result' : `${results} tool results`
}
