// skillcell show: one skill with its fields and its text, nothing run.

import { type CommandContext, orInterrupted, withRuntime } from './context.ts'
import { noteDiagnostics, print, printJson, printText, table } from './output.ts'

export function show(context: CommandContext, name: string): Promise<number> {
  return withRuntime(context, async runtime => {
    const { skill, body, diagnostics } = await orInterrupted(context.signal, runtime.show(name))
    if (context.json) {
      await printJson({ ok: true, skill, body, diagnostics })
      return 0
    }
    noteDiagnostics(diagnostics)
    const fields = Object.entries(skill).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    )
    await print(table(fields.map(([key, value]) => [key, Array.isArray(value) ? value.join(', ') : String(value)])))
    await printText(`\n${body}`)
    return 0
  })
}
