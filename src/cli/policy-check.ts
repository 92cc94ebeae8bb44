// skillcell policy check: what the policy says of one command, or of each line of stdin. Nothing runs.
// Ask is told as ask; only deny has an exit code of its own.

import { createInterface } from 'node:readline'
import { errorCodes, messageOf, SkillcellError } from '../errors.ts'
import { isRecord } from '../is-record.ts'
import type { Decision } from '../policy/decision.ts'
import type { ExtraRules } from '../questions.ts'
import type { Runtime } from '../runtime.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { oneLine, print, printJson, styled } from './output.ts'

export function policyCheck(
  context: CommandContext,
  command: string | undefined,
  { stdin = false }: { readonly stdin?: boolean },
): Promise<number> {
  if (stdin === (command !== undefined)) throw new SkillcellError('USAGE', 'Cannot check: give either a command or --stdin')
  return withRuntime(context, async runtime => {
    if (command === undefined) return checkLines(runtime, context.signal)
    const decision = await runtime.decide(command)
    await (context.json ? printJson(decision) : print(told(decision)))
    return decision.decision === 'deny' ? errorCodes.COMMAND_DENIED.exitCode : 0
  })
}

function told({ decision, reason, rule, source, commands }: Decision): string {
  const style = decision === 'allow' ? 'green' : decision === 'ask' ? 'yellow' : 'red'
  const by = rule === undefined ? '' : ` (rule ${rule}${source === undefined ? '' : ` of ${source}`})`
  const parts = commands.length > 1 ? commands.map(part => `  ${part.decision.padEnd(5)}  ${oneLine(part.text)}`) : []
  return [`${styled(style, decision)}: ${oneLine(`${reason}${by}`)}`, ...parts].join('\n')
}

/** One answer a line, in order, each before the next line is read. A line that is none gets an error and a deny, and the rest goes on. */
async function checkLines(runtime: Runtime, signal: AbortSignal): Promise<number> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  const stop = (): void => {
    lines.close()
    process.stdin.destroy()
  }
  signal.addEventListener('abort', stop, { once: true })
  let exitCode = 0
  let number = 0
  try {
    for await (const line of lines) {
      number += 1
      if (line.trim() === '') continue
      const answer = await answerTo(line, number, runtime)
      await printJson(answer)
      if ('error' in answer) exitCode = errorCodes.USAGE.exitCode
      else if (answer.decision === 'deny' && exitCode === 0) exitCode = errorCodes.COMMAND_DENIED.exitCode
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
  signal.throwIfAborted()
  return exitCode
}

interface Answer {
  readonly id: unknown
  readonly decision: Decision['decision']
  readonly reason: string
  readonly rule?: string
  readonly source?: string
}

async function answerTo(line: string, number: number, runtime: Runtime): Promise<Answer | (Answer & { readonly error: object })> {
  let id: unknown = null
  try {
    const question: unknown = JSON.parse(line)
    if (!isRecord(question)) throw new SkillcellError('USAGE', `Cannot read line ${number}: it is no JSON object`)
    id = question.id ?? null
    if (typeof question.command !== 'string') throw new SkillcellError('USAGE', `Cannot read line ${number}: "command" is no string`)
    const { decision, reason, rule, source } = await runtime.decide(question.command, rulesOf(question.rules, number))
    return { id, decision, reason, rule, source }
  } catch (error) {
    const message = error instanceof SyntaxError ? `Cannot read line ${number}: it is no JSON` : messageOf(error)
    return { id, decision: 'deny', reason: message, error: { code: error instanceof SkillcellError ? error.code : 'USAGE', message } }
  }
}

function rulesOf(value: unknown, number: number): ExtraRules {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw new SkillcellError('USAGE', `Cannot read line ${number}: "rules" is no object`)
  const rules = Object.entries(value).map(([kind, list]) => {
    if (!['allow', 'ask', 'deny'].includes(kind))
      throw new SkillcellError('USAGE', `Cannot read line ${number}: "rules" has "${kind}"; there are allow, ask, deny`)
    if (!isTexts(list)) throw new SkillcellError('USAGE', `Cannot read line ${number}: "rules.${kind}" is no list of strings`)
    return [kind, list]
  })
  return Object.fromEntries(rules)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}
