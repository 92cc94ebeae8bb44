// A command that stands alone and not in a body: that of a hook. Its folders are words as in an injected command; arguments it has none.

import { parseBash } from '../bash/parse.ts'
import { decideNumbering } from './numbering.ts'
import type { ExpansionRequest, PlannedCommand } from './plan.ts'
import { prepareCommand } from './shell-arguments.ts'
import { fixedValues, shellValues } from './shell-values.ts'

/** Ready to be decided and run. The body and the arguments of `request` do not count. */
export function planLoneCommand(command: string, request: ExpansionRequest): PlannedCommand {
  const fixed = fixedValues(request)
  const numbering = decideNumbering({
    dialect: request.dialect,
    hasArgumentHint: false,
    hasArgumentNames: false,
    usesAll: false,
    argumentsGiven: false,
    argumentCount: 0,
    digits: [],
  })
  const values = shellValues({ request, words: [], argumentNames: [], fixed, numbering, missing: 'as-written' })
  const { script, parameters, decisionTexts, refusal } = prepareCommand(command, () => parseBash(command), values)
  return {
    source: command,
    script,
    parameters,
    variables: {},
    environment: Object.fromEntries(fixed),
    decisionTexts,
    ...(refusal !== undefined && { refusal }),
    line: 1,
    column: 1,
  }
}
