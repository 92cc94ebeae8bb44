// skillcell validate: checks skills on disk without running anything.

import { resolve } from 'node:path'
import { untilAborted } from '../until-aborted.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { diagnosticLine, oneLine, print, printJson, styled } from './output.ts'

export function validate(
  context: CommandContext,
  paths: readonly string[],
  { strict = false }: { readonly strict?: boolean },
): Promise<number> {
  return withRuntime(context, async runtime => {
    const absolute = paths.map(path => resolve(path))
    const report = await untilAborted(runtime.validate(absolute, { strict }), context.signal)
    if (context.json) await printJson(report)
    else {
      for (const { path, ok, diagnostics } of report.skills) {
        await print(`${ok ? styled('green', 'ok  ') : styled('red', 'FAIL')} ${oneLine(path)}`)
        for (const diagnostic of diagnostics) await print(`     ${diagnosticLine(diagnostic, process.stdout)}`)
      }
      const bad = report.skills.filter(skill => !skill.ok).length
      await print(`${report.skills.length} checked, ${bad} with problems`)
    }
    return report.ok ? 0 : 1
  })
}
