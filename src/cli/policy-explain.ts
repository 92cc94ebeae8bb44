// skillcell policy explain: which rule decides on which part of a command, in sentences.

import { type CommandContext, withRuntime } from './context.ts'
import { print, printJson, safeLines } from './output.ts'

export function policyExplain(context: CommandContext, command: string): Promise<number> {
  return withRuntime(context, async runtime => {
    const explanation = await runtime.explain(command)
    if (context.json) await printJson({ ...(await runtime.decide(command)), explanation })
    else await print(safeLines(explanation))
    return 0
  })
}
