// skillcell doctor: what this machine has, and what to do about what it has not. Exit 1 if something is broken.

import { examine } from '../doctor.ts'
import { untilAborted } from '../until-aborted.ts'
import type { CommandContext } from './context.ts'
import { oneLine, print, printJson, styled } from './output.ts'

const marks = { ok: ['green', 'ok     '], note: ['bold', 'note   '], missing: ['yellow', 'missing'], broken: ['red', 'broken '] } as const

export async function doctor({ flags, json, signal }: CommandContext): Promise<number> {
  const checks = await untilAborted(examine(flags, process.env), signal)
  const ok = checks.every(check => check.status !== 'broken')
  if (json) await printJson({ ok, checks })
  else
    for (const { name, status, detail } of checks) {
      const [style, mark] = marks[status]
      await print(`${styled(style, mark)}  ${name}: ${oneLine(detail)}`)
    }
  return ok ? 0 : 1
}
