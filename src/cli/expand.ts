// skillcell expand: the prompt of a skill. Its injected commands run, after the policy has allowed all of them.

import { SkillcellError } from '../errors.ts'
import { resolveLimits } from '../limits.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { note, noteDiagnostics, oneLine, printJson, printText, styled } from './output.ts'
import { readInput } from './read-input.ts'

interface ExpandFlags {
  readonly args?: string
  readonly argsFile?: string
  readonly session?: string
  readonly as?: 'user' | 'model'
}

export function expand(context: CommandContext, name: string, { args, argsFile, session, as }: ExpandFlags): Promise<number> {
  if (args !== undefined && argsFile !== undefined)
    throw new SkillcellError('USAGE', 'Cannot take both --args and --args-file: give one of them')
  return withRuntime(context, async (runtime, options) => {
    const { maxArgumentsBytes } = resolveLimits(options.limits, options.dialect ?? 'skillcell')
    const result = await runtime.expand(name, {
      args: argsFile === undefined ? args : await readInput(argsFile, maxArgumentsBytes, context.signal),
      ...(session !== undefined && { sessionId: session }),
      as,
      signal: context.signal,
    })
    if (context.json) {
      await printJson({ ok: true, ...result })
      return 0
    }
    noteDiagnostics(result.diagnostics)
    for (const fact of result.commands.flatMap(command => command.notEnforced ?? []))
      note(styled('yellow', `not enforced: ${oneLine(fact)}`, process.stderr))
    await printText(result.prompt)
    return 0
  })
}
