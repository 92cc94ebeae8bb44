// skillcell list: the skills there are, for people as a table, for scripts as JSON.

import { untilAborted } from '../until-aborted.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { note, noteDiagnostics, print, printJson, printText, table } from './output.ts'

export function list(context: CommandContext, flags: { readonly all?: boolean; readonly for?: 'model' | 'user' }): Promise<number> {
  return withRuntime(context, async runtime => {
    const found = await untilAborted(runtime.list(flags), context.signal)
    if (context.json) {
      await printJson(found)
      return 0
    }
    // Those of the start have been told.
    noteDiagnostics(found.diagnostics.filter(diagnostic => !runtime.diagnostics.includes(diagnostic)))
    if (found.skills.length === 0) note('There are no skills here; a skill is <folder>/.skillcell/skills/<name>/SKILL.md')
    // Word for word what a model is given.
    else if (flags.for === 'model') await printText(found.listing ?? '')
    else await print(table([heading, ...found.skills.map(row)]))
    return 0
  })
}

const heading: readonly string[] = ['NAME', 'SOURCE', 'FOR', 'DESCRIPTION']

interface Listed {
  readonly id: string
  readonly source: string
  readonly description: string
  readonly userInvocable: boolean
  readonly modelInvocable: boolean
  readonly shadowedBy?: string | null
}

function row({ id, source, description, userInvocable, modelInvocable, shadowedBy }: Listed): readonly string[] {
  const whom = [...(userInvocable ? ['user'] : []), ...(modelInvocable ? ['model'] : [])].join(',') || 'nobody'
  return [id, source, whom, shadowedBy ? `(shadowed by ${shadowedBy}) ${description}` : description]
}
