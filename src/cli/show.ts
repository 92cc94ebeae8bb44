// skillcell show: one skill with its fields and its text, nothing run.

import { untilAborted } from '../until-aborted.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { noteDiagnostics, print, printJson, printText, table } from './output.ts'

export function show(context: CommandContext, name: string): Promise<number> {
  return withRuntime(context, async runtime => {
    const shown = await untilAborted(runtime.show(name), context.signal)
    if (context.json) {
      await printJson({ ok: true, ...shown })
      return 0
    }
    const { skill, hooks, notForModel, body, diagnostics } = shown
    noteDiagnostics(diagnostics)
    const fields = Object.entries(skill).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    )
    const rows = fields.map(([key, value]) => [key, Array.isArray(value) ? value.join(', ') : String(value)])
    if (hooks !== undefined) rows.push(['hooks', JSON.stringify(hooks)])
    if (notForModel !== undefined) rows.push(['notForModel', notForModel])
    await print(table(rows))
    await printText(`\n${body}`)
    return 0
  })
}
