// skillcell policy test: a list of commands with the decision each should get, so that a policy can be kept under test.
// The file is YAML or JSON: `- command: git status` / `expect: allow`, perhaps with `rules` and `id`.

import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { messageOf, SkillcellError } from '../errors.ts'
import { schemaProblem } from '../schema-problem.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { oneLine, print, printJson, styled } from './output.ts'

const kind = z.enum(['allow', 'ask', 'deny'])
const rules = z.array(z.string()).optional()
const casesSchema = z.array(
  z.object({
    id: z.union([z.string(), z.number()]).optional(),
    command: z.string(),
    expect: kind,
    alsoOk: z.array(kind).optional(),
    rules: z.strictObject({ allow: rules, ask: rules, deny: rules }).optional(),
  }),
)

export async function policyTest(context: CommandContext, file: string): Promise<number> {
  const cases = await readCases(file)
  return withRuntime(context, async runtime => {
    const results = []
    for (const { id, command, expect, alsoOk = [], rules } of cases) {
      context.signal.throwIfAborted()
      const { decision, reason, rule } = await runtime.decide(command, rules)
      results.push({ id, command, expect, decision, ok: [expect, ...alsoOk].includes(decision), reason, rule })
    }
    const failed = results.filter(result => !result.ok)
    if (context.json) await printJson({ ok: failed.length === 0, results })
    else {
      for (const { id, command, expect, decision, reason } of failed)
        await print(
          `${styled('red', 'FAIL')} ${id === undefined ? '' : `${id}: `}${oneLine(command)}: expected ${expect}, came ${decision} (${oneLine(reason)})`,
        )
      await print(`${results.length - failed.length} as expected, ${failed.length} not`)
    }
    return failed.length === 0 ? 0 : 1
  })
}

async function readCases(file: string): Promise<z.infer<typeof casesSchema>> {
  const { parse } = await import('yaml')
  try {
    return casesSchema.parse(parse(await readFile(file, 'utf8'), { maxAliasCount: 0 }))
  } catch (cause) {
    const problem = cause instanceof z.ZodError ? schemaProblem(cause) : messageOf(cause)
    throw new SkillcellError('USAGE', `Cannot read the cases of "${file}": ${problem}`, { cause })
  }
}
